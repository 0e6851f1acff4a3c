/**
 * Reads a program's options against a list of the harmless ones.
 *
 * Every published "read-only command runs code" flaw was a list of forbidden options that missed one spelling:
 * bundled (`-uo`), attached (`-oX`), abbreviated (`--outp`). So options are listed because they only read, bundles are
 * split, arities are known, and everything else, abbreviations included, refuses the command.
 */
import type { Word } from "@pi-bash/command";
import { type Refusal, refuse } from "../finding.ts";

/** One call of a program, as the tables judge it. */
export interface Call {
  /** Base name of the program. */
  readonly name: string;
  /** Its arguments, without the program; what a wrapper appends while it runs is a word that may become several. */
  readonly args: readonly Word[];
}

/** Says why a call is not read-only, or nothing. */
export type Judge = (call: Call) => Refusal | undefined;

/** The harmless options of a program. */
export interface OptionSpec {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with a value, attached or as the next word. */
  readonly valued?: string;
  /** Short options whose value, if any, is attached (`-Iseconds`). */
  readonly attached?: string;
  /** Short options whose value is always the next word: behind them a cluster goes on, but for a number (`-L2`). */
  readonly separate?: string;
  /** Long options without a value, separated by blanks; `name=` takes an optional value after `=`. */
  readonly long?: string;
  /** Long options with a value, after `=` or as the next word, separated by blanks. */
  readonly longValued?: string;
  /** Accepts `-5`. */
  readonly numeric?: boolean;
  /** Most operands that are accepted. Default: any number. */
  readonly maxOperands?: number;
}

/** The options and operands of a call, or why they cannot be determined. */
export type Parsed =
  | { readonly ok: true; readonly options: readonly GivenOption[]; readonly operands: readonly Word[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** An option as given, its value attached (`-n5`, `--lines=5`) or as the next word. */
export interface GivenOption {
  readonly name: string;
  readonly value?: OptionValue;
}

/** The value of an option. */
export interface OptionValue {
  /** Null where any of it expands: `--key="$x"`, `-k "$x"`. */
  readonly text: string | null;
  /** The literal text before what expands. */
  readonly leading: string;
}

/** True for a word that cannot turn out to be an option, whatever it expands to. */
export function isSurelyOperand(word: Word): boolean {
  if (word.value !== null) return !word.value.startsWith("-") || word.value === "-";
  if (word.splits) return false;
  // `<(…)` becomes a path such as `/dev/fd/63`, `~/x` an absolute one, `$#` a number.
  if (/^(?:[<>]\(|~|\$[#?$!]$)/.test(word.text)) return !word.expansions.brace;
  // Both are absolute; a line that sets one is not read-only.
  if (/^"?\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?:["/]|$)/.test(word.text)) return !word.expansions.brace;
  return word.leading !== "" && !word.leading.startsWith("-");
}

/** The refusal for a word that may become an option once it is expanded. */
function mayBecomeOption(word: Word): Refusal {
  return refuse(
    "expansion-in-option-position",
    "unknown",
    `\`${word.text}\` could expand to an option`,
    `write \`--\` or \`./\` before it`,
  );
}

/** Splits the arguments of a call by a list of harmless options. */
export function parseOptions(call: Call, spec: OptionSpec): Parsed {
  const options: GivenOption[] = [];
  const operands: Word[] = [];
  let index = 0;
  for (let word = call.args[index]; word !== undefined; word = call.args[index]) {
    if (word.value === "--") {
      operands.push(...call.args.slice(index + 1));
      return finish(call, spec, options, operands);
    }
    if (isSurelyOperand(word)) {
      operands.push(word);
      index++;
      continue;
    }
    const given = readOption(spec, word, call.args[index + 1]);
    if (given === undefined) return { ok: false, refusal: refuseOption(call.name, word) };
    options.push(...given.options);
    index += given.width;
  }
  return finish(call, spec, options, operands);
}

/** `--key="$x"` is the option `--key` whatever `$x` holds; undefined for other words that expand. */
export function namedOption(word: Word): string | undefined {
  return word.splits ? undefined : /^--[\w-]+=/.exec(word.leading)?.[0];
}

/** The refusal for an option that is not listed, or for a word that may be one. */
export function refuseOption(name: string, word: Word): Refusal {
  if (word.value !== null) return unknownOption(name, word.value);
  return word.expansions.input ? appendedOptions(name) : mayBecomeOption(word);
}

/** A judge that accepts exactly the listed options. */
export function onlyOptions(spec: OptionSpec, more?: (parsed: Parsed & { ok: true }) => Refusal | undefined): Judge {
  return (call) => {
    const parsed = parseOptions(call, spec);
    return parsed.ok ? more?.(parsed) : parsed.refusal;
  };
}

/** Options that are whole words, with the words behind them as values: `xxd -cols 8`, `jq --arg name value`. */
export interface WordOptions {
  /** How many words an option takes, or undefined where it is not one of the harmless ones. */
  readonly valuesOf: (option: string) => number | undefined;
  /** Whether a word may be a value of the option. Default: any. */
  readonly accepts?: (value: Word, option: string) => boolean;
  /** True for a program that takes every word behind its first operand for an operand: `xxd in -c` writes `-c`. */
  readonly endsAtOperand?: boolean;
}

/** What is an operand from here on, whatever it looks like; undefined where options may follow. */
function operandsFrom(args: readonly Word[], index: number, endsAtOperand: boolean): readonly Word[] | undefined {
  const word = args[index];
  if (word?.value === "--") return args.slice(index + 1);
  return endsAtOperand && word !== undefined && isSurelyOperand(word) ? args.slice(index) : undefined;
}

/** The operands of a call whose options are whole words, or why they cannot be determined. */
export function parseWordOptions(
  call: Call,
  { valuesOf, accepts = () => true, endsAtOperand = false }: WordOptions,
): { readonly operands: readonly Word[] } | { readonly refusal: Refusal } {
  const operands: Word[] = [];
  for (let index = 0; index < call.args.length; index++) {
    const word = call.args[index];
    if (word === undefined) break;
    const rest = operandsFrom(call.args, index, endsAtOperand);
    if (rest !== undefined) return { operands: [...operands, ...rest] };
    if (isSurelyOperand(word)) {
      operands.push(word);
      continue;
    }
    const count = word.value === null ? undefined : valuesOf(word.value);
    if (count === undefined) return { refusal: refuseOption(call.name, word) };
    const values = call.args.slice(index + 1, index + 1 + count);
    const bad = values.find((value) => mayMultiply(value) || !accepts(value, word.value ?? ""));
    if (bad !== undefined) return { refusal: refuseOption(call.name, bad) };
    index += count;
  }
  return { operands };
}

/** The refusal for words a wrapper adds to a program whose options matter. */
function appendedOptions(name: string): Refusal {
  return refuse(
    "appended-arguments",
    "unknown",
    `arguments added to \`${name}\` while it runs could be options`,
    `end its options with \`--\``,
  );
}

/** The refusal for an option no table lists. */
export function unknownOption(name: string, option: string): Refusal {
  return refuse("option-not-read-only", "unknown", `\`${name} ${option}\` is not known to be read-only`);
}

function finish(call: Call, spec: OptionSpec, options: readonly GivenOption[], operands: readonly Word[]): Parsed {
  const most = spec.maxOperands ?? Number.POSITIVE_INFINITY;
  if (operands.length > most || (most !== Number.POSITIVE_INFINITY && operands.some(mayMultiply))) {
    const message = `\`${call.name}\` with more than ${most} operands is not read-only`;
    return { ok: false, refusal: refuse("operand-not-read-only", "write", message) };
  }
  return { ok: true, options, operands };
}

/** True for a word that may become several: a count of operands cannot be determined from the text then. */
export function mayMultiply(word: Word): boolean {
  return word.splits || word.expansions.glob || word.expansions.brace;
}

interface ReadOption {
  readonly options: readonly GivenOption[];
  readonly width: number;
}

function readOption(spec: OptionSpec, word: Word, next: Word | undefined): ReadOption | undefined {
  const text = word.value ?? namedOption(word);
  if (text === undefined) return undefined;
  if (text.startsWith("--")) return readLong(spec, word, text, next);
  if (spec.numeric === true && /^-\d+$/.test(text)) return { options: [{ name: text }], width: 1 };
  const flags: GivenOption[] = [];
  for (const [at, letter] of [...text].entries()) {
    if (at === 0) continue;
    if (spec.flags?.includes(letter) !== true) return readValued(spec, flags, letter, text.slice(at + 1), next);
    flags.push({ name: `-${letter}` });
  }
  return { options: flags, width: 1 };
}

/** The letter of a cluster that is not a flag: with it the cluster ends, and what is attached is its value. */
function readValued(
  spec: OptionSpec,
  before: readonly GivenOption[],
  letter: string,
  attached: string,
  next: Word | undefined,
): ReadOption | undefined {
  const given = { options: [...before, { name: `-${letter}`, value: literalValue(attached) }], width: 1 };
  if (spec.attached?.includes(letter) === true) return given;
  const takesWord = spec.separate?.includes(letter) === true;
  if (!takesWord && spec.valued?.includes(letter) !== true) return undefined;
  if (takesWord && !/^\d*$/.test(attached)) return undefined;
  return attached === "" ? nextValue(before, `-${letter}`, next) : given;
}

function readLong(spec: OptionSpec, word: Word, text: string, next: Word | undefined): ReadOption | undefined {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? undefined : attachedValue(word, equals + 1);
  const bare = name.slice(2);
  if (listed(spec.longValued, bare)) {
    return value === undefined ? nextValue([], name, next) : { options: [{ name, value }], width: 1 };
  }
  if (listed(spec.long, `${bare}=`)) {
    return { options: [{ name, ...(value === undefined ? {} : { value }) }], width: 1 };
  }
  return value === undefined && listed(spec.long, bare) ? { options: [{ name }], width: 1 } : undefined;
}

function nextValue(before: readonly GivenOption[], name: string, next: Word | undefined): ReadOption | undefined {
  if (!isValue(next)) return undefined;
  return { options: [...before, { name, value: { text: next.value, leading: next.leading } }], width: 2 };
}

function literalValue(text: string): OptionValue {
  return { text, leading: text };
}

/** What stands behind the `=` of a word: all of it, or what is known of it. */
function attachedValue(word: Word, from: number): OptionValue {
  return { text: word.value?.slice(from) ?? null, leading: word.leading.slice(from) };
}

/**
 * True for a word that can only be the value of the option before it. Some programs make the value optional (GNU
 * `getopt` calls that so), and then `-n --vacuum-size=1` is two options.
 */
export function isValue(word: Word | undefined): word is Word {
  if (word === undefined || mayMultiply(word)) return false;
  return word.value === null ? !word.leading.startsWith("-") : !/^-[^\d]/.test(word.value);
}

function listed(names: string | undefined, name: string): boolean {
  return names?.split(" ").includes(name) === true;
}
