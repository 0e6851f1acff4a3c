/**
 * A session: one real bash that keeps its state from run to run; and the one-shot, which is a session for one command.
 */
import { onAbort } from "@pi-bash/contract/internal/abort";
import { binding } from "./binding.ts";
import { type Bridge, bridge, type Listeners, type Operation } from "./bridge.ts";
import { absent, checkFunction, reading } from "./check-option.ts";
import type {
  End,
  MinimizerRules,
  Bridge as NativeBridge,
  SecretMask as NativeMask,
  Session,
} from "./generated/binding.d.ts";
import { toMinimizerRules } from "./minimizer.ts";
import { type ListeningPort, listeningPorts } from "./ports.ts";
import { type ShellRunResult, toRunResult } from "./run-result.ts";
import { nativeMask } from "./secret-mask.ts";
import { native, ShellError, type ShellErrorCode } from "./shell-error.ts";
import {
  readExecute,
  readRun,
  readSession,
  type ShellExecuteOptions,
  type ShellOptions,
  type ShellRunOptions,
  spinOf,
  toRunRequest,
  toSessionOptions,
} from "./shell-options.ts";

/**
 * Takes the next piece of decoded output, at most 65,536 characters. `error` is always `null`; it is there for callers
 * that pass a callback of the usual Node shape. While a returned promise is pending the run is given no further output,
 * and the command waits at its pipe. What the callback throws or rejects with is reported once per run as a process
 * warning with the code `PI_CALLBACK_FAILED`; the run goes on.
 */
export type ChunkListener = (error: Error | null, chunk: string) => unknown;

/** Longest that a callback's promise holds a run while another run waits behind it, in milliseconds. */
const QUEUED_PATIENCE_MS = 1_000;

/** Hands a run to the addon. */
type Begin = (native: NativeBridge, id: number, isCancelled: boolean) => boolean;

/**
 * One persistent bash. Nothing is started before the first run. When no reference is left and no run is in progress, the
 * bash ends by itself; `close` ends it now.
 *
 * ```ts
 * import { Shell } from "@pi-bash/natives";
 *
 * const shell = new Shell({ cwd: "/tmp" });
 * await shell.run({ command: "x=kept; cd /usr" });
 * const { exitCode, output } = await shell.run({ command: 'echo "$x in $PWD"', timeoutMs: 5_000, sink: {} });
 * console.log(exitCode, output?.text); // 0 "kept in /usr\n"
 * await shell.close();
 * ```
 */
export class Shell {
  readonly #session: Session;
  readonly #minimizer: MinimizerRules | undefined;
  readonly #spinMicroseconds: number | undefined;
  readonly #runs = new Set<Operation>();

  /**
   * @throws ShellError when an option is wrong
   * @throws NativeLoadError when there is no addon for this platform
   */
  constructor(given: ShellOptions = {}) {
    const found = binding();
    const { addon } = found;
    const options = readSession(given);
    const sessionOptions = toSessionOptions(options, found);
    this.#minimizer = minimizerOf(options);
    this.#spinMicroseconds = spinOf(options);
    const mask = maskOf(options);
    this.#session = native(() => new addon.Session(sessionOptions, mask));
  }

  /**
   * Runs one command. Runs of one session wait for each other unless `concurrency` says otherwise.
   *
   * Rejects with a `ShellError` only when the command never ran.
   */
  async run(given: ShellRunOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
    checkFunction("onChunk", onChunk);
    const options = readRun(given);
    const request = toRunRequest(options, this.#minimizer, typeof onChunk === "function");
    if (this.#spinMicroseconds !== undefined) request.spinMicroseconds = this.#spinMicroseconds;
    for (const run of this.#runs) run.gate?.limitPatience(QUEUED_PATIENCE_MS);
    const operation = startRun(bridge(), options, onChunk, (crossing, id, isCancelled) =>
      this.#session.run(crossing, id, request, isCancelled),
    );
    if (this.#runs.size > 0) operation.gate?.limitPatience(QUEUED_PATIENCE_MS);
    this.#runs.add(operation);
    try {
      return await resultOf(operation, options.signal);
    } finally {
      this.#runs.delete(operation);
    }
  }

  /** Stops all runs of this session; resolves when they have ended. Fine when idle, and any number of times. */
  async abort(): Promise<void> {
    for (const run of this.#runs) bridge().release(run);
    await this.#operate((crossing, id) => this.#session.abort(crossing, id));
  }

  /**
   * Ends the session and every process it started. Runs in progress end as cancelled, later ones reject with
   * `PI_SHELL_CLOSED`. Fine any number of times.
   */
  async close(): Promise<void> {
    for (const run of this.#runs) bridge().release(run);
    await this.#operate((crossing, id) => this.#session.close(crossing, id));
  }

  /**
   * Lets the command that runs go on beside the session, in the shell that it has; the session gets another shell with
   * the state of before the command, takes the next run at once, and keeps what later runs set. What the command itself
   * sets in its shell is gone with it. Resolves with false where nothing was handed over: nothing ran for a second, or
   * each command has a bash of its own.
   */
  async handOver(): Promise<boolean> {
    const end = await this.#operate((crossing, id) => this.#session.handOver(crossing, id));
    return end.count === 1;
  }

  /** How many background jobs of this session live. */
  async liveBackgroundJobCount(): Promise<number> {
    const end = await this.#operate((crossing, id) => this.#session.liveBackgroundJobCount(crossing, id));
    return end.count ?? 0;
  }

  /** The process above everything that the session started; undefined before its first run, and on Windows. */
  get rootPid(): number | undefined {
    return native(() => this.#session.rootPid()) ?? undefined;
  }

  /**
   * The ports that everything below `rootPid` listens on, as `listeningPorts` has them; none where there is no `rootPid`.
   */
  async listeningPorts(): Promise<ListeningPort[]> {
    const root = this.rootPid;
    return root === undefined ? [] : listeningPorts([root]);
  }

  /**
   * What background children wrote after their commands ended, as text, the oldest command's first: the last 64 KiB
   * of each of the last 16 commands that left such children. It never appears in a later command's output. Empty
   * after `close`.
   */
  lateOutput(): string {
    return native(() => this.#session.lateOutput());
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #operate(begin: (crossing: NativeBridge, id: number) => void): Promise<End> {
    const operation = native(() => bridge().start(undefined, begin));
    return succeeded(await operation.end);
  }
}

/** Runs one command in a fresh bash, which is gone when the promise settles. Otherwise as `Shell.run`. */
export async function executeShell(given: ShellExecuteOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
  checkFunction("onChunk", onChunk);
  const options = readExecute(given);
  const request = toRunRequest(options, minimizerOf(options), typeof onChunk === "function");
  const found = binding();
  const { addon } = found;
  // The command's directory and the session's are one here; the core checks it once.
  const { cwd: _, ...sessionOptions } = toSessionOptions(options, found);
  const mask = maskOf(options);
  const operation = startRun(bridge(), options, onChunk, (crossing, id, isCancelled) =>
    addon.execute(crossing, id, sessionOptions, request, isCancelled, mask),
  );
  return resultOf(operation, options.signal);
}

function minimizerOf({ minimizer }: ShellOptions): MinimizerRules | undefined {
  return absent(minimizer) ? undefined : reading("minimizer", () => toMinimizerRules(minimizer, "minimizer"));
}

function maskOf({ mask }: ShellOptions): NativeMask | undefined {
  return absent(mask) ? undefined : nativeMask("mask", mask);
}

function startRun(
  crossing: Bridge,
  options: ShellRunOptions,
  onChunk: ChunkListener | undefined,
  begin: Begin,
): Operation {
  const onUpdate = options.sink?.onUpdate;
  const listeners: Listeners = {
    ...(typeof onChunk === "function" ? { onText: (text) => onChunk(null, text) } : {}),
    ...(typeof onUpdate === "function"
      ? { onUpdate: (update) => onUpdate(update.tail, { bytes: update.totalBytes, lines: update.totalLines }) }
      : {}),
  };
  const isCancelled = options.signal?.aborted === true;
  return native(() => crossing.start(listeners, (other, id) => begin(other, id, isCancelled)));
}

export async function resultOf(operation: Operation, signal: AbortSignal | undefined): Promise<ShellRunResult> {
  let release: () => void;
  try {
    release = onAbort(signal, () => bridge().cancel(operation));
  } catch (error) {
    // One that takes no listener: no one could cancel the run, so it does not go on.
    bridge().cancel(operation);
    await operation.end;
    throw new ShellError("PI_INVALID_OPTION", "option `signal` is not an AbortSignal; give `controller.signal`", {
      cause: error,
    });
  }
  try {
    const { run } = succeeded(await operation.end);
    if (run === undefined) throw new ShellError("PI_INTERNAL", "internal error: a run ended without a result");
    return toRunResult(run);
  } finally {
    // A signal outlives its runs: listeners would pile up on it. What it throws takes no result away.
    try {
      release();
    } catch {
      // Then it keeps a listener that does nothing.
    }
  }
}

function succeeded(end: End): End {
  if (end.failure) {
    const { code, message, reason } = end.failure;
    throw new ShellError(code as ShellErrorCode, message, reason === undefined ? {} : { reason });
  }
  return end;
}
