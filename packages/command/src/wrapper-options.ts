/**
 * Reads the options of a wrapper up to the command it runs.
 *
 * A word that cannot be read as one of the listed options makes the whole wrapper unresolved: guessing where the
 * options end is how `nice -n 5 rm` hides the `rm`. The tables are in `wrapper-table.ts`.
 */
import type { Word } from "./word.ts";
import type { WrapperSpec } from "./wrapper-table.ts";

/** Where the options end, or why that cannot be told. */
export type OptionsEnd =
  | { readonly kind: "at"; readonly index: number }
  | { readonly kind: "stops" }
  | { readonly kind: "unknown"; readonly why: string };

/** Reads the wrapper's own options; the index is that of the first word that is none. */
export function readOptions(spec: WrapperSpec, argv: readonly Word[]): OptionsEnd {
  let index = 1;
  for (let word = argv[index]; word !== undefined; word = argv[index]) {
    const end = optionEnd(spec, word, index);
    if (typeof end !== "number") return end;
    index += end;
  }
  return { kind: "at", index };
}

/** How many words an option takes, or why the options end here. */
function optionEnd(spec: WrapperSpec, word: Word, index: number): OptionsEnd | number {
  const value = word.value;
  if (value === null) return isOperand(word) ? { kind: "at", index } : { kind: "unknown", why: "an option expands" };
  if (value === "--") return { kind: "at", index: index + 1 };
  if (!value.startsWith("-") || value === "-") return { kind: "at", index };
  if (spec.stops?.includes(value.split("=", 1)[0] ?? value) === true) return { kind: "stops" };
  const width = value.startsWith("--") ? longWidth(spec, value) : shortWidth(spec, value);
  return width ?? { kind: "unknown", why: `unknown option \`${value}\`` };
}

/** The word `xargs` replaces: `-I R`, `-IR`, `--replace=R`, or `{}` for a bare `--replace`. */
export function replacement(options: readonly Word[]): { placeholder?: string } {
  for (const [index, word] of options.entries()) {
    const match = /^(?:-[0prtx]*I(.*)|--replace(?:=(.*))?)$/.exec(word.value ?? "");
    if (match === null) continue;
    const given = match[1] === "" ? options[index + 1]?.value : (match[1] ?? match[2]);
    return { placeholder: given === undefined || given === null || given === "" ? "{}" : given };
  }
  return {};
}

/** What a shell's options say about the text it runs. */
export interface ShellOptions {
  /** Index of the first word that is no option. */
  readonly index: number;
  /** `-c` was given. */
  readonly readsText: boolean;
  /** Only options that read no start-up file: a login or interactive shell runs those first. */
  readonly plain: boolean;
  readonly problem?: string;
}

/** Reads the options of `bash` and its relatives. */
export function shellOptions(argv: readonly Word[]): ShellOptions {
  let index = 1;
  const options: string[] = [];
  for (let word = argv[index]; word !== undefined && word.value !== "--"; word = argv[index]) {
    // After `-c` an expanding word is the text itself; before it, anything could follow.
    const open = word.value === null && !options.some(isTextOption);
    if (open) return { index, readsText: false, plain: false, problem: "an option expands" };
    if (word.value === null || !/^[-+]./.test(word.value)) break;
    options.push(word.value);
    index += /^(?:[-+][oO]|--rcfile|--init-file)$/.test(word.value) ? 2 : 1;
  }
  return {
    index: argv[index]?.value === "--" ? index + 1 : index,
    readsText: options.some(isTextOption),
    plain: options.every((option) => /^(?:-[ceux]+|--noprofile|--norc)$/.test(option)),
  };
}

function isTextOption(option: string): boolean {
  return /^-[A-Za-z]*c[A-Za-z]*$/.test(option);
}

/** A word that expands, but cannot become an option. */
function isOperand(word: Word): boolean {
  return !word.splits && word.leading !== "" && !word.leading.startsWith("-");
}

function longWidth(spec: WrapperSpec, value: string): number | undefined {
  const equals = value.indexOf("=");
  const name = equals === -1 ? value : value.slice(0, equals);
  if (spec.longValued?.includes(name) === true) return equals === -1 ? 2 : 1;
  return spec.long?.includes(name) === true ? 1 : undefined;
}

function shortWidth(spec: WrapperSpec, value: string): number | undefined {
  if (spec.numericFlag === true && /^--?\d+$/.test(value)) return 1;
  for (let at = 1; at < value.length; at++) {
    const letter = value[at] ?? "";
    if (spec.valued.includes(letter)) return at + 1 < value.length ? 1 : 2;
    if (!spec.flags.includes(letter)) return undefined;
  }
  return 1;
}
