/**
 * Reads the options of a wrapper up to the command it runs.
 *
 * A word that cannot be read as one of the listed options makes the whole wrapper unresolved: guessing where the
 * options end is how `nice -n 5 rm` hides the `rm`. Options are read in their order, as the program reads them, so that
 * `-E -I` is a value and no option. The tables are in `wrapper-table.ts`.
 */
import { literalWord, type Word } from "./word.ts";
import type { WrapperSpec } from "./wrapper-table.ts";

/** An option as given; `value` is a word of its own, or what is attached to the option. */
export interface WrapperOption {
  /** `-I` or `--replace`. */
  readonly name: string;
  readonly value?: Word;
}

/** Where the options end, or why that cannot be determined. */
export type OptionsEnd =
  | { readonly kind: "at"; readonly index: number; readonly options: readonly WrapperOption[] }
  | { readonly kind: "stops" }
  | { readonly kind: "unknown"; readonly why: string };

type Read = { readonly options: readonly WrapperOption[]; readonly width: number };

/** Reads the wrapper's own options; the index is that of the first word that is none. */
export function readOptions(spec: WrapperSpec, argv: readonly Word[]): OptionsEnd {
  const options: WrapperOption[] = [];
  let index = 1;
  for (let word = argv[index]; word !== undefined; word = argv[index]) {
    const read = readWord(spec, word, argv[index + 1]);
    if (read === "operand") break;
    if (read === "end") return { kind: "at", index: index + 1, options };
    if ("kind" in read) return read;
    options.push(...read.options);
    index += read.width;
  }
  return { kind: "at", index, options };
}

/** One word of the wrapper's: an option, the end of options, or no option any more. */
function readWord(spec: WrapperSpec, word: Word, next: Word | undefined): Read | OptionsEnd | "operand" | "end" {
  const { value } = word;
  if (value === null) return isOperand(word) ? "operand" : { kind: "unknown", why: "an option expands" };
  if (value === "--") return "end";
  if (value === "-" && spec.dash === true) return { options: [{ name: "-" }], width: 1 };
  if (!value.startsWith("-") || value === "-") return "operand";
  if (spec.stops?.includes(value.split("=", 1)[0] ?? value) === true) return { kind: "stops" };
  const read = value.startsWith("--") ? readLong(spec, value, word, next) : readShort(spec, value, word, next);
  return read ?? { kind: "unknown", why: `unknown option \`${value}\`` };
}

/** A word that expands, but cannot become an option. */
function isOperand(word: Word): boolean {
  return !word.splits && word.leading !== "" && !word.leading.startsWith("-");
}

function readLong(spec: WrapperSpec, text: string, word: Word, next: Word | undefined): Read | undefined {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const attached = equals === -1 ? undefined : literalWord(text.slice(equals + 1), word.span);
  if (spec.longValued?.includes(name) === true) return withValue([], name, attached, next);
  if (spec.long?.includes(name) !== true) return undefined;
  return { options: [{ name, ...(attached === undefined ? {} : { value: attached }) }], width: 1 };
}

function readShort(spec: WrapperSpec, text: string, word: Word, next: Word | undefined): Read | undefined {
  if (spec.numericFlag === true && /^--?\d+$/.test(text)) return { options: [{ name: text }], width: 1 };
  const options: WrapperOption[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (spec.valued.includes(letter)) {
      const attached = at + 1 < text.length ? literalWord(text.slice(at + 1), word.span) : undefined;
      return withValue(options, `-${letter}`, attached, next);
    }
    if (!spec.flags.includes(letter)) return undefined;
    options.push({ name: `-${letter}` });
  }
  return { options, width: 1 };
}

/** A value that splits may be several words, and then no one knows where the command begins. */
function withValue(
  before: readonly WrapperOption[],
  name: string,
  attached: Word | undefined,
  next: Word | undefined,
): Read | undefined {
  if (attached !== undefined) return { options: [...before, { name, value: attached }], width: 1 };
  if (next === undefined || mayBeSeveral(next)) return undefined;
  return { options: [...before, { name, value: next }], width: 2 };
}

/** True for a word that may become several words, or none. */
function mayBeSeveral(word: Word): boolean {
  return word.splits || word.expansions.glob || word.expansions.brace;
}
