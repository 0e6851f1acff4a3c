/**
 * Runs one command on a session that was given to it, and makes a result of whatever becomes of it.
 *
 * The order matters: the sink is open before the run starts, the run is watched to its bound, the session is given back
 * before anything slow (artifacts, minimizer) is done with the output, so that the next call need not wait for that.
 */

import type { OutputWindow, Settings } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { onAbort } from "@pi-bash/contract/internal/abort";
import type { ArtifactStore } from "./artifacts/store.ts";
import { type CommandResult, lostResult, neverStarted, settledResult, unresponsiveResult } from "./command-result.ts";
import { type Deadline, type TimeoutDecision, watchDeadline } from "./deadline.ts";
import { guardListener, warnAboutListener } from "./host-listener.ts";
import { minimizeResult } from "./minimize.ts";
import type { NativesPort, OutputMask, RunOptions, RunResult, SessionOptions } from "./natives-port.ts";
import { ChunkThrottle, type OutputListener } from "./output/chunk-throttle.ts";
import { withinLines } from "./output/line-window.ts";
import { isLost, type PlaceFiles } from "./places/place.ts";
import { type PortLook, portLook, withPorts } from "./ports.ts";
import { ReadOnlyUnavailableError } from "./read-only/confinement.ts";
import { READ_ONLY_ENV } from "./read-only/read-only-environment.ts";
import { withRecognized } from "./read-only/read-only-result.ts";
import { hintsIn } from "./refusals.ts";
import type { RuleFiles } from "./rule-files.ts";
import { type ArtifactChoice, openRunSink, type RunSink, type UpdateListener } from "./run-sink.ts";
import { type Watched, watchRun } from "./run-watch.ts";
import { maskProcesses } from "./secrets.ts";
import type { Lease } from "./sessions/session-pool.ts";
import { prefixedCommand } from "./shell-config.ts";

/** Errors of the core after which the session is as it was: the command was refused before anything ran. */
const HARMLESS_CODES = new Set([
  "PI_NUL_IN_COMMAND",
  "PI_MISSING_CWD",
  "PI_CWD_NOT_A_DIRECTORY",
  "PI_CWD_DENIED",
  "PI_INVALID_ENV",
  "PI_INVALID_OPTION",
  "PI_SANDBOX_UNAVAILABLE",
  "PI_LIMITS_UNAVAILABLE",
  "PI_READ_ONLY_UNAVAILABLE",
  "PI_SYSTEM",
]);

/** Options of one command. All are optional. */
export interface ExecuteBashOptions {
  /** Directory to change to first; the session stays there. Default: where the session is. */
  cwd?: string;
  /** Variables of this command; they win over everything the executor sets. */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the deadline, at least 1. Default 300,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The agent's session: calls with the same key share a shell. Default: all calls without one share one. */
  sessionKey?: string;
  /** The session at whose place a session of its own is. Default: `sessionKey`. */
  placeKey?: string;
  /**
   * Called with what the command writes, at most every 50 ms, everything in order. A promise that it returns holds the
   * command back until it is settled. It does not hold up the command's end: what is written while the command is being
   * ended may be left out up to its newest 256 KiB, and `leftOutBytes` says how much is missing before `chunk`.
   */
  onChunk?: OutputListener;
  /** Called with the newest tail and totals, at most every 50 ms. */
  onUpdate?: UpdateListener;
  /** File for the raw output. Default: an artifact of the executor's store. */
  artifact?: Exclude<ArtifactChoice, undefined>;
  /** Called when the command has its turn, right before it is run. */
  onTurn?: () => void;
  /** Given a look at the ports that the command's processes listen on, right before it is run. */
  onPorts?: (look: PortLook) => void;
  /** While another command has the session: wait for a turn (default), or run at once in a copy. */
  overlap?: "queue" | "clone";
  /**
   * Run it in a copy of the session that the kernel keeps from everything but reading; the session's folder follows a `cd`,
   * everything else that it sets is dropped. Where that cannot be had, it does not run: `PI_READ_ONLY_UNAVAILABLE`. Default
   * false.
   */
  readOnly?: boolean;
  /** The session is for this call alone and is closed when nothing of it lives any more. */
  isEphemeral?: boolean;
  /** Aborted when the command goes on in the background: later calls run in copies instead of waiting for it. */
  backgrounded?: AbortSignal;
  /** Someone reads the output from its file while the command runs: it is there from the first byte on. */
  isFollowed?: boolean;
  /** Asked at the deadline: end the command, or let it go on for up to `lifetimeMs`. Default: it is ended. */
  onTimeout?: () => TimeoutDecision;
  /** With `onTimeout`: milliseconds from the start until it is ended without asking. Default 24.8 days. */
  lifetimeMs?: number;
  /** Whether the minimizer may shorten the text. Default true; settings decide then. */
  mayMinimize?: boolean;
  /** How much of the output the result shows, where that differs from the executor's settings (`bash.output…`). */
  window?: Partial<OutputWindow>;
}

/** A command with everything that is known before it runs. */
export interface CommandCall {
  command: string;
  options: ExecuteBashOptions;
  timeoutMs: number;
  /** Options of the session it runs in, for a platform that cannot copy one. */
  session: SessionOptions;
}

/** What a run needs of its executor. */
export interface CommandHost {
  natives: NativesPort;
  settings: Settings;
  artifacts: ArtifactStore;
  prefix: string | undefined;
  graceMs: number;
  /** Time that the place may be away while the command goes on, in milliseconds. */
  awayMs?: number | undefined;
  /** Masks secrets in outputs. Absent: nothing is masked. */
  mask: OutputMask | undefined;
  /** Rules of the minimizer that go before the built-in ones. */
  ruleFiles: () => Promise<RuleFiles>;
  /** Where the run is, when that is not this machine. */
  place: { readonly name: string; readonly files: PlaceFiles } | undefined;
}

/** Runs the command; the lease is given back when this settles. Rejects only when the command was never started. */
export async function runCommand(call: CommandCall, lease: Lease, host: CommandHost): Promise<CommandResult> {
  const { options, timeoutMs } = call;
  const { settings, artifacts } = host;
  const window: OutputWindow = { ...outputWindow(settings), ...options.window };
  const sink = await openRunSink({
    store: artifacts,
    artifact: options.artifact,
    onUpdate: guardListener(options.onUpdate, warnAboutListener("updates")),
    isFollowed: options.isFollowed === true,
    window,
    masksFile: settings["secrets.maskArtifacts"],
    place: host.place,
    onSessionClosed: (work) => lease.session.onClosed(work),
  });
  const startedAt = performance.now();
  const { signal, onTimeout, lifetimeMs } = options;
  const deadline = watchDeadline({ timeoutMs, signal, onTimeout, lifetimeMs });
  const watched = await watch(call, lease, host, { sink, deadline }).finally(() => deadline.end());
  const endedAfterMs = deadline.hasKilled ? timeoutMs : deadline.timeoutMs;
  if (watched.kind === "unresponsive") {
    const wallTimeMs = performance.now() - startedAt;
    const reason = deadline.hasKilled ? "deadline" : watched.reason;
    return sink.finish(unresponsiveResult(reason, sink.seen, { timeoutMs: endedAfterMs, wallTimeMs }), undefined);
  }
  if (watched.kind === "failed" && isLost(watched.error)) {
    const wallTimeMs = performance.now() - startedAt;
    return sink.finish(lostResult(watched.error.message, sink.seen, wallTimeMs), undefined);
  }
  if (watched.kind === "failed") {
    await sink.finish(neverStarted(), undefined);
    throw watched.error;
  }
  const { value } = watched;
  // The core was asked to stop; why, it does not know.
  const ended = deadline.hasKilled && value.cancelled ? { ...value, timedOut: true } : value;
  // A command that left nothing behind waits for nothing here.
  const left = ended.survivors.length === 0 ? ended.survivors : await withPorts(lease.session.shell, ended.survivors);
  const survivors = maskProcesses(host.mask, left);
  const plain = settledResult({ ...ended, survivors }, endedAfterMs);
  // What a path means on a place cannot be looked up from here.
  const settled = host.place === undefined ? await withHints(plain, call) : plain;
  const result = await sink.finish(settled, value.output);
  const shown = options.mayMinimize === false ? result : await minimized(call, result, { host, sink, window });
  // A minimized text fits already. What is said of a stop stands before the output.
  return shown.minimized === undefined ? withinLines(shown, window, shown.cancelled ? 1 : 0) : shown;
}

/** The result as the minimizer leaves it. */
function minimized(
  call: CommandCall,
  result: CommandResult,
  { host, sink, window }: { host: CommandHost; sink: RunSink; window: OutputWindow },
): Promise<CommandResult> {
  const { settings, artifacts } = host;
  return minimizeResult({
    natives: host.natives,
    settings,
    ruleFiles: host.ruleFiles,
    command: call.command,
    result,
    spillPath: sink.spillPath,
    mask: host.mask,
    saveOriginal: async (text) => (await artifacts.save("bash-original", text).catch(() => undefined))?.id,
    window,
  });
}

/** With what may have been refused, recognized in the text before the minimizer has it. */
async function withHints(result: CommandResult, { options, session }: CommandCall): Promise<CommandResult> {
  const { sandbox, readOnly, exitCode, output } = result;
  if (exitCode === undefined || exitCode === 0) return result;
  const cwd = result.workingDir ?? options.cwd ?? session.cwd ?? process.cwd();
  // The narrower of the two: what it refused, an approval allows, and the next run shows what the sandbox refuses.
  if (readOnly?.enforced === true) return { ...result, readOnly: await withRecognized(readOnly, output, cwd) };
  if (sandbox === undefined) return result;
  const writablePaths = session.sandbox?.writablePaths ?? [];
  const hints = await hintsIn(output, { report: sandbox, writablePaths, cwd, isRoot: process.getuid?.() === 0 });
  const refusals = [...(sandbox.refusals ?? []), ...hints];
  return refusals.length === 0 ? result : { ...result, sandbox: { ...sandbox, refusals } };
}

/** Starts the run, waits for it, and gives the session back in the state that the outcome leaves it in. */
async function watch(
  call: CommandCall,
  lease: Lease,
  host: CommandHost,
  { sink, deadline }: { sink: RunSink; deadline: Deadline },
): Promise<Watched<RunResult>> {
  const { onChunk, backgrounded } = call.options;
  const { signal, timeoutMs } = deadline;
  const throttle = onChunk === undefined ? undefined : new ChunkThrottle(onChunk, warnAboutListener("output"));
  const promote = (): void => lease.promote();
  if (backgrounded?.aborted) promote();
  const release = onAbort(backgrounded, promote);
  const run = start(call, lease, host, { sink, throttle, deadline });
  const watched = await watchRun(run, { timeoutMs, signal, graceMs: host.graceMs, awayMs: host.awayMs });
  release();
  throttle?.end();
  if (watched.kind === "unresponsive") lease.quarantine(run);
  else if (watched.kind === "failed" && !isHarmless(watched.error)) lease.drop();
  else lease.release();
  return watched;
}

interface Receivers {
  sink: RunSink;
  throttle: ChunkThrottle | undefined;
  deadline: Deadline;
}

async function start(
  call: CommandCall,
  lease: Lease,
  host: CommandHost,
  { sink, throttle, deadline }: Receivers,
): Promise<RunResult> {
  const { cwd, readOnly } = call.options;
  const env = readOnly === true ? { ...READ_ONLY_ENV, ...call.options.env } : call.options.env;
  const { signal, timeoutMs } = deadline;
  const run: RunOptions = {
    command: prefixedCommand(call.command, host.prefix),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(readOnly === true ? { readOnly } : {}),
    ...(host.settings["bash.onInputWait"] === "note" ? { onInputWait: "note" as const } : {}),
    ...(host.settings["bash.usage"] ? { usage: true } : {}),
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
    sink: sink.options,
  };
  const { shell, isEphemeral } = lease.session;
  call.options.onPorts?.(portLook(shell, isEphemeral ? undefined : Date.now()));
  const onChunk = throttle === undefined ? undefined : (_: Error | null, chunk: string) => throttle.push(chunk);
  if (lease.turn === "own") return shell.run(run, onChunk);
  if (host.natives.capabilities().clone) return shell.run({ ...run, concurrency: "clone" }, onChunk);
  if (readOnly === true) throw new ReadOnlyUnavailableError("this backend makes no copies of a session");
  // A platform without copies gives a fresh shell: it lacks the session's state, but never touches it either.
  return host.natives.executeShell({ ...call.session, ...run }, onChunk);
}

function isHarmless(error: unknown): boolean {
  return error instanceof Error && "code" in error && HARMLESS_CODES.has(String(error.code));
}
