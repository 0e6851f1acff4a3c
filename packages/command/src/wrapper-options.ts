/**
 * Reads the options of a wrapper up to the command it runs.
 *
 * A word that cannot be read as one of the listed options makes the whole wrapper unresolved: guessing where the
 * options end is how `nice -n 5 rm` hides the `rm`. Options are read in their order, as the program reads them, so that
 * `-E -I` is a value and no option. Long names may be abbreviated as far as they stay unambiguous. The tables are in
 * `wrapper-table.ts`. Source: getopt_long(3).
 */
import { attachedWord, type Word } from "./word.ts";
import type { WrapperSpec } from "./wrapper-spec.ts";

/** An option as given; `value` is a word of its own, or what is attached to the option. */
export interface WrapperOption {
  /** `-I` or `--replace`, in full. */
  readonly name: string;
  readonly value?: Word;
  /** True for `--repl`: such a call is looked through, and never a proof. */
  readonly abbreviated?: boolean;
}

/** An option, and where the next word of the wrapper stands. */
export interface PlacedOption extends WrapperOption {
  readonly end: number;
}

/** Where the options end, or why that cannot be determined. */
export type OptionsEnd =
  | { readonly kind: "at"; readonly index: number; readonly options: readonly PlacedOption[] }
  | { readonly kind: "stops" }
  | { readonly kind: "unknown"; readonly why: string };

type Read = { readonly options: readonly WrapperOption[]; readonly width: number };

/** Reads the wrapper's own options; the index is that of the first word that is none. */
export function readOptions(spec: WrapperSpec, argv: readonly Word[]): OptionsEnd {
  const options: PlacedOption[] = [];
  let index = 1;
  for (let word = argv[index]; word !== undefined; word = argv[index]) {
    const read = readWord(spec, word, argv[index + 1]);
    if (read === "operand") break;
    if (read === "end") return { kind: "at", index: index + 1, options };
    if ("kind" in read) return read;
    index += read.width;
    for (const option of read.options) options.push({ ...option, end: index });
  }
  return { kind: "at", index, options };
}

/** One word of the wrapper's: an option, the end of options, or no option any more. */
function readWord(spec: WrapperSpec, word: Word, next: Word | undefined): Read | OptionsEnd | "operand" | "end" {
  const { value } = word;
  if (value === null) {
    if (isOperand(word)) return "operand";
    return readExpanding(spec, word, next) ?? { kind: "unknown", why: "an option expands" };
  }
  if (value === "--") return "end";
  if (value === "-" && spec.dash === true) return { options: [{ name: "-" }], width: 1 };
  if (!value.startsWith("-") || value === "-") return "operand";
  if (stops(spec, value)) return { kind: "stops" };
  const read = value.startsWith("--") ? readLong(spec, word, next) : readShort(spec, word, next);
  return read ?? { kind: "unknown", why: `unknown option \`${value}\`` };
}

/** A word that expands, but cannot become an option. */
function isOperand(word: Word): boolean {
  return !word.splits && word.leading !== "" && !word.leading.startsWith("-");
}

/**
 * `--chdir="$X"`: which option it is stands in the line, its value does not. Not so `-C"$X"`, which takes the next word
 * for its value where `X` is empty.
 */
function readExpanding(spec: WrapperSpec, word: Word, next: Word | undefined): Read | undefined {
  const isLong = word.leading.startsWith("--") && word.leading.includes("=");
  return isLong && !mayBeSeveral(word) ? readLong(spec, word, next) : undefined;
}

function stops(spec: WrapperSpec, text: string): boolean {
  const [name = text] = text.split("=", 1);
  if (spec.stops === undefined) return false;
  return spec.stops.includes(name.startsWith("--") ? (fullName(spec, name) ?? name) : name);
}

function readLong(spec: WrapperSpec, word: Word, next: Word | undefined): Read | undefined {
  const text = word.value ?? word.leading;
  const equals = text.indexOf("=");
  const given = equals === -1 ? text : text.slice(0, equals);
  const attached = equals === -1 ? undefined : attachedWord(word, equals + 1);
  const name = fullName(spec, given);
  if (name === undefined) return undefined;
  const option = { name, ...(name === given ? {} : { abbreviated: true }) };
  if (spec.longValued?.includes(name) === true) return withValue([], option, attached, next);
  if (spec.long?.includes(name) !== true) return undefined;
  return { options: [{ ...option, ...(attached === undefined ? {} : { value: attached }) }], width: 1 };
}

/** The long name that a word gives, in full or by a beginning that no other name has. */
function fullName(
  { long = [], longValued = [], stops: stopping = [] }: WrapperSpec,
  given: string,
): string | undefined {
  const names = [...long, ...longValued, ...stopping];
  if (names.includes(given)) return given;
  if (given.length < 3) return undefined;
  const fitting = new Set(names.filter((name) => name.startsWith(given)));
  return fitting.size === 1 ? [...fitting][0] : undefined;
}

function readShort(spec: WrapperSpec, word: Word, next: Word | undefined): Read | undefined {
  const text = word.value ?? "";
  if (spec.numericFlag === true && /^--?\d+$/.test(text)) return { options: [{ name: text }], width: 1 };
  const options: WrapperOption[] = [];
  const attached = (at: number): Word | undefined => (at < text.length ? attachedWord(word, at) : undefined);
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    const name = `-${letter}`;
    if (spec.valued.includes(letter)) {
      return withValue(options, { name }, attached(at + 1), next);
    }
    if (spec.attached?.includes(letter) === true) {
      const value = attached(at + 1);
      return { options: [...options, { name, ...(value === undefined ? {} : { value }) }], width: 1 };
    }
    if (!spec.flags.includes(letter)) return undefined;
    options.push({ name });
  }
  return { options, width: 1 };
}

/** A value that splits may be several words, and then no one knows where the command begins. */
function withValue(
  before: readonly WrapperOption[],
  option: WrapperOption,
  attached: Word | undefined,
  next: Word | undefined,
): Read | undefined {
  if (attached !== undefined) return { options: [...before, { ...option, value: attached }], width: 1 };
  if (next === undefined || mayBeSeveral(next)) return undefined;
  return { options: [...before, { ...option, value: next }], width: 2 };
}

/** True for a word that may become several words, or none. */
function mayBeSeveral(word: Word): boolean {
  return word.splits || word.expansions.glob || word.expansions.brace;
}
