/**
 * Cuts a file into numbered lines without holding it: fed with blocks, it hands out one line at a time.
 *
 * A line may be as long as the file. What a reader needs of it is bounded, so the scanner keeps its beginning and
 * counts the rest.
 */

/** One line, without its newline. */
export interface ScannedLine {
  /** From 1. */
  number: number;
  /** Its bytes, or their beginning. Valid during the call only. */
  bytes: Buffer;
  /** Bytes of it that are not in `bytes`. */
  omittedBytes: number;
}

const NEWLINE = 0x0a;

export class LineScanner {
  readonly #maxLineBytes: number;
  #number = 0;
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #omittedBytes = 0;
  #hasBegun = false;

  /** `maxLineBytes`: most bytes of a line that are handed out. */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Lines that have ended so far. */
  get lineCount(): number {
    return this.#number;
  }

  /** Takes the next block. `onLine` returns whether it wants more; so does `feed`. */
  feed(block: Buffer, onLine: (line: ScannedLine) => boolean): boolean {
    let start = 0;
    for (;;) {
      const end = block.indexOf(NEWLINE, start);
      if (end === -1) break;
      if (!onLine(this.#finish(block.subarray(start, end)))) return false;
      start = end + 1;
    }
    if (start < block.length) this.#hold(block.subarray(start));
    return true;
  }

  /** Hands out a last line that has no newline. */
  end(onLine: (line: ScannedLine) => boolean): void {
    if (this.#hasBegun) onLine(this.#finish(Buffer.alloc(0)));
  }

  /** Passes over whole lines without cutting them out, while a reader waits for line `first`. */
  skip(block: Buffer, first: number): Buffer {
    let start = 0;
    while (this.#number + 1 < first) {
      const end = block.indexOf(NEWLINE, start);
      if (end === -1) {
        this.#hasBegun ||= start < block.length;
        return Buffer.alloc(0);
      }
      this.#number += 1;
      this.#hasBegun = false;
      start = end + 1;
    }
    return block.subarray(start);
  }

  #hold(bytes: Buffer): void {
    this.#hasBegun = true;
    const kept = bytes.subarray(0, Math.max(0, this.#maxLineBytes - this.#begunBytes));
    // Copied: the block belongs to the reader, who fills it again.
    if (kept.length > 0) this.#begun.push(Buffer.from(kept));
    this.#begunBytes += kept.length;
    this.#omittedBytes += bytes.length - kept.length;
  }

  #finish(rest: Buffer): ScannedLine {
    this.#number += 1;
    if (this.#begun.length === 0 && this.#omittedBytes === 0 && rest.length <= this.#maxLineBytes) {
      this.#hasBegun = false;
      return { number: this.#number, bytes: rest, omittedBytes: 0 };
    }
    this.#hold(rest);
    const line = { number: this.#number, bytes: Buffer.concat(this.#begun), omittedBytes: this.#omittedBytes };
    this.#begun = [];
    this.#begunBytes = 0;
    this.#omittedBytes = 0;
    this.#hasBegun = false;
    return line;
  }
}
