/**
 * Text of a run that came and that its callback has not taken: in order, bounded by the window, and bounded in memory also
 * where it comes a byte at a time.
 */
import { FrameError } from "./wire/frames.ts";
import { MAX_TEXT_BYTES, MAX_WINDOW_BYTES } from "./wire/kinds.ts";

/** Text that a run which is being ended may send past its window, in bytes. */
const LAST_TEXT_BYTES = 256 * 1024;

/** Text that is given out at once. */
export interface Piece {
  readonly text: string;
  /** Offset after it. */
  readonly end: number;
}

interface Held {
  buffer: Buffer;
  length: number;
  end: number;
}

export class TextQueue {
  readonly #held: Held[] = [];
  /** Bytes that wait, and those of the piece that was given out last: they count until the next is asked for. */
  #bytes = 0;
  #givenBytes = 0;
  #received = 0;

  /** Offset after the newest text. */
  get received(): number {
    return this.#received;
  }

  /**
   * Takes the next text. `lent` bytes are valid until the caller goes on, who takes them out before. Throws `FrameError` where
   * text comes twice or goes past the window.
   */
  push(offset: number, bytes: Buffer, how: "copied" | "lent" = "copied"): void {
    // It jumps where a run that is being ended leaves out what does not fit; it never goes back.
    if (offset < this.#received) throw new FrameError("a run's text comes twice");
    if (bytes.length > MAX_TEXT_BYTES) throw new FrameError(`a piece of a run's text has ${bytes.length} bytes`);
    this.#received = offset + bytes.length;
    this.#bytes += bytes.length;
    if (this.#bytes + this.#givenBytes > MAX_WINDOW_BYTES + LAST_TEXT_BYTES)
      throw new FrameError("a run's text goes past its window");
    const last = this.#held.at(-1);
    if (last === undefined || last.length + bytes.length > MAX_TEXT_BYTES) {
      const buffer = how === "lent" ? bytes : Buffer.from(bytes);
      this.#held.push({ buffer, length: bytes.length, end: this.#received });
      return;
    }
    // Small pieces become one: an entry for each byte would cost a hundred times what the window allows.
    append(last, bytes);
    last.end = this.#received;
  }

  /** The oldest text; undefined where none waits. */
  shift(): Piece | undefined {
    this.#givenBytes = 0;
    const held = this.#held.shift();
    if (held === undefined) return undefined;
    this.#bytes -= held.length;
    this.#givenBytes = held.length;
    return { text: held.buffer.toString("utf8", 0, held.length), end: held.end };
  }
}

function append(held: Held, bytes: Buffer): void {
  const length = held.length + bytes.length;
  if (length > held.buffer.length) {
    const grown = Buffer.allocUnsafe(Math.min(MAX_TEXT_BYTES, Math.max(length, held.buffer.length * 2)));
    held.buffer.copy(grown, 0, 0, held.length);
    held.buffer = grown;
  }
  held.length += bytes.copy(held.buffer, held.length);
}
