/**
 * The line that stands in a shell's editor, assembled from what was typed: over several sends, up to the Enter that runs it.
 *
 * What cannot be followed (a recalled line, a completion, an edit in the middle) makes the line unknown until it is run or
 * given up, and says by which key.
 */
import type { Key } from "./tty-keys.ts";

/** What is typed, in its order. */
export type Typed = { readonly text: string; readonly isPasted: boolean } | { readonly key: Key };

/** Lines that Enter runs. */
export interface Submitted {
  /** The lines, in their order, as one script. */
  readonly script: string;
  /** Why the script is not all that runs: the key that changed a line. Absent: it is. */
  readonly unknownBy?: string;
}

/** Longest line that is followed, in UTF-16 units. */
const MAX_UNITS = 128 * 1024;

/** Keys that end the line without running it. */
const GIVEN_UP = new Set(["Ctrl-C", "Ctrl-U", "Ctrl-G", "Ctrl-Z", "Ctrl-\\"]);
/** Keys that run it. */
const ENTERS = new Set(["Enter", "Ctrl-J", "Ctrl-M"]);
/** Keys that change nothing of it: an end of input, a screen drawn again, the key before another one. */
const HARMLESS = new Set(["Ctrl-D", "Ctrl-L", "Escape", "Ctrl-S", "Ctrl-Q"]);
const ERASES = new Set(["Backspace", "Ctrl-H", "Ctrl-?"]);

export class TypedLine {
  #line = "";
  #unknownBy: string | undefined;

  /** What would run, without anything being changed. Undefined: nothing would. */
  look(typed: readonly Typed[]): Submitted | undefined {
    const copy = new TypedLine();
    copy.#line = this.#line;
    copy.#unknownBy = this.#unknownBy;
    return copy.take(typed);
  }

  /** Takes what was typed. */
  take(typed: readonly Typed[]): Submitted | undefined {
    const lines: string[] = [];
    let unknownBy: string | undefined;
    for (const each of typed) {
      const parts = "key" in each ? this.#key(each.key) : this.#text(each);
      for (const line of parts) lines.push(line.text);
      unknownBy ??= parts.find((line) => line.unknownBy !== undefined)?.unknownBy;
    }
    if (lines.length === 0) return undefined;
    return { script: lines.join("\n"), ...(unknownBy === undefined ? {} : { unknownBy }) };
  }

  #text({ text, isPasted }: { text: string; isPasted: boolean }): Line[] {
    // A paste stands in the editor, line ends and all, until Enter.
    const pieces = isPasted ? [text] : text.split(/\r\n|\r|\n/u);
    const lines: Line[] = [];
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) lines.push(this.#enter());
      if (!isPasted && piece.includes("\t")) this.#unknownBy ??= "Tab";
      this.#line += piece;
      if (this.#line.length > MAX_UNITS) this.#unknownBy ??= "a line of this length";
    }
    return lines;
  }

  #key({ name }: Key): Line[] {
    if (ENTERS.has(name)) return [this.#enter()];
    if (GIVEN_UP.has(name)) this.#clear();
    else if (ERASES.has(name)) this.#line = [...this.#line].slice(0, -1).join("");
    else if (name === "Space") this.#line += " ";
    else if (!HARMLESS.has(name)) this.#unknownBy ??= name;
    return [];
  }

  #enter(): Line {
    const line = { text: this.#line, unknownBy: this.#unknownBy };
    this.#clear();
    return line;
  }

  #clear(): void {
    this.#line = "";
    this.#unknownBy = undefined;
  }
}

interface Line {
  readonly text: string;
  readonly unknownBy: string | undefined;
}
