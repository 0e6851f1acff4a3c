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

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", () => this.#gone.abort());
    stream.on("close", () => this.#gone.abort());
  }

  /** Aborted when nobody reads any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Writes one object as a line. Never rejects. */
  async send(message: object): Promise<void> {
    if (this.#gone.signal.aborted) return;
    const isTaken = this.#stream.write(`${JSON.stringify(message)}\n`);
    if (!isTaken) await this.flush();
  }

  /** Resolves when everything that was written has been taken, or nobody reads any more. */
  async flush(): Promise<void> {
    if (this.#gone.signal.aborted || this.#stream.writableLength === 0) return;
    this.#drained ??= new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off("drain", done);
        this.#gone.signal.removeEventListener("abort", done);
        this.#drained = undefined;
        resolve();
      };
      this.#stream.on("drain", done);
      this.#gone.signal.addEventListener("abort", done);
      // A stream whose buffer never filled up says nothing when it is empty.
      if (!this.#stream.writableNeedDrain) this.#stream.write("", done);
    });
    await this.#drained;
  }
}
