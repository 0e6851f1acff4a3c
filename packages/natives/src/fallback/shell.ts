/**
 * The surface of `../shell.ts` on `child_process`, for systems without an addon: each command has a bash of its own.
 *
 * The same results and the same bounds; no state between commands, no copy-on-write clone, no supervisor, no PTY, and
 * the event loop does the reading. `capabilities()` says so. An entry of its own (`@pi-bash/natives/fallback`), so that
 * no one runs on it by accident: `@pi-bash/executor` takes it where the addon cannot be loaded, and says so in a warning.
 */

import { constants } from "node:os";
import { onAbort } from "@pi-bash/contract/internal/abort";
import type { Capabilities } from "../capabilities.ts";
import { checkFunction } from "../check-option.ts";
import type { RunRequest, SessionOptions } from "../generated/binding.d.ts";
import type { OutputSummary, ShellRunResult } from "../run-result.ts";
import type { ChunkListener } from "../shell.ts";
import { ShellError } from "../shell-error.ts";
import {
  type ShellExecuteOptions,
  type ShellOptions,
  type ShellRunOptions,
  toRunRequest,
  toSessionOptions,
} from "../shell-options.ts";
import { groupMembers, type StartedBash, type StartRequest, signalGroup, startBash } from "./bash-process.ts";
import { checkCommand, checkDirectory, checkSizes, checkVariables, findBash, startError } from "./checks.ts";
import { readOutput } from "./read-output.ts";
import { TailWindow } from "./tail-window.ts";

/** From SIGTERM to SIGKILL, in milliseconds. */
const TERM_GRACE_MS = 500;

/** Longest from SIGKILL to the end of a process, which only the kernel can hold up; milliseconds. */
const KILLED_MS = 3_000;

/** Why no command runs read-only here. */
const NO_READ_ONLY = "it needs the native addon; `pi-bash doctor` says how to get it";

/** Background groups of a shell, ended with it. */
type Groups = Set<StartedBash>;

/** A session without state: every run begins in the session's first directory, with its first environment. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #groups: Groups = new Set();
  readonly #stops = new Set<AbortController>();
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @throws ShellError when an option is wrong */
  constructor(options: ShellOptions = {}) {
    toSessionOptions(options);
    this.#options = options;
  }

  /** As `Shell.run`; commands wait for each other unless `concurrency` is `clone`. */
  async run(options: ShellRunOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
    checkFunction("onChunk", onChunk);
    const { clone } = toRunRequest(options, undefined, onChunk !== undefined);
    if (this.#isClosed) throw new ShellError("PI_SHELL_CLOSED", "Shell is closed");
    const stop = new AbortController();
    const before = clone ? Promise.resolve() : this.#turn;
    const run = before.then(() =>
      runOnce(this.#options, options, onChunk, { stop: stop.signal, groups: this.#groups }),
    );
    this.#stops.add(stop);
    if (!clone) this.#turn = run.catch(() => undefined);
    try {
      return await run;
    } finally {
      this.#stops.delete(stop);
    }
  }

  /** As `Shell.abort`. */
  async abort(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    await this.#turn;
  }

  /** As `Shell.close`; background children are killed with their groups. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.abort();
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    this.#groups.clear();
  }

  /** As `Shell.handOver`: there is no session to hand over. */
  async handOver(): Promise<boolean> {
    return false;
  }

  /** As `Shell.liveBackgroundJobCount`. */
  async liveBackgroundJobCount(): Promise<number> {
    return [...this.#groups].filter((group) => groupMembers(group).length > 0).length;
  }

  /** Nothing is kept of what background children write. */
  lateOutput(): string {
    return "";
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** As `executeShell`. What the command leaves in its group is killed, since no session owns it. */
export async function executeShell(options: ShellExecuteOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
  checkFunction("onChunk", onChunk);
  const groups: Groups = new Set();
  try {
    return await runOnce(options, options, onChunk, { groups });
  } finally {
    for (const group of groups) signalGroup(group, "SIGKILL");
  }
}

/** What works without the addon. */
export function capabilities(): Capabilities {
  const { platform } = process;
  return {
    platform,
    session: "per-command",
    supervisor: false,
    pty: false,
    clone: true,
    sandbox: [],
    readOnly: { available: false, reason: NO_READ_ONLY, degraded: [] },
  };
}

interface Surroundings {
  readonly groups: Groups;
  readonly stop?: AbortSignal;
}

/** What only the addon has: nothing is run without it that was to be bounded. */
function refuseProtection({ limits, sandbox }: SessionOptions, { readOnly }: RunRequest): void {
  if (limits !== undefined) {
    throw new ShellError(
      "PI_INVALID_OPTION",
      "option `limits` needs the native addon; `pi-bash doctor` says how to get it",
    );
  }
  if (sandbox !== undefined) {
    throw new ShellError(
      "PI_SANDBOX_UNAVAILABLE",
      `cannot run in a \`${sandbox.mode}\` sandbox without the native addon; \`pi-bash doctor\` says how to get it, and mode \`full\` runs without a sandbox`,
    );
  }
  if (readOnly === true) {
    throw new ShellError("PI_READ_ONLY_UNAVAILABLE", `cannot run read-only: ${NO_READ_ONLY}`, { reason: NO_READ_ONLY });
  }
}

async function runOnce(
  session: ShellOptions,
  run: ShellRunOptions,
  onChunk: ChunkListener | undefined,
  { groups, stop }: Surroundings,
): Promise<ShellRunResult> {
  const sessionOptions = toSessionOptions(session, undefined);
  const { baseEnv, sessionEnv } = sessionOptions;
  const request = toRunRequest(run, undefined, onChunk !== undefined);
  refuseProtection(sessionOptions, request);
  const start = {
    shell: findBash(session.shell),
    command: checkCommand(request.command),
    cwd: checkDirectory(session.cwd ?? process.cwd(), request.cwd),
    env: checkSizes({ ...baseEnv, ...checkVariables(sessionEnv ?? {}), ...checkVariables(request.env ?? {}) }),
    ...(session.snapshotPath === undefined ? {} : { snapshotPath: session.snapshotPath }),
  };
  const sink = request.sink === undefined ? undefined : new TailWindow(request.sink);
  if (run.signal?.aborted || stop?.aborted) return outcome(undefined, { isCancelled: true }, sink?.finish(), [], 0);

  const bash = started(start, { baseEnv, sessionEnv, env: request.env });
  groups.add(bash);
  const begin = performance.now();
  const output = readOutput(bash, sink, request.sink, run, onChunk);
  const ladder = stopLadder(bash, request.timeoutMs, [run.signal, stop]);
  try {
    const exit = await Promise.race([ended(bash), ladder.overdue]);
    const wallTimeMs = performance.now() - begin;
    await output.drained();
    const survivors = groupMembers(bash);
    if (ladder.reason() !== undefined) signalGroup(bash, "SIGKILL");
    if (survivors.length === 0 || ladder.reason() !== undefined) groups.delete(bash);
    const left = ladder.reason() === undefined ? survivors : [];
    return outcome(exit, { [ladder.reason() ?? "isEnded"]: true }, sink?.finish(), left, wallTimeMs);
  } finally {
    ladder.release();
    output.release();
    bash.cleanUp();
  }
}

function started(start: StartRequest, options: Parameters<typeof startError>[1]): StartedBash {
  try {
    return startBash(start);
  } catch (error) {
    throw startError(error, options);
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function ended({ child }: StartedBash): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (cause) => {
      reject(new ShellError("PI_SYSTEM", `cannot start \`${child.spawnfile}\`: ${cause.message}`, { cause }));
    });
  });
}

interface StopReasons {
  readonly isCancelled?: boolean;
  readonly isTimedOut?: boolean;
  readonly isEnded?: boolean;
}

function outcome(
  exit: Exit | undefined,
  { isCancelled = false, isTimedOut = false }: StopReasons,
  output: OutputSummary | undefined,
  survivors: ShellRunResult["survivors"],
  wallTimeMs: number,
): ShellRunResult {
  const status =
    exit === undefined || isCancelled || isTimedOut
      ? {}
      : exit.signal === null
        ? { exitCode: exit.code ?? 0 }
        : { exitCode: 128 + constants.signals[exit.signal], signal: exit.signal };
  return {
    ...status,
    cancelled: isCancelled,
    timedOut: isTimedOut,
    sessionReset: false,
    survivors,
    wallTimeMs,
    ...(output === undefined ? {} : { output }),
  };
}

/** SIGTERM to the group at the deadline or when asked, SIGKILL after a grace. */
function stopLadder(bash: StartedBash, timeoutMs: number | undefined, signals: readonly (AbortSignal | undefined)[]) {
  let reason: "isCancelled" | "isTimedOut" | undefined;
  let kill: NodeJS.Timeout | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  let settle: (exit: undefined) => void = () => undefined;
  const overdue = new Promise<undefined>((resolve) => {
    settle = resolve;
  });
  const stop = (why: "isCancelled" | "isTimedOut") => {
    if (reason !== undefined) return;
    reason = why;
    signalGroup(bash, "SIGTERM");
    kill = setTimeout(() => signalGroup(bash, "SIGKILL"), TERM_GRACE_MS);
    giveUp = setTimeout(() => settle(undefined), TERM_GRACE_MS + KILLED_MS);
  };
  const deadline = timeoutMs === undefined ? undefined : setTimeout(() => stop("isTimedOut"), timeoutMs);
  const releases = signals.map((signal) => onAbort(signal, () => stop("isCancelled")));
  return {
    /** Resolves where not even SIGKILL ended the command in time. */
    overdue,
    reason: () => reason,
    release: () => {
      clearTimeout(deadline);
      clearTimeout(kill);
      clearTimeout(giveUp);
      for (const release of releases) release();
    },
  };
}
