/**
 * A pseudoterminal on a place, with the methods of the native `PtySession`: the same options, callbacks, results and errors.
 *
 * What the program is, and the variables it begins with where none are given, are the place's. `signal` names are Linux's.
 */
import { type PtyArgvStartOptions, type PtyRunResult, type PtyStartOptions, ShellError } from "@pi-bash/natives";
import {
  checkFunction,
  invalidOption,
  readArgvStart,
  readStart,
  type TerminalRequest,
  toCells,
} from "@pi-bash/natives/internal";
import { linuxSignal } from "./linux-signals.ts";
import type { ChunkListener, RemoteHost } from "./remote-call.ts";
import { RemoteTerminal } from "./remote-terminal.ts";

/** Takes the program's pid over there once, before any output. `error` is always `null`. */
export type StartListener = (error: Error | null, pid: number) => unknown;

/** What the place adds by itself. */
const NO_DEFAULTS = { baseEnv: {} };

/** One terminal with at most one program at a time; when that has ended, another can be started. */
export class RemotePtySession {
  readonly #host: RemoteHost;
  #terminal: RemoteTerminal | undefined;

  constructor(host: RemoteHost) {
    this.#host = host;
  }

  /**
   * Runs a command line. `write`, `resize` and `kill` work from the moment that this returns, also while the place is being
   * connected. Every byte that the program wrote has been given to `onChunk` when the promise resolves.
   *
   * Rejects with `ShellError` or `PlaceError` where nothing ran, and with the code `PI_PLACE_LOST` where the program's end is
   * not known or the place itself ended it.
   */
  async start(options: PtyStartOptions, onChunk?: ChunkListener, onStart?: StartListener): Promise<PtyRunResult> {
    const { command, shell, request } = readStart(options, onChunk, NO_DEFAULTS);
    return this.#run({ command, ...(shell === undefined ? {} : { shell }) }, request, options, onChunk, onStart);
  }

  /** Runs a program without a shell. Otherwise as `start`. */
  async startArgv(
    options: PtyArgvStartOptions,
    onChunk?: ChunkListener,
    onStart?: StartListener,
  ): Promise<PtyRunResult> {
    const { application, args, request } = readArgvStart(options, onChunk, NO_DEFAULTS);
    return this.#run({ application, args }, request, options, onChunk, onStart);
  }

  /**
   * Types `data`, as keys would. Never waits. Returns false when more than 64 KiB may be waiting for the program: a writer
   * with more should wait until `pendingInputBytes` is small.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_PTY_INPUT_FULL` when more than 16 MiB would be waiting, and then nothing
   *   of `data` was taken
   */
  write(data: string): boolean {
    if (typeof data !== "string") throw invalidOption("data", "is not a string");
    return this.#running().input.write(Buffer.from(data, "utf8"));
  }

  /** Most bytes typed that the program may not have been given yet. A look asks the place, so that the next one knows better. */
  get pendingInputBytes(): number {
    return this.#terminal?.input.pendingBytes ?? 0;
  }

  /**
   * Changes the terminal's size, clamped to 20 to 400 columns and 5 to 200 rows; programs get SIGWINCH.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_INVALID_OPTION` for what is not a number
   */
  resize(cols: number, rows: number): void {
    const size = { columns: toCells("cols", cols), rows: toCells("rows", rows) };
    this.#running().ask("resize", size);
  }

  /**
   * Without a signal, ends the program and everything it started; the result is `cancelled`. With the name of one, sends it
   * to the process group in the foreground, as the terminal's keys do.
   *
   * @throws ShellError `PI_PTY_NOT_RUNNING`; `PI_INVALID_OPTION` for an unknown name
   */
  kill(signal?: string): void {
    const number = signal === undefined || signal === null ? undefined : linuxSignal(signal);
    const terminal = this.#running();
    if (number === undefined) terminal.cancel();
    else terminal.ask("signal", { signal: number });
  }

  #running(): RemoteTerminal {
    if (this.#terminal !== undefined) return this.#terminal;
    throw new ShellError("PI_PTY_NOT_RUNNING", "no program runs on this terminal");
  }

  async #run(
    program: object,
    request: TerminalRequest,
    options: Pick<PtyStartOptions, "baseEnv" | "signal" | "onQuiet" | "usage">,
    onChunk: ChunkListener | undefined,
    onStart: StartListener | undefined,
  ): Promise<PtyRunResult> {
    checkFunction("onStart", onStart);
    if (this.#terminal !== undefined) {
      throw new ShellError("PI_PTY_ALREADY_RUNNING", "a program runs on this terminal already; wait for its end");
    }
    const { supervisor: _, wantsChunks: __, baseEnv, ...asked } = request;
    const isEnvGiven = options.baseEnv !== undefined && options.baseEnv !== null;
    const terminal = new RemoteTerminal({
      host: this.#host,
      program,
      request: { ...asked, ...(isEnvGiven && baseEnv !== undefined ? { baseEnv } : {}) },
      onText: typeof onChunk === "function" ? (text) => onChunk(null, text) : undefined,
      onStart: typeof onStart === "function" ? (pid) => onStart(null, pid) : undefined,
      onQuiet: options.onQuiet,
      wantsUsage: options.usage === true,
      signal: options.signal,
    });
    this.#terminal = terminal;
    try {
      return await terminal.run();
    } finally {
      if (this.#terminal === terminal) this.#terminal = undefined;
    }
  }
}
