/** What `tar` writes, by its arguments. */
import type { Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { valuesOf } from "./option-values.ts";

/** Unpacking writes into a folder, packing writes the archive, listing and comparing write nothing. */
export function tarTargets(args: readonly Word[]): Word[] {
  const letters = args.map(tarLetters).join("");
  const has = (letter: RegExp, name: RegExp): boolean =>
    letter.test(letters) || args.some(({ value }) => name.test(value ?? ""));
  if (has(/x/, /^--(?:extract|get)$/)) {
    return [...bundledValues(args, "C"), ...valuesOf(args, /^-[a-zA-Z]*C$/, /^--(?:directory|one-top-level)/)];
  }
  if (has(/[td]/, /^--(?:list|diff|compare)$/) && !has(/[cruA]/, /^--(?:cr|ap|up|cat|conc|del)/)) {
    // Its list may go to a file.
    return valuesOf(args, /^--index-file$/, /^--index-file/);
  }
  return [...bundledValues(args, "f"), ...valuesOf(args, /^-[a-zA-Z]*f$/, /^--file/)];
}

/** `tar xfC a /etc`: in the letters without a dash each that takes a value takes the next word behind them. */
function bundledValues(args: readonly Word[], letter: string): Word[] {
  const letters = firstValue(args);
  if (!/^[a-zA-Z]+$/.test(letters)) return [];
  const valued = [...letters].filter((each) => /[bfgCFHIKLNTVX]/.test(each));
  return valued.flatMap((each, at) => (each === letter ? args.slice(at + 1, at + 2) : []));
}

/** The letters of a bundle of options up to one that takes a value: `-cf/etc/x.tar` unpacks nothing. */
function tarLetters({ value, leading }: Word, at: number): string {
  const text = value ?? leading;
  if (text.startsWith("-")) return /^-([a-zA-Z]*?[bfgCFHIKLNTVX]|[a-zA-Z]*)/.exec(text)?.[1] ?? "";
  return at === 0 ? text : "";
}
