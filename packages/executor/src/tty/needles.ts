/**
 * What a person typed where it was not shown, replaced wherever it comes back: in the screen, in lines and in the artifact.
 *
 * A program may write a secret out after all, or echo was on for a moment. Only texts of 4 characters and more are replaced:
 * shorter ones stand in ordinary words. They are held until the task ends and are written nowhere.
 */

/** What stands in its place. */
const MARK = "[secret]";

/** Shortest secret that is replaced, in characters. */
const MIN_CHARS = 4;

/** Longest one, in UTF-16 units: terminals take no longer line. */
const MAX_UNITS = 4_096;

/** Most that are held of one task; the oldest goes first. */
const MAX_NEEDLES = 64;

export class Needles {
  #needles: string[] = [];
  #inText: RegExp | undefined;
  #inStream: RegExp | undefined;
  /** End of the stream that may be the begin of a secret. */
  #held = "";

  /** Replaces a text from now on. */
  add(secret: string): void {
    if ([...secret].length < MIN_CHARS || secret.length > MAX_UNITS || this.#needles.includes(secret)) return;
    this.#needles = [...this.#needles, secret].slice(-MAX_NEEDLES);
    // The longest first: one may begin like another.
    const sorted = [...this.#needles].sort((left, right) => right.length - left.length);
    this.#inStream = new RegExp(sorted.map(escaped).join("|"), "gu");
    // On a screen it may be wrapped anywhere.
    this.#inText = new RegExp(sorted.map((needle) => [...needle].map(escaped).join("\\n?")).join("|"), "gu");
  }

  /** A text without them. */
  text(text: string): string {
    return this.#inText === undefined ? text : text.replaceAll(this.#inText, MARK);
  }

  /** The same for a stream: what may be the begin of one is held back until more comes. */
  push(chunk: string): string {
    if (this.#inStream === undefined) return chunk;
    const text = `${this.#held}${chunk}`.replaceAll(this.#inStream, MARK);
    const length = this.#beginLength(text);
    this.#held = text.slice(text.length - length);
    return text.slice(0, text.length - length);
  }

  /** What was held back, at the end of the stream. */
  finish(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** Forgets all. */
  clear(): void {
    this.#needles = [];
    this.#inText = undefined;
    this.#inStream = undefined;
  }

  /** Units at the end of a text that are the begin of a needle. */
  #beginLength(text: string): number {
    let longest = 0;
    for (const needle of this.#needles) {
      for (let length = Math.min(needle.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(needle.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
