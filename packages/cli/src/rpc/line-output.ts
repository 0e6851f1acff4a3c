/**
 * Writes JSON lines to a stream that may be slow, and that may go away.
 *
 * `send` resolves when the stream took the line, so that whoever waits for it is held back by a slow reader instead of
 * filling the memory. When the reader is gone, `gone` is aborted, once, and lines are dropped.
 */
import type { Writable } from "node:stream";

export class LineOutput {
  readonly #stream: Writable;
  readonly #gone = new AbortController();
  #drained: Promise<void> | undefined;
  /** Bytes of lines since the stream asked for no more; 0 after `drain`. Bun's own lengths stay 0. */
  #refusedBytes = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", () => this.#gone.abort());
    stream.on("close", () => this.#gone.abort());
    stream.on("drain", () => {
      this.#refusedBytes = 0;
    });
  }

  /** Aborted when no one reads any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Bytes that were written and that no one has read yet, as far as this process can tell. */
  get unreadBytes(): number {
    return this.#gone.signal.aborted ? 0 : Math.max(this.#refusedBytes, this.#stream.writableLength);
  }

  /** Writes one object as a line. Never rejects. */
  async send(message: object): Promise<void> {
    if (this.#gone.signal.aborted) return;
    const line = `${JSON.stringify(message)}\n`;
    if (this.#stream.write(line)) return;
    this.#refusedBytes += Buffer.byteLength(line);
    await this.flush();
  }

  /** Resolves when everything that was written has been taken, no one reads any more, or `until` is aborted. */
  async flush(until?: AbortSignal): Promise<void> {
    if (until?.aborted || this.unreadBytes === 0) return;
    this.#drained ??= this.#drain();
    await (until === undefined ? this.#drained : unlessAborted(this.#drained, until));
  }

  #drain(): Promise<void> {
    return new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off("drain", done);
        this.#gone.signal.removeEventListener("abort", done);
        this.#drained = undefined;
        resolve();
      };
      this.#stream.on("drain", done);
      this.#gone.signal.addEventListener("abort", done);
      // A stream whose buffer never filled up says nothing when it is empty.
      if (this.#refusedBytes === 0) this.#stream.write("", done);
    });
  }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener("abort", done);
      resolve();
    };
    signal.addEventListener("abort", done);
    void work.then(done);
  });
}
