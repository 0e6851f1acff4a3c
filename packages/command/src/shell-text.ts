/**
 * Shells that run a text (`sh -c 'text'`): their options, and whether a text means to them what it means to bash.
 *
 * There is one parser, and it reads bash. Another shell reads some texts otherwise: dash has no `$'…'`, so that the
 * text after it is code; zsh runs commands out of globs. So a text for another shell is only taken as read when it is
 * made of what all of them read alike, and everything else is not understood.
 */
import { attachedWord, type Word } from "./word.ts";

/** What a shell's options say about the text it runs. */
export interface ShellOptions {
  /** Index of the first word that is not an option. */
  readonly index: number;
  /** `-c` was given. */
  readonly readsText: boolean;
  /** `-s` was given: the shell reads its input, whatever its operands. */
  readonly readsInput: boolean;
  /** Only options that read no start-up file: a login or interactive shell runs those first. */
  readonly plain: boolean;
  readonly problem?: string;
}

/** Shells whose `-c` text is looked at, with the language that they read. */
export const SHELLS: ReadonlyMap<string, ShellLanguage> = new Map<string, ShellLanguage>([
  ["bash", "bash"],
  ["rbash", "bash"],
  ["sh", "posix"],
  ["dash", "posix"],
  ["ash", "posix"],
  ["posh", "posix"],
  ["zsh", "other"],
  ["ksh", "other"],
  ["ksh93", "other"],
  ["mksh", "other"],
  ["oksh", "other"],
  ["pdksh", "other"],
  ["yash", "other"],
  ["fish", "other"],
  ["csh", "other"],
  ["tcsh", "other"],
  ["lksh", "other"],
  ["xonsh", "other"],
  ["osh", "other"],
  ["hush", "other"],
  ["rc", "other"],
  ["es", "other"],
  ["elvish", "other"],
  ["nu", "other"],
  ["pwsh", "other"],
]);

/** `posix`: a shell that reads what POSIX describes. `other`: a shell with a language of its own. */
export type ShellLanguage = "bash" | "posix" | "other";

/** Long options of bash, with the words that each takes. */
const LONG_OPTIONS: Readonly<Record<string, number>> = {
  "--posix": 0,
  "--login": 0,
  "--noprofile": 0,
  "--norc": 0,
  "--noediting": 0,
  "--restricted": 0,
  "--verbose": 0,
  "--rcfile": 1,
  "--init-file": 1,
};

/** Options that change neither what a text means nor what is read before it: a login shell reads start-up files. */
const PLAIN_OPTION = /^(?:-[ceuxo]+|--noprofile|--norc)$/;
/** The values of `-o` that change neither. */
const PLAIN_VALUE = /^(?:pipefail|errexit|nounset|xtrace)$/;

interface ReadWord {
  readonly width: number;
  /** The options are over. */
  readonly ends?: boolean;
}

/** Reads the options of a shell. An option that is not known may be one that runs a text of its own. */
export function shellOptions(argv: readonly Word[], language: ShellLanguage): ShellOptions {
  let index = 1;
  const options: string[] = [];
  const values: string[] = [];
  for (let word = argv[index]; word !== undefined; word = argv[index]) {
    // After `-c` an expanding word is the text itself; before it, anything could follow.
    if (word.value === null) {
      if (options.some(isTextOption)) break;
      return unknownOptions(index, "an option expands");
    }
    if (!/^[-+]/.test(word.value)) break;
    const read = readWord(word.value, language);
    if (read === undefined) return unknownOptions(index, `unknown option \`${word.value}\``);
    if (read.ends !== true) options.push(word.value);
    values.push(...argv.slice(index + 1, index + read.width).map((each) => each.value ?? ""));
    index += read.width;
    if (read.ends === true) break;
  }
  return {
    index,
    readsText: options.some(isTextOption),
    readsInput: options.some((option) => /^-[A-Za-z]*s[A-Za-z]*$/.test(option)),
    plain: options.every((option) => PLAIN_OPTION.test(option)) && values.every((value) => PLAIN_VALUE.test(value)),
  };
}

function unknownOptions(index: number, problem: string): ShellOptions {
  return { index, readsText: false, readsInput: false, plain: false, problem };
}

/** `-` and `--` end the options, `+` alone is one; each `o` and `O` of a cluster takes a word, in their order. */
function readWord(text: string, language: ShellLanguage): ReadWord | undefined {
  if (text === "--" || text === "-") return { width: 1, ends: true };
  if (text === "+") return { width: 1 };
  if (text.startsWith("--")) {
    const words = language === "bash" ? LONG_OPTIONS[text] : undefined;
    return words === undefined ? undefined : { width: 1 + words };
  }
  if (language === "other" && !/^-[cel]+$/.test(text)) return undefined;
  if (!/^[-+][A-Za-z]+$/.test(text)) return undefined;
  // Of the shells called `sh`, bash alone has an `O`, and it takes a word.
  if (language === "posix" && text.includes("O")) return undefined;
  const takes = language === "bash" ? /[oO]/g : /o/g;
  return { width: 1 + (text.match(takes)?.length ?? 0) };
}

function isTextOption(option: string): boolean {
  return /^-[A-Za-z]*c[A-Za-z]*$/.test(option);
}

/** Shells whose options have values of their own, the text among them: `fish -C x -c y`, `nu -e x`. */
const VALUED_OPTIONS = /^(?:fish|nu|xonsh|elvish|pwsh)$/;
/** An option that may lead to the text, in a cluster with any letters. */
const MAY_LEAD = /^(?:-(?!-)[^\s=]*c|--cm[a-z-]*)/;
/** The same of those shells. */
const MAY_LEAD_VALUED = /^(?:-(?!-)[^\s=]*?[ceC]|--(?:c|init-c|ex)[a-z-]*=?)/;

/** The words that may be a text where the options are not all known: behind any option that may lead to one. */
export function perhapsTexts(name: string, argv: readonly Word[]): readonly Word[] {
  const isValued = VALUED_OPTIONS.test(name);
  const pattern = isValued ? MAY_LEAD_VALUED : MAY_LEAD;
  const texts: Word[] = [];
  let leads = false;
  let values = 0;
  for (const word of argv.slice(1)) {
    if (!mayBeOption(word)) {
      if (leads) texts.push(word);
      if (values === 0) break;
      values--;
      continue;
    }
    const lead = pattern.exec(word.leading)?.[0];
    if (isValued && lead !== undefined && word.leading.length > lead.length) {
      texts.push(attachedWord(word, lead.length));
    }
    leads ||= lead !== undefined;
    values += isValued ? 1 : valuesOf(word);
  }
  return texts;
}

/** A word that expands may be one. */
function mayBeOption({ value, leading }: Word): boolean {
  return /^[-+]/.test(leading) || (value === null && leading === "");
}

/** The words behind an option that may be its values: each `o` of a cluster takes one, and a long option may. */
function valuesOf({ value, leading }: Word): number {
  if (value === null || /^--[^=]+$/.test(leading)) return 1;
  return leading.startsWith("--") ? 0 : (leading.match(/[oOAT]/g)?.length ?? 0);
}

/** True where a shell reads a text as bash does. */
export function readsAlike(language: ShellLanguage, text: string): boolean {
  switch (language) {
    case "bash":
      return true;
    case "posix":
      return isPosix(text);
    case "other":
      return isPlain(text);
  }
}

/**
 * What POSIX shells and bash read otherwise: `$'…'`, `$"…"`, `$[…]`, `$((…))` and `${…}` with more than a name,
 * backquotes, braces that make words, extended globs, `[[`, `((`, process substitutions, here-documents (their ends
 * may be quoted), `&>`, `>&word`, `|&`, `;&`, `name+=…`, `name[…]=…`, `function`, `select`, `coproc`, and bytes that
 * some shells use inside themselves.
 */
const NOT_POSIX = [
  /[^\t\n\x20-\x7e]/,
  /\$['"[]|\$\(\(|`/,
  /\$\{(?![A-Za-z_]\w*\})/,
  /(?:^|[^$])\{(?![\s}])/,
  /[@?*+!]\(|\[\[|\(\(|[<>]\(|<</,
  /&>|>&(?![\d-])|\|&|;&/,
  /\w\+=|\w\[|\]\+?=/,
  /\b(?:function|select|coproc)\b/,
];

function isPosix(text: string): boolean {
  return !NOT_POSIX.some((pattern) => pattern.test(text));
}

/** Words without any character that means something to a shell, and the operators of lists and pipelines. */
function isPlain(text: string): boolean {
  return /^[\w ./:,@%+;|&'-]*$/.test(text) && !/&|\|\||''/.test(text.replaceAll("&&", ";").replaceAll(" || ", ";"));
}
