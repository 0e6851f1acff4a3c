/**
 * How many texts for shells are judged for one line, those inside others included. What is not judged is undecided.
 *
 * Each text is parsed and judged as a line is, in time that grows with its length; a text may hold others, and a
 * variable may be used many times, so that only a bound over all of them keeps a line from costing more than a few
 * lines of the longest kind.
 */
import { MAX_COMMAND_BYTES } from "@pi-bash/command/internal";
import type { Refusal } from "../../finding.ts";
import { undecided } from "../call.ts";

/** Texts of one line: a loop over 64 values gives about 80 of them. */
const MAX_TEXTS = 512;
/** UTF-16 units of all texts of one line: four times the longest line. */
const MAX_CHARS = 4 * MAX_COMMAND_BYTES;
/** Texts inside texts: as deep as the analysis follows those that are literal. */
const MAX_DEPTH = 8;

/** What is left for the texts of one line. */
export class TextBudget {
  #texts = 0;
  #chars = 0;
  #depth = 0;
  #exceeded = false;

  /** The texts of these that are judged, and the doubt about others: one for a line. */
  take(texts: readonly string[]): readonly [readonly string[], Refusal | undefined] {
    const judged = texts.filter((text) => this.#takes(text));
    if (judged.length === texts.length || this.#exceeded) return [judged, undefined];
    this.#exceeded = true;
    return [judged, undecided("the line has too many texts for shells")];
  }

  /** Judges inside a text. */
  deeper<T>(judge: (budget: this) => T): T {
    this.#depth++;
    try {
      return judge(this);
    } finally {
      this.#depth--;
    }
  }

  #takes(text: string): boolean {
    if (this.#depth >= MAX_DEPTH) return false;
    this.#texts++;
    this.#chars += text.length;
    return this.#texts <= MAX_TEXTS && this.#chars <= MAX_CHARS;
  }
}
