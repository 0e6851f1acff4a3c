/**
 * A program on a pseudoterminal: it is typed to, resized and killed, and everything it writes comes back raw.
 *
 * The text holds escape sequences; what they make of a screen is the business of whoever owns one (`@pi-bash/terminal`),
 * and so are the answers to what programs ask a terminal. See docs/pty.md.
 */
import { constants } from "node:os";
import type { QuietTerminal, ResourceUsage, SandboxOptions, SandboxReport } from "@pi-bash/contract";
import { binding } from "./binding.ts";
import { type Bridge, bridge, type Listeners, type Operation } from "./bridge.ts";
import { CallbackGate } from "./callback-gate.ts";
import { absent, checkFunction } from "./check-option.ts";
import type { Bridge as NativeBridge, Pty, PtyRequest } from "./generated/binding.d.ts";
import { readArgvStart, readStart, type TerminalDefaults, toCells } from "./pty-start.ts";
import { type ChunkListener, resultOf } from "./shell.ts";
import { invalidOption, native, ShellError } from "./shell-error.ts";

/** Options that every start of a terminal has: size, folder, environment, deadline. */
export interface PtyOptions {
  /** Working directory. Default: the host's own. */
  readonly cwd?: string;
  /** Variables to begin with, instead of `process.env`. */
  readonly baseEnv?: Readonly<Record<string, string>>;
  /** Variables on top of those and of `TERM=xterm-256color`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the deadline; 0 counts as 1. Default: no deadline. */
  readonly timeoutMs?: number;
  /** Ends the program and everything it started. Aborted already: nothing is started. */
  readonly signal?: AbortSignal;
  /** Columns, clamped to 20 to 400. Default 120. */
  readonly cols?: number;
  /** Rows, clamped to 5 to 200. Default 40. */
  readonly rows?: number;
  /** The sandbox that the program runs in. Default, and with mode `full`: none. */
  readonly sandbox?: SandboxOptions;
  /**
   * Takes what is known of who reads the terminal, while nothing is written or typed: 0.1 to 5 seconds after the last byte, and
   * then each five. Called only while a program reads it, is stopped or may not be looked at, and once when that has ended.
   * Nothing waits for what it returns. Default: nothing is looked at.
   */
  readonly onQuiet?: (terminal: QuietTerminal) => unknown;
  /** The result says what the program used: processor time and peak memory. Default false. */
  readonly usage?: boolean;
}

/** Starts a command line in a shell on the terminal. */
export interface PtyStartOptions extends PtyOptions {
  /** The text given to the shell with `-c`. */
  readonly command: string;
  /** Path of the shell. Default: the first bash found. */
  readonly shell?: string;
}

/** A program without a shell. */
export interface PtyArgvStartOptions extends PtyOptions {
  /** Its path, or its name, which is looked up in `PATH`. */
  readonly application: string;
  /** Its arguments, as they are. */
  readonly args: readonly string[];
}

/** How the program ended. Non-zero exits, cancellation and timeouts are results, never errors. */
export interface PtyRunResult {
  /** Exit status; 128 + n where signal n ended the program. Absent when cancelled or timed out. */
  readonly exitCode?: number;
  /** Name of that signal, e.g. `SIGKILL`. */
  readonly signal?: string;
  /** `kill()` or the caller's signal stopped it. */
  readonly cancelled: boolean;
  /** Its deadline stopped it. */
  readonly timedOut: boolean;
  /** The sandbox it ran in. Absent: none. */
  readonly sandbox?: SandboxReport;
  /** What the program used, with the children it waited for. Absent: not asked for, or its end is not known. */
  readonly usage?: ResourceUsage;
}

/** Takes the program's pid once, before any output. `error` is always `null`. */
export type StartListener = (error: Error | null, pid: number) => unknown;

/** What of a request only shows when it is handed over. */
type Handover = Pick<PtyRequest, "startId" | "isCancelled">;

/** Hands a start to the addon. */
type Begin = (crossing: NativeBridge, id: number, more: Handover) => void;

/**
 * One terminal with at most one program at a time; when that has ended, another can be started.
 *
 * ```ts
 * import { PtySession } from "@pi-bash/natives";
 *
 * const terminal = new PtySession();
 * const ended = terminal.start({ command: "read -p 'name? ' name; echo hello $name", cols: 80, rows: 24 }, (error, text) => {
 *   if (error === null && text.includes("name? ")) terminal.write("Ada\r");
 * });
 * console.log((await ended).exitCode); // 0
 * ```
 */
export class PtySession {
  readonly #pty: Pty;
  #run: Operation | undefined;
  /** Bytes typed to the run. */
  #typedBytes = 0;

  /**
   * @throws NativeLoadError when there is no addon for this platform
   * @throws ShellError `PI_PTY_OPEN` where `capabilities().pty` is false
   */
  constructor() {
    const { addon } = binding();
    if (typeof addon.Pty !== "function") {
      throw new ShellError(
        "PI_PTY_OPEN",
        "there are no pseudoterminals on this system yet; run the command without one",
      );
    }
    this.#pty = native(() => new addon.Pty());
  }

  /**
   * Runs a command line. `write`, `resize` and `kill` work from the moment that this returns. Every byte that the program
   * wrote has been given to `onChunk` when the promise resolves, and nothing that it started is left.
   *
   * Rejects with a `ShellError` only when nothing ran.
   */
  async start(options: PtyStartOptions, onChunk?: ChunkListener, onStart?: StartListener): Promise<PtyRunResult> {
    const { command, shell, request } = readStart(options, onChunk, here());
    return this.#begin(options, onChunk, onStart, (crossing, id, more) =>
      this.#pty.start(crossing, id, command, shell, { ...request, ...more }),
    );
  }

  /** Runs a program without a shell. Otherwise as `start`. */
  async startArgv(
    options: PtyArgvStartOptions,
    onChunk?: ChunkListener,
    onStart?: StartListener,
  ): Promise<PtyRunResult> {
    const { application, args, request } = readArgvStart(options, onChunk, here());
    return this.#begin(options, onChunk, onStart, (crossing, id, more) =>
      this.#pty.startArgv(crossing, id, application, args, { ...request, ...more }),
    );
  }

  /**
   * Types `data`, as keys would. Never waits. Returns false when more than 64 KiB are waiting for the program: a writer
   * with more should wait until `pendingInputBytes` is small.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_PTY_INPUT_FULL` when more than 16 MiB would be waiting, and then nothing
   *   of `data` was taken
   */
  write(data: string): boolean {
    if (typeof data !== "string") throw invalidOption("data", "is not a string");
    const hasRoom = native(() => this.#pty.write(data));
    this.#typedBytes += Buffer.byteLength(data);
    return hasRoom;
  }

  /** Bytes typed that the program has not been given yet. */
  get pendingInputBytes(): number {
    return native(() => this.#pty.pendingInput());
  }

  /**
   * Changes the terminal's size, clamped to 20 to 400 columns and 5 to 200 rows; programs get SIGWINCH.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_INVALID_OPTION` for a value that is not a number
   */
  resize(cols: number, rows: number): void {
    const size = [toCells("cols", cols), toCells("rows", rows)] as const;
    native(() => this.#pty.resize(...size));
  }

  /**
   * Without a signal, ends the program and everything it started, by SIGHUP, SIGTERM and SIGKILL within three seconds;
   * the result is `cancelled`. With the name of one, sends it to the process group in the foreground, as the terminal's
   * keys do.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_INVALID_OPTION` for an unknown name
   */
  kill(signal?: string): void {
    const number = absent(signal) ? undefined : toSignalNumber(signal);
    native(() => this.#pty.kill(number));
    if (number === undefined && this.#run) bridge().release(this.#run);
  }

  async #begin(
    options: PtyOptions,
    onChunk: ChunkListener | undefined,
    onStart: StartListener | undefined,
    begin: Begin,
  ): Promise<PtyRunResult> {
    checkFunction("onStart", onStart);
    const { onQuiet } = options;
    const isRunning = this.#run !== undefined;
    const quiet = absent(onQuiet)
      ? {}
      : {
          // Something was typed since it was looked at: it says nothing of now.
          onQuiet: (report: QuietTerminal) => (report.typedBytes === this.#typedBytes ? onQuiet(report) : undefined),
        };
    const run = native(() => startRun(bridge(), { ...options, ...quiet }, onChunk, onStart, begin));
    if (!isRunning) this.#typedBytes = 0;
    // A start that is refused because one runs does not become the one that runs.
    this.#run ??= run.operation;
    try {
      const { exitCode, signal, cancelled, timedOut, sandbox, usage } = await resultOf(run.operation, options.signal);
      return {
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
        cancelled,
        timedOut,
        ...(sandbox === undefined ? {} : { sandbox }),
        ...(usage === undefined || options.usage !== true ? {} : { usage }),
      };
    } finally {
      if (this.#run === run.operation) this.#run = undefined;
      await run.announced;
    }
  }
}

/** Begins the run, and the wait for its pid where someone wants that. */
function startRun(
  crossing: Bridge,
  options: PtyOptions,
  onChunk: ChunkListener | undefined,
  onStart: StartListener | undefined,
  begin: Begin,
): { operation: Operation; announced: Promise<void> | undefined } {
  const isCancelled = options.signal?.aborted === true;
  let announced: Promise<void> | undefined;
  let awaitsStart = !absent(onStart);
  const onText = absent(onChunk)
    ? undefined
    : // The pid comes first, though the text may be taken in the same turn of the event loop.
      (text: string) => (awaitsStart ? announced?.then(() => onChunk(null, text)) : onChunk(null, text));
  const { onQuiet } = options;
  const listeners: Listeners = { ...(onText ? { onText } : {}), ...(absent(onQuiet) ? {} : { onQuiet }) };
  const operation = crossing.start(listeners, (other, id) => {
    if (absent(onStart)) {
      begin(other, id, { isCancelled });
      return;
    }
    const start = crossing.start(undefined, (_, startId) => begin(other, id, { startId, isCancelled }));
    announced = announce(start, onStart).then(() => {
      awaitsStart = false;
    });
  });
  return { operation, announced };
}

async function announce(start: Operation, onStart: StartListener): Promise<void> {
  // Its own gate, made here, so that it is called in the caller's context and what it throws stays there.
  const gate = new CallbackGate();
  const { count } = await start.end;
  // Nothing waits for what it returns; a rejection is reported by the gate.
  if (count !== undefined) void gate.call(onStart, null, count);
}

/** The defaults of this machine. The environment is read on this thread, which owns it, and not by the addon's. */
function here(): TerminalDefaults {
  return { baseEnv: process.env, supervisor: binding().supervisor };
}

function toSignalNumber(name: unknown): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  const text = String(name).toUpperCase();
  const number = numbers[text] ?? numbers[`SIG${text}`];
  if (number === undefined)
    throw invalidOption("signal", `is \`${String(name)}\`, which is not a signal of this system`);
  return number;
}
