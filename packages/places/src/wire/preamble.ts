/**
 * What a place writes before its frames: words of login shells and banners, then lines of the bootstrap.
 *
 * The bootstrap's lines are known by a nonce, so that nothing that a banner prints is taken for one. What is not a line of
 * its own is kept, up to 64 KiB, for the text of an error.
 */

/** Most bytes before a line of the bootstrap. */
export const MAX_BANNER_BYTES = 64 * 1024;
/** Longest line of the bootstrap, in bytes. */
const MAX_LINE_BYTES = 8 * 1024;

/** A line of the bootstrap, and the bytes that came after it. */
export interface PreambleLine {
  /** The words after the nonce, e.g. `ready` or `need`. */
  readonly words: readonly string[];
  /** What follows the line. */
  readonly rest: Buffer;
}

/** The place writes too much before the bootstrap's line. */
export class PreambleError extends Error {
  override readonly name = "PreambleError";
}

/** Looks for the bootstrap's next line in a stream. */
export class PreambleReader {
  readonly #mark: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #banner = "";

  /** `nonce`: the word that the bootstrap was given, without blanks. */
  constructor(nonce: string) {
    this.#mark = Buffer.from(`\nPI-HOST ${nonce} `, "utf8");
  }

  /** What came before the bootstrap's lines, as text. */
  get banner(): string {
    return this.#banner + this.#held.toString("utf8");
  }

  /** Takes the next bytes; the line, where they complete one. Throws `PreambleError`. */
  feed(bytes: Buffer): PreambleLine | undefined {
    this.#held = Buffer.concat([this.#held, bytes]);
    const start = this.#held.indexOf(this.#mark);
    const before = start === -1 ? this.#held.length - this.#mark.length : start;
    if (before > MAX_BANNER_BYTES) {
      this.#held = this.#held.subarray(0, MAX_BANNER_BYTES);
      throw new PreambleError(`it wrote more than ${MAX_BANNER_BYTES / 1024} KiB and did not start`);
    }
    if (start === -1) return undefined;
    const begin = start + this.#mark.length;
    const end = this.#held.indexOf("\n", begin);
    if (end === -1) {
      if (this.#held.length - begin > MAX_LINE_BYTES) throw new PreambleError("its bootstrap wrote an endless line");
      return undefined;
    }
    const words = this.#held.toString("utf8", begin, end).trim().split(/\s+/);
    const rest = Buffer.from(this.#held.subarray(end + 1));
    this.#banner += this.#held.toString("utf8", 0, start);
    this.#held = Buffer.alloc(0);
    return { words, rest };
  }
}
