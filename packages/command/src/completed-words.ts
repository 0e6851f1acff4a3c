/**
 * The words of a command as `xargs` and its relatives complete them: placeholders without a value, and words appended.
 */
import { appendedWord, type Filling, filledWord, type Word } from "./word.ts";
import type { WrapperOption } from "./wrapper-options.ts";

/** Placeholders of `xargs` that are distinguished; with more, each word is taken to have one. */
const MAX_PLACEHOLDERS = 4;

/** What `xargs` and its relatives make of the command: placeholders filled in, words appended. */
export function completed(rest: readonly Word[], options: readonly WrapperOption[], name: string): readonly Word[] {
  const filling: Filling = { splits: false, leading: "" };
  const given = name === "xargs" ? [...new Set(options.flatMap(replacedWord))] : ["{"];
  const placeholders = given.length > MAX_PLACEHOLDERS ? [""] : given;
  const words = placeholders.reduce((done, text) => done.map((word) => filledWord(word, text, filling)), rest);
  // The last of `-I`, `-L` and `-n` counts, and which that is differs from one `xargs` to another: both are assumed.
  const batches = options.some((option) => /^(?:-[Ln]|--max-(?:args|lines))$/.test(option.name));
  if (name === "xargs" && placeholders.length > 0 && !batches) return words;
  const end = rest.at(-1)?.span.end ?? 0;
  return [...words, appendedWord({ start: end, end }, { splits: true, leading: "" })];
}

/** The word that `xargs` replaces: `-I R`, `-IR`, `--replace=R`, or `{}` for a bare `--replace`. */
function replacedWord({ name, value }: WrapperOption): string[] {
  if (name !== "-I" && name !== "--replace") return [];
  const text = value === undefined ? "{}" : (value.value ?? value.leading);
  // Of an expanding or empty one nothing is known, so that it is taken to stand in every word.
  return [value?.value === null ? "" : text];
}
