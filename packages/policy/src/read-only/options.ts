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
  /** Its arguments, without the program. */
  readonly args: readonly Word[];
  /** True where a wrapper adds words nobody sees (`xargs`), which could be options. */
  readonly appended: boolean;
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
  /** Long options without a value, separated by blanks; `name=` takes an optional value after `=`. */
  readonly long?: string;
  /** Long options with a value, after `=` or as the next word, separated by blanks. */
  readonly longValued?: string;
  /** Accepts `-5`. */
  readonly numeric?: boolean;
  /** Most operands that are accepted. Default: any number. */
  readonly maxOperands?: number;
}

/** The options and operands of a call, or why they cannot be told. */
export type Parsed =
  | { readonly ok: true; readonly options: readonly GivenOption[]; readonly operands: readonly Word[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** An option as given: `-n5` and `--lines=5` carry their value as text, a separate value is a word. */
export interface GivenOption {
  readonly name: string;
  readonly value?: string | Word;
}

/** True for a word that cannot turn out to be an option, whatever it expands to. */
export function isSurelyOperand(word: Word): boolean {
  if (word.value !== null) return !word.value.startsWith("-") || word.value === "-";
  if (word.splits) return false;
  // `<(…)` becomes a path such as `/dev/fd/63`, `~/x` an absolute one, `$#` a number.
  if (/^(?:[<>]\(|~|\$[#?$!]$)/.test(word.text)) return !word.expansions.brace;
  return word.leading !== "" && !word.leading.startsWith("-");
}

/** The refusal for a word that may become an option once it is expanded. */
export function mayBecomeOption(word: Word): Refusal {
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
      return finish(call, spec, options, operands, true);
    }
    if (isSurelyOperand(word)) {
      operands.push(word);
      index++;
      continue;
    }
    const text = word.value ?? namedOption(word);
    const given = text === undefined ? undefined : readOption(spec, text, call.args[index + 1]);
    if (given === undefined) return { ok: false, refusal: refuseOption(call.name, word) };
    options.push(...given.options);
    index += given.width;
  }
  return finish(call, spec, options, operands, false);
}

/** `--key="$x"` is the option `--key` whatever `$x` holds; undefined for other words that expand. */
export function namedOption(word: Word): string | undefined {
  return word.splits ? undefined : /^--[\w-]+=/.exec(word.leading)?.[0];
}

/** The refusal for an option that is not listed, or for a word that may be one. */
export function refuseOption(name: string, word: Word): Refusal {
  return word.value === null ? mayBecomeOption(word) : unknownOption(name, word.value);
}

/** A judge that accepts exactly the listed options. */
export function onlyOptions(spec: OptionSpec, more?: (parsed: Parsed & { ok: true }) => Refusal | undefined): Judge {
  return (call) => {
    const parsed = parseOptions(call, spec);
    if (!parsed.ok) return parsed.refusal;
    // Operands that matter must all be there to be looked at.
    return more !== undefined && call.appended ? appendedOptions(call.name) : more?.(parsed);
  };
}

/** A judge that accepts every option but those a pattern matches; for programs whose options cannot be abbreviated. */
export function allOptionsBut(pattern: RegExp, severity: "write" | "exec" = "exec"): Judge {
  return (call) => {
    const { options, operands, ended } = splitArguments(call.args);
    const bad = options.find((word) => word.value === null || pattern.test(word.value));
    // Some programs read options from `@file` operands.
    const named = operands.find((word) => pattern.test(word.value ?? word.leading));
    if (named !== undefined) return unknownOption(call.name, named.display);
    if (bad === undefined) return call.appended && !ended ? appendedOptions(call.name) : undefined;
    if (bad.value === null) return mayBecomeOption(bad);
    return refuse("option-not-read-only", severity, `\`${call.name} ${bad.value}\` is not read-only`);
  };
}

/**
 * Splits arguments into what may be an option and what is surely an operand.
 *
 * After `--` all are operands, but in `rg -e -- --pre=x` the `--` is the value of `-e`: it only counts where no
 * option stands before it that could take it.
 */
export function splitArguments(args: readonly Word[]): {
  readonly options: readonly Word[];
  readonly operands: readonly Word[];
  readonly ended: boolean;
} {
  const at = args.findIndex((word) => word.value === "--");
  const previous = args[at - 1];
  const end = previous === undefined || isSurelyOperand(previous) ? at : -1;
  const before = end === -1 ? args : args.slice(0, end);
  return {
    options: before.filter((word) => !isSurelyOperand(word)),
    operands: [...before.filter(isSurelyOperand), ...(end === -1 ? [] : args.slice(end + 1))],
    ended: end !== -1,
  };
}

/**
 * Drops the values of options, front to back as the program reads them: in `-c -c in` the second `-c` is a value.
 *
 * A value that splits stays, and is then refused as a word that may be an option.
 */
export function dropValues(args: readonly Word[], valuesOf: (option: string) => number): Word[] {
  const words: Word[] = [];
  let left = 0;
  for (const word of args) {
    if (left > 0 && !word.splits) left--;
    else {
      words.push(word);
      left = word.value === null ? 0 : valuesOf(word.value);
    }
  }
  return words;
}

/** The refusal for words a wrapper adds to a program whose options matter. */
export function appendedOptions(name: string): Refusal {
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

function finish(
  call: Call,
  spec: OptionSpec,
  options: readonly GivenOption[],
  operands: readonly Word[],
  ended: boolean,
): Parsed {
  const most = spec.maxOperands ?? Number.POSITIVE_INFINITY;
  if (call.appended && (!ended || most !== Number.POSITIVE_INFINITY)) {
    return { ok: false, refusal: appendedOptions(call.name) };
  }
  if (operands.length > most || (most !== Number.POSITIVE_INFINITY && operands.some(mayMultiply))) {
    const message = `\`${call.name}\` with more than ${most} operands is not read-only`;
    return { ok: false, refusal: refuse("operand-not-read-only", "write", message) };
  }
  return { ok: true, options, operands };
}

/** Globs and braces make one word several, so a bounded number of operands cannot be told from the text. */
function mayMultiply(word: Word): boolean {
  return word.splits || word.expansions.glob || word.expansions.brace;
}

function readOption(
  spec: OptionSpec,
  text: string,
  next: Word | undefined,
): { options: GivenOption[]; width: number } | undefined {
  if (text.startsWith("--")) return readLong(spec, text, next);
  if (spec.numeric === true && /^-\d+$/.test(text)) return { options: [{ name: text }], width: 1 };
  const options: GivenOption[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (spec.flags?.includes(letter) === true) {
      options.push({ name: `-${letter}` });
      continue;
    }
    if (spec.attached?.includes(letter) === true) {
      return { options: [...options, { name: `-${letter}`, value: text.slice(at + 1) }], width: 1 };
    }
    if (spec.valued?.includes(letter) !== true) return undefined;
    if (at + 1 < text.length)
      return { options: [...options, { name: `-${letter}`, value: text.slice(at + 1) }], width: 1 };
    return isValue(next) ? { options: [...options, { name: `-${letter}`, value: next }], width: 2 } : undefined;
  }
  return { options, width: 1 };
}

function readLong(
  spec: OptionSpec,
  text: string,
  next: Word | undefined,
): { options: GivenOption[]; width: number } | undefined {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? undefined : text.slice(equals + 1);
  const bare = name.slice(2);
  if (listed(spec.longValued, bare)) {
    if (value !== undefined) return { options: [{ name, value }], width: 1 };
    return isValue(next) ? { options: [{ name, value: next }], width: 2 } : undefined;
  }
  if (listed(spec.long, `${bare}=`))
    return { options: [{ name, ...(value === undefined ? {} : { value }) }], width: 1 };
  return value === undefined && listed(spec.long, bare) ? { options: [{ name }], width: 1 } : undefined;
}

/**
 * True for a word that can only be the value of the option before it. Some programs make the value optional (GNU
 * `getopt` calls that so), and then `-n --vacuum-size=1` is two options.
 */
export function isValue(word: Word | undefined): word is Word {
  return word !== undefined && !word.splits && (word.value === null || !/^-[^\d]/.test(word.value));
}

function listed(names: string | undefined, name: string): boolean {
  return names?.split(" ").includes(name) === true;
}
