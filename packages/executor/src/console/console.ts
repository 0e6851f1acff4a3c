/**
 * Runs a command on a pseudoterminal, for a person to answer, and makes a result of what was on its screen.
 *
 * # Theory of operation
 * What a program on a terminal writes is a drawing. It goes three ways: raw to the artifact, raw to the window, and to a
 * terminal without a window, whose scrollback and last screen are the text for the model. Each chunk is taken by all
 * three before the next one is read, so a slow window slows the program down and nothing piles up. The wait is bounded
 * as every other: deadline plus grace, whatever the program or the window does. A window that throws is asked no more.
 */

import { type ArtifactAllocation, DEFAULT_ARTIFACT_MAX_BYTES, DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { DEFAULT_PTY_COLUMNS, DEFAULT_PTY_ROWS, PTY_COLUMNS_RANGE, PTY_ROWS_RANGE } from "@pi-bash/contract/internal";
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { VirtualTerminal } from "@pi-bash/terminal";
import { type CommandResult, countLines, lostResult, neverStarted } from "../command-result.ts";
import type { RunOutput } from "../natives-port.ts";
import { isLost } from "../places/place.ts";
import { watchRun } from "../run-watch.ts";
import type { ConsoleControls, ConsoleView, OpenConsoleView, PtyDevice, PtyEnd } from "./console-port.ts";
import { SafeView, warnAboutWindow } from "./safe-view.ts";

/** Lines kept above the screen. */
const SCROLLBACK_LINES = 10_000;
/** Time a window gets for one chunk until it is passed over, in milliseconds. */
const VIEW_BOUND_MS = 5_000;

/** What a console needs of its host. */
export interface ConsolePorts {
  /** Opens the window. Default: no one looks, and the console answers programs by itself. */
  openView?: OpenConsoleView;
  /** Makes pseudoterminals. Default: `@pi-bash/natives`. */
  createPty?: () => PtyDevice;
  /** Most time past the deadline, or past an abort, until the call is given up. Default 5,000 ms. */
  graceMs?: number;
}

/** One command for the console. */
export interface ConsoleRequest {
  command: string;
  /** Path of the shell. */
  shell: string;
  /** Absolute path. */
  cwd: string;
  /** The whole environment; nothing is inherited beside it. */
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** File for the raw output; absent: nowhere. */
  artifact: ArtifactAllocation | undefined;
  /** Most bytes of that file. Default `DEFAULT_ARTIFACT_MAX_BYTES`. */
  artifactMaxBytes?: number;
  title: string;
  /** Most bytes of text in the result. Default 51,200. */
  maxBytes?: number;
  /** The host's user interface, handed to `openView`. */
  ui: unknown;
  /** Makes the pseudoterminal, e.g. that of a place; `shell`, `cwd` and `env` are of its machine. Default: the console's. */
  createPty?: (() => PtyDevice) | undefined;
}

/** Runs commands on a pseudoterminal. */
export interface Console {
  /** It takes the terminal of a request that brings one, so that it serves places too. */
  readonly takesTerminals: true;
  /**
   * Resolves when the program has ended or was ended. A start that failed is a result too: its output is the line
   * `PTY error: …`, and there is no exit code. Never rejects.
   */
  run(request: ConsoleRequest): Promise<CommandResult>;
}

/**
 * Makes a console. Nothing is loaded before the first command.
 *
 * ```ts
 * import { createConsole, createExecutor } from "@pi-bash/executor";
 * import { createBashTool } from "@pi-bash/tool";
 *
 * const executor = createExecutor();
 * const bash = createBashTool({ cwd: process.cwd(), executor, pty: createConsole() });
 * console.log(bash.name); // A call with `pty: true` runs on a terminal, where the context has a person.
 * await executor.dispose();
 * ```
 */
export function createConsole(ports: ConsolePorts = {}): Console {
  return {
    takesTerminals: true,
    run: async (request) => {
      if (request.signal?.aborted) return { ...neverStarted(), output: "" };
      const startedAt = performance.now();
      try {
        return await new ConsoleRun(request, ports, startedAt).run();
      } catch (error) {
        return failedStart(error, startedAt);
      }
    },
  };
}

class ConsoleRun {
  readonly #request: ConsoleRequest;
  readonly #ports: ConsolePorts;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  #isEnded = false;
  #resizeScreen: (cols: number, rows: number) => void = () => undefined;

  constructor(request: ConsoleRequest, ports: ConsolePorts, startedAt: number) {
    this.#request = request;
    this.#ports = ports;
    this.#startedAt = startedAt;
  }

  async run(): Promise<CommandResult> {
    const request = this.#request;
    const natives = await import("@pi-bash/natives");
    const { VirtualTerminal } = await import("@pi-bash/terminal");
    const pty = this.#request.createPty?.() ?? this.#ports.createPty?.() ?? new natives.PtySession();
    const controls = this.#controls(pty);
    const view = new SafeView(this.#openView(controls), VIEW_BOUND_MS);
    const { cols, rows } = sizeOf(view.size);
    const terminal: VirtualTerminal = new VirtualTerminal({
      cols,
      rows,
      scrollback: SCROLLBACK_LINES,
      ...(view.answersQueries ? {} : { onReply: (reply: string) => void controls.write(reply) }),
    });
    this.#resizeScreen = (width, height) => terminal.resize(width, height);
    const sink = new natives.OutputSink({
      maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
      ...(request.artifact === undefined
        ? {}
        : { spillPath: request.artifact.path, spillMaxBytes: request.artifactMaxBytes ?? DEFAULT_ARTIFACT_MAX_BYTES }),
    });
    try {
      const end = await this.#watch(pty, { cols, rows }, async (chunk) => {
        sink.push(chunk);
        await Promise.all([terminal.write(chunk), view.show(chunk)]);
      });
      this.#isEnded = true;
      view.end(end ?? { cancelled: true, timedOut: false });
      await terminal.settled();
      return this.#result(end, terminal.text(), sink.dump());
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#isEnded = true;
      view.end({ cancelled: true, timedOut: false });
      await terminal.settled();
      return this.#lost(error.message, terminal.text(), sink.dump());
    } finally {
      this.#isEnded = true;
      terminal.dispose();
      sink.close();
    }
  }

  /** A window that cannot be opened costs no one but the person the command. */
  #openView(controls: ConsoleControls): ConsoleView | undefined {
    try {
      return this.#ports.openView?.(controls, this.#request.ui);
    } catch (error) {
      warnAboutWindow(error);
      return undefined;
    }
  }

  #controls(pty: PtyDevice): ConsoleControls {
    const attempt = <T>(work: () => T, otherwise: T): T => {
      if (this.#isEnded) return otherwise;
      try {
        return work();
      } catch {
        // It has ended, or has not begun: what a person types into it is lost, as in any terminal.
        return otherwise;
      }
    };
    return {
      title: this.#request.title,
      command: this.#request.command,
      write: (data) => attempt(() => pty.write(data), false),
      resize: (cols, rows) => {
        const size = sizeOf({ cols, rows });
        attempt(() => {
          pty.resize(size.cols, size.rows);
          this.#resizeScreen(size.cols, size.rows);
        }, undefined);
      },
      // By the signal of the run, so that it also ends a program that is only being started.
      kill: () => this.#stop.abort(),
    };
  }

  /** Waits for the program; undefined: it did not end in time, and is left to the supervisor. */
  async #watch(
    pty: PtyDevice,
    size: { cols: number; rows: number },
    take: (chunk: string) => Promise<void>,
  ): Promise<PtyEnd | undefined> {
    const { command, shell, cwd, env, timeoutMs, signal } = this.#request;
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const run = pty.start({ command, shell, cwd, baseEnv: env, timeoutMs, signal: stop, ...size }, (_, chunk) =>
      this.#isEnded ? undefined : take(chunk),
    );
    const { graceMs } = this.#ports;
    const watched = await watchRun(run, { timeoutMs, signal: stop, ...(graceMs === undefined ? {} : { graceMs }) });
    if (watched.kind === "failed") throw watched.error;
    if (watched.kind === "settled") return watched.value;
    return { cancelled: watched.reason === "cancelled", timedOut: watched.reason === "deadline" };
  }

  /** The result of a program on a place whose end is not known: what its screen showed last, and why. */
  #lost(why: string, screen: string, raw: RunOutput): CommandResult {
    const { output: _, cancelled: __, wallTimeMs, ...seen } = this.#result(undefined, screen, raw);
    const text = screen === "" ? "" : `${screen}\n`;
    const tail = tailBytes(text, this.#request.maxBytes ?? DEFAULT_MAX_BYTES);
    const last = { tail, bytes: seen.totalBytes, lines: seen.totalLines };
    const { sessionReset: ___, ...lost } = lostResult(why, last, wallTimeMs ?? 0);
    return { ...lost, ...seen };
  }

  #result(end: PtyEnd | undefined, screen: string, raw: RunOutput): CommandResult {
    const text = screen === "" ? "" : `${screen}\n`;
    const output = tailBytes(text, this.#request.maxBytes ?? DEFAULT_MAX_BYTES);
    const isStopped = end === undefined || end.cancelled || end.timedOut;
    const { artifact } = this.#request;
    return {
      output,
      ...(isStopped || end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
      ...(isStopped || end.signal === undefined ? {} : { signal: end.signal }),
      cancelled: isStopped,
      ...(end?.timedOut ? { timedOut: true } : {}),
      truncated: output.length < text.length,
      totalLines: countLines(text),
      totalBytes: Buffer.byteLength(text),
      outputLines: countLines(output),
      outputBytes: Buffer.byteLength(output),
      ...(artifact !== undefined && raw.spilled ? { artifactId: artifact.id } : {}),
      ...(raw.spillError === undefined ? {} : { artifactError: raw.spillError }),
      wallTimeMs: performance.now() - this.#startedAt,
    };
  }
}

function sizeOf(wanted: { cols?: number | undefined; rows?: number | undefined }): { cols: number; rows: number } {
  return {
    cols: clamp(wanted.cols ?? DEFAULT_PTY_COLUMNS, PTY_COLUMNS_RANGE),
    rows: clamp(wanted.rows ?? DEFAULT_PTY_ROWS, PTY_ROWS_RANGE),
  };
}

function clamp(cells: number, { min, max }: { min: number; max: number }): number {
  return Number.isFinite(cells) ? Math.min(Math.max(Math.trunc(cells), min), max) : min;
}

function failedStart(error: unknown, startedAt: number): CommandResult {
  const output = `PTY error: ${error instanceof Error ? error.message : String(error)}\n`;
  const outputBytes = Buffer.byteLength(output);
  return {
    output,
    cancelled: false,
    truncated: false,
    totalLines: 1,
    totalBytes: outputBytes,
    outputLines: 1,
    outputBytes,
    wallTimeMs: performance.now() - startedAt,
  };
}
