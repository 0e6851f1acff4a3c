/** Operands of a call and the values of its options, by patterns of the options' names. */
import type { Word } from "@pi-bash/command";

/** The words that are not options. */
export function operands(args: readonly Word[]): Word[] {
  const end = args.findIndex(({ value }) => value === "--");
  return args.filter((word, at) => (end !== -1 && at > end) || !(word.value ?? word.leading).startsWith("-"));
}

/** The arguments without the words that are values of these options. */
export function withoutValues(args: readonly Word[], options: RegExp): Word[] {
  return args.filter((_, at) => !options.test(args[at - 1]?.value ?? ""));
}

/** Values of an option: in the next word, in the same one, or behind `=`. */
export function valuesOf(args: readonly Word[], short: RegExp, long: RegExp): Word[] {
  return args.flatMap((word, at) => {
    const isLong = (word.value ?? word.leading).startsWith("--");
    const from = isLong ? longValueAt(word, long) : shortValueAt(word, short);
    if (from === "next") return args.slice(at + 1, at + 2);
    return from === undefined ? [] : [behind(word, from)];
  });
}

/** Where the value of an option stands: so many units into its word, or in the next one. */
type ValuePlace = number | "next" | undefined;

function longValueAt({ value, leading }: Word, option: RegExp): ValuePlace {
  const text = value ?? leading;
  if (!option.test(text)) return undefined;
  const equals = text.indexOf("=");
  return equals === -1 ? "next" : equals + 1;
}

function shortValueAt({ value, leading }: Word, option: RegExp): ValuePlace {
  const text = value ?? leading;
  if (option.test(text)) return "next";
  const letters = /^-([a-zA-Z#]+)/.exec(text)?.[1] ?? "";
  const used = [...letters].findIndex((_, index) => option.test(`-${letters.slice(0, index + 1)}`));
  return used === -1 ? undefined : used + 2;
}

/** The word without its first characters. */
export function behind(word: Word, units: number): Word {
  return {
    ...word,
    value: word.value === null ? null : word.value.slice(units),
    display: word.display.slice(units),
    leading: word.leading.slice(units),
  };
}
