/**
 * The options and operands of a call as `getopt_long` reads them: bundles, attached values, values in the next word and
 * abbreviated long names.
 *
 * A judge that looks for `-o` alone misses `-so/dev/sda`, and one that takes the last word for the target takes the `foo`
 * of `--exclude foo`. What each option means is the judge's matter. Source: getopt_long(3).
 */
import type { DangerCall } from "./call.ts";
import { leadingText } from "./call.ts";
import type { Field, Part } from "./values/fields.ts";
import { knownText } from "./values/fields.ts";

/** Which options of a program take a value, as far as that decides where its operands are. */
export interface OptionGrammar {
  /** Letters whose value is attached or the next word. */
  readonly valued?: string;
  /** Letters whose value, if any, is attached: the `i` of `sed -i.bak`. */
  readonly attached?: string;
  /** Names of long options whose value stands behind `=` or is the next word, separated by blanks. */
  readonly longValued?: string;
  /** True where long names are never abbreviated, as with `rsync` and `fd`: `--compress` is not `--compress-level`. */
  readonly exactLong?: boolean;
}

/** An option as given. */
export interface GivenOption {
  /** `-o`, or the long name as written, perhaps abbreviated. */
  readonly name: string;
  /** What its value may be; empty without one. */
  readonly values: readonly Field[];
}

/** The words of a call, read. */
export interface GivenOptions {
  readonly options: readonly GivenOption[];
  /** Each may stand for several, and one word may become several. Those that `xargs` adds are the last. */
  readonly operands: readonly Field[];
}

/** Reads the words of a call. */
export function readGivenOptions(
  call: Pick<DangerCall, "args" | "fieldsOf" | "added">,
  grammar: OptionGrammar,
): GivenOptions {
  const options: GivenOption[] = [];
  const operands: Field[] = [];
  const { args } = call;
  const fieldsAt = (index: number): readonly Field[] =>
    args.slice(index, index + 1).flatMap((word) => call.fieldsOf(word));
  for (let at = 0; at < args.length; at++) {
    const fields = fieldsAt(at);
    if (fields.length === 1 && fields.some((field) => knownText(field) === "--")) {
      operands.push(...args.slice(at + 1).flatMap((word) => call.fieldsOf(word)));
      break;
    }
    const read = fields.map((field) => readField(field, grammar));
    operands.push(...fields.filter((_, index) => read[index] === undefined));
    for (const [index, found] of read.entries()) {
      // Of `$X` that holds `-o x` the value stands in the same word.
      const next = (): readonly Field[] => [...fields.slice(index + 1, index + 2), ...fieldsAt(at + 1)];
      options.push(...(found?.options ?? []).map((each) => (each.takesNext ? { ...each, values: next() } : each)));
    }
    const takesNext = read.at(-1)?.options.some((each) => each.takesNext) === true;
    if (takesNext) at++;
  }
  return { options, operands: [...operands, ...(call.added ?? [])] };
}

/** The options that are one of these names: `-o`, or `--output` and what abbreviates it. */
export function optionsNamed({ options }: GivenOptions, ...names: readonly string[]): readonly GivenOption[] {
  return options.filter((option) => names.some((name) => isNamed(option.name, name)));
}

/** `--out` is `--output`; that another option may begin so, too, is taken for the dangerous one. */
export function isNamed(given: string, name: string): boolean {
  return given === name || (given.length > 2 && name.startsWith(given));
}

interface ReadOption extends GivenOption {
  /** Its value is the next word. */
  readonly takesNext: boolean;
}

/** The options in a field; undefined for an operand. */
function readField(field: Field, grammar: OptionGrammar): { readonly options: readonly ReadOption[] } | undefined {
  const text = leadingText(field);
  if (!/^-./.test(text) && !(text === "-" && field.length > 1)) return undefined;
  return { options: text.startsWith("--") ? [readLong(field, text, grammar)] : readCluster(field, text, grammar) };
}

function readLong(field: Field, text: string, { longValued = "", exactLong = false }: OptionGrammar): ReadOption {
  const equals = text.indexOf("=");
  if (equals !== -1) {
    return { name: text.slice(0, equals), values: [without(field, equals + 1)], takesNext: false };
  }
  const takesNext = longValued.split(" ").some((name) => isLong(text, `--${name}`, exactLong)) && field.length === 1;
  return { name: text, values: [], takesNext };
}

function isLong(given: string, name: string, exact: boolean): boolean {
  return exact ? given === name : isNamed(given, name);
}

function readCluster(field: Field, text: string, { valued = "", attached = "" }: OptionGrammar): ReadOption[] {
  const options: ReadOption[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    const name = `-${letter}`;
    const isLast = at === text.length - 1 && field.length === 1;
    if (valued.includes(letter) || attached.includes(letter)) {
      const takesNext = isLast && valued.includes(letter);
      return [...options, { name, values: isLast ? [] : [without(field, at + 1)], takesNext }];
    }
    options.push({ name, values: [], takesNext: false });
  }
  return options;
}

/** A field without the first characters of its text. */
function without([first, ...rest]: Field, count: number): Field {
  const text = first?.kind === "text" ? first.text.slice(count) : "";
  const head: Part[] = text === "" && rest.length > 0 ? [] : [{ kind: "text", text }];
  return [...head, ...rest];
}
