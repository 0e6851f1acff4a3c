/**
 * Variables that bash writes in another case: after `declare -l x`, each value that `x` is given is in small letters.
 *
 * Source: bash(1), "declare". Whether the attribute is there when the value is given is not looked at.
 */
import type { CommandAnalysis } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { DECLARES } from "../../builtins.ts";
import type { Field } from "./fields.ts";

const OPTION = /^-[A-Za-z]*([luc])/;

/** What bash makes of a text, by the option's letter. */
const FOLDS: Readonly<Record<string, (text: string) => string>> = {
  l: (text) => text.toLowerCase(),
  u: (text) => text.toUpperCase(),
  c: (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
};

/** The variables of a line with such an attribute. */
export function letterCases(analysis: CommandAnalysis): ReadonlyMap<string, string> {
  const cases = new Map<string, string>();
  for (const { argv } of [...analysis.effective, ...analysis.perhaps]) {
    if (!DECLARES.has(firstValue(argv))) continue;
    const letter = argv.slice(1).flatMap(({ value }) => OPTION.exec(value ?? "")?.[1] ?? [])[0];
    if (letter === undefined) continue;
    for (const { text } of argv.slice(1)) {
      const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
      if (name !== undefined) cases.set(name, letter);
    }
  }
  return cases;
}

/** A value, and what it is in the case of its variable. */
export function withLetterCase(fields: readonly Field[], letter: string | undefined): readonly Field[] {
  const fold = FOLDS[letter ?? ""];
  if (fold === undefined) return fields;
  const folded = fields.map(
    (field): Field => field.map((part) => (part.kind === "text" ? { kind: "text", text: fold(part.text) } : part)),
  );
  return [...fields, ...folded];
}
