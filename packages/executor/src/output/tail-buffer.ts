/**
 * Keeps the last bytes of a text that grows.
 *
 * For live previews: the whole output is in the artifact, a screen shows its end. Bytes are counted in UTF-8 and the
 * text never begins inside a character. Joining is put off until somebody reads, because a build prints thousands of
 * small chunks between two looks.
 */
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";

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
    this.#text = keepTail(this.#text + this.#pending.join(""), this.#maxBytes);
    this.#textBytes = Buffer.byteLength(this.#text);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** The end of `text`, at most `maxBytes` of UTF-8, beginning at a character. */
export function keepTail(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most 3 bytes, so short texts need no look at their bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

/** The beginning of `text`, at most `maxBytes` of UTF-8, ending at a character. */
export function keepHead(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** Whether a byte is inside a UTF-8 sequence, not at its beginning. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
