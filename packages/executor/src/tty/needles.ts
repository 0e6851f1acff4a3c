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
  #pattern: RegExp | undefined;
  /** End of the stream that may be the begin of a secret. */
  #held = "";

  /** Replaces a text from now on. */
  add(secret: string): void {
    if ([...secret].length < MIN_CHARS || secret.length > MAX_UNITS || this.#needles.includes(secret)) return;
    this.#needles = [...this.#needles, secret].slice(-MAX_NEEDLES);
    // The longest first: one may begin like another.
    const sorted = [...this.#needles].sort((left, right) => right.length - left.length);
    this.#pattern = new RegExp(sorted.map(escaped).join("|"), "gu");
  }

  /** A text without them. */
  text(text: string): string {
    const pattern = this.#pattern;
    if (pattern === undefined) return text;
    // On a screen one may be wrapped anywhere, but it has no empty row in it.
    return text
      .split(/(\n\n+)/)
      .map((rows) => replaceWrapped(rows, pattern))
      .join("");
  }

  /** The same for a stream: what may be the begin of one is held back until more comes. */
  push(chunk: string): string {
    if (this.#pattern === undefined) return chunk;
    const text = `${this.#held}${chunk}`.replaceAll(this.#pattern, MARK);
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

/**
 * Replaces what `pattern` finds where the ends of rows are left out. The pattern itself cannot have them: one of a long
 * line with an end after each character is more than an engine compiles.
 */
function replaceWrapped(rows: string, pattern: RegExp): string {
  const places = [...rows.matchAll(/[^\n]/g)].map(({ index }) => index);
  let replaced = "";
  let from = 0;
  for (const { index, 0: found } of rows.replaceAll("\n", "").matchAll(pattern)) {
    replaced += rows.slice(from, places[index]) + MARK;
    from = (places[index + found.length - 1] ?? rows.length) + 1;
  }
  return replaced + rows.slice(from);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
