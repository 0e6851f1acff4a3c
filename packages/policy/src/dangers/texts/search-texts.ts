/**
 * Texts that `find` completes with the names that it finds: `find /dev -exec sh -c 'cat x > {}'`. They are read with a
 * name below each place that the search starts in, of which nothing more is known.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, SHELLS } from "@pi-bash/command/internal";
import { startsOf } from "../searches/find-expression.ts";
import { type Field, knownText } from "../values/fields.ts";

/** A variable that no line sets. */
const ANY_FOUND = "$FOUND_BY_FIND";
/** A start that can stand in any text. */
const PLAIN = /^[\w./@%+=:,-]+$/;
const MAX_STARTS = 8;

/** The texts of a command that a search runs; `beside` are the commands that came of the same line, the search too. */
export function searchTexts(
  { argv, unresolved, via }: EffectiveCommand,
  beside: readonly EffectiveCommand[],
  expand: (word: Word) => readonly Field[],
): readonly string[] {
  const isText = unresolved !== undefined && SHELLS.has(firstValue(argv));
  if (!isText || !via.some((each) => each.startsWith("find -"))) return [];
  const starts = beside
    .flatMap(startsOf)
    .flatMap(expand)
    .map((field) => knownText(field) ?? "");
  const names = starts.filter((start) => PLAIN.test(start)).slice(0, MAX_STARTS);
  return names.map((start) => argv.map(({ text }) => text.replaceAll("{}", `${start}/${ANY_FOUND}`)).join(" "));
}
