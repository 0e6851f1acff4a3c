/**
 * Keeps the last bytes of a text that grows.
 *
 * For live previews: the whole output is in the artifact, a screen shows its end. Bytes are counted in UTF-8 and the
 * text never begins inside a character. Joining is put off until someone reads, because a build prints thousands of
 * small chunks between two looks.
 */

import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { tailBytes } from "@pi-bash/contract/internal/text";

/** Chunks that may wait before they are joined: bounds the array, not the text. */
const MAX_PENDING_CHUNKS = 64;

/** The newest end of a text, within a number of bytes. */
export class TailBuffer {
  readonly #maxBytes: number;
  #text = "";
  #textBytes = 0;
  #pending: string[] = [];
  #pendingBytes = 0;
  #totalBytes = 0;

  /** `maxBytes`: most bytes kept, at least 1. Default 51,200. */
  constructor(maxBytes: number = DEFAULT_MAX_BYTES) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
      throw new RangeError(`\`maxBytes\` is ${String(maxBytes)}; use a whole number from 1`);
    }
    this.#maxBytes = maxBytes;
  }

  /** Adds text at the end. A chunk larger than the whole budget replaces what was there. */
  append(chunk: string): void {
    if (chunk === "") return;
    const bytes = Buffer.byteLength(chunk);
    this.#totalBytes += bytes;
    this.#pending.push(chunk);
    this.#pendingBytes += bytes;
    const isFull = this.#textBytes + this.#pendingBytes > 2 * this.#maxBytes;
    if (isFull || this.#pending.length > MAX_PENDING_CHUNKS) this.#join();
  }

  /** The tail, at most `maxBytes` long. */
  text(): string {
    this.#join();
    return this.#text;
  }

  /** Bytes of `text()`. */
  bytes(): number {
    this.#join();
    return this.#textBytes;
  }

  /** Bytes appended so far, the dropped ones too. */
  totalBytes(): number {
    return this.#totalBytes;
  }

  /** Whether something was dropped. */
  isTruncated(): boolean {
    return this.#totalBytes > this.bytes();
  }

  #join(): void {
    if (this.#pending.length === 0) return;
    this.#text = tailBytes(this.#text + this.#pending.join(""), this.#maxBytes);
    this.#textBytes = Buffer.byteLength(this.#text);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
