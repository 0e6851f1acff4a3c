/**
 * The native sink for output that no run of ours wrote: a client's terminal, a file, another process.
 */
import * as timers from "node:timers";
import { binding } from "./binding.ts";
import { CallbackGate } from "./callback-gate.ts";
import { absent, checkKnown, checkText, readOnce } from "./check-option.ts";
import type { Sink, Update } from "./generated/binding.d.ts";
import { type OutputSummary, toOutputSummary } from "./run-result.ts";
import { nativeMask, type SecretMask } from "./secret-mask.ts";
import { fromNative, invalidOption } from "./shell-error.ts";
import { readSink, SINK_NAMES, type SinkOptions, type SinkUpdateListener, toSinkRequest } from "./sink-options.ts";

// Taken before anyone can patch them, as in `bridge.ts`.
const { setTimeout, clearTimeout } = timers;

/** Options of a sink for output that no run of ours wrote. */
export interface OutputSinkOptions extends SinkOptions {
  /** What is masked in its text and updates. Default: nothing. */
  readonly mask?: SecretMask;
}

/**
 * Keeps the ends of a stream in memory and, past `maxBytes`, the whole of it in a file.
 *
 * `onUpdate` is called from within `push` or from a timer; a promise that it returns is not awaited, and what it throws is
 * reported as by `Shell.run`. What is pushed after `dump` counts as late output.
 *
 * ```ts
 * import { OutputSink } from "@pi-bash/natives";
 *
 * const sink = new OutputSink({ maxBytes: 1_000, spillPath: "/tmp/whole.log" });
 * for (let line = 1; line <= 1_000; line++) sink.push(`line ${line}\n`);
 * const { text, totalLines, truncated } = await sink.dump();
 * console.log(text.length <= 1_000, totalLines, truncated); // true 1000 true
 * ```
 */
export class OutputSink {
  readonly #sink: Sink;
  readonly #onUpdate: SinkUpdateListener | undefined;
  readonly #gate = new CallbackGate();
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;

  /**
   * @throws ShellError when an option is wrong
   * @throws NativeLoadError when there is no addon for this platform
   */
  constructor(given: OutputSinkOptions = {}) {
    const { mask, ...rest } = readOnce("options", given, ["mask", ...SINK_NAMES]);
    checkKnown("options", given, ["mask", ...SINK_NAMES]);
    const options = readSink("options", rest);
    const secrets = absent(mask) ? undefined : nativeMask("mask", mask);
    const request = toSinkRequest(options, "");
    const { addon } = binding();
    try {
      this.#sink = new addon.Sink(request, secrets);
    } catch (error) {
      throw fromNative(error);
    }
    this.#onUpdate = options.onUpdate;
  }

  /** Takes the next text or raw bytes. A character may be split between two pushes of bytes. */
  push(chunk: string | Uint8Array): void {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
      throw invalidOption("chunk", "is neither a string nor bytes");
    }
    this.#sink.push(chunk);
    this.#tell();
  }

  /** Shows `text` instead of all that was pushed; totals and the file stay those of the stream. */
  replace(text: string): void {
    this.#sink.replace(checkText("text", text, { nul: true }));
    this.#tell();
  }

  /**
   * Ends the stream; the file, if there is one, is complete then. Called again, it returns the same summary. `notice`
   * stands before the text as a line of its own, in brackets.
   */
  dump(notice?: string): OutputSummary {
    const line = absent(notice) ? undefined : checkText("notice", notice);
    this.#stopTelling();
    return toOutputSummary(this.#sink.finish(line));
  }

  /** Ends the stream where no one wants its summary. Fine any number of times. */
  close(): void {
    this.#stopTelling();
    this.#sink.finish();
  }

  /** The same as `close`, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  #stopTelling(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    if (this.#onUpdate === undefined || this.#isDone) return;
    const update = this.#sink.update() ?? undefined;
    if (update !== undefined) this.#call(this.#onUpdate, update);
    else if (this.#timer === undefined) this.#tellLater();
  }

  #tellLater(): void {
    const dueMs = this.#sink.pendingUpdateMs() ?? undefined;
    if (dueMs === undefined) return;
    // An unread tail is no reason to keep a process alive.
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, Math.ceil(dueMs)).unref();
  }

  #call(onUpdate: SinkUpdateListener, update: Update): void {
    void this.#gate.call(onUpdate, update.tail, { bytes: update.totalBytes, lines: update.totalLines });
  }
}
