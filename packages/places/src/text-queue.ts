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

/** Bytes that are given out at once. */
export interface RawPiece {
  readonly bytes: Buffer;
  /** Offset after them. */
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
  /** Text before this offset may come twice: it was not acknowledged when the link was cut. */
  #repeatedUntil = 0;

  /** Offset after the newest text. */
  get received(): number {
    return this.#received;
  }

  /** The link was cut and is back: text that was not acknowledged comes again, and is left out. */
  expectRepeat(): void {
    this.#repeatedUntil = this.#received;
  }

  /**
   * Takes the next text. `lent` bytes are valid until the caller goes on, who takes them out before. Throws `FrameError` where
   * text comes twice or goes past the window.
   */
  push(given: number, whole: Buffer, how: "copied" | "lent" = "copied"): void {
    const known = Math.min(whole.length, Math.max(0, this.#repeatedUntil - given));
    if (known > 0 && this.#received === this.#repeatedUntil && known === whole.length) return;
    const [offset, bytes] = known > 0 ? [given + known, whole.subarray(known)] : [given, whole];
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
    const raw = this.shiftRaw();
    return raw === undefined ? undefined : { text: raw.bytes.toString("utf8"), end: raw.end };
  }

  /** The oldest bytes, which may end within a character where they are a terminal's. */
  shiftRaw(): RawPiece | undefined {
    this.#givenBytes = 0;
    const held = this.#held.shift();
    if (held === undefined) return undefined;
    this.#bytes -= held.length;
    this.#givenBytes = held.length;
    return { bytes: held.buffer.subarray(0, held.length), end: held.end };
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
