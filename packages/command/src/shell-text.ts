/**
 * Shells that run a text (`sh -c 'text'`): their options, and whether a text means to them what it means to bash.
 *
 * There is one parser, and it reads bash. Another shell reads some texts otherwise: dash has no `$'…'`, so that the
 * text after it is code; zsh runs commands out of globs. So a text for another shell is only taken as read when it is
 * made of what all of them read alike, and everything else is not understood.
 */
import type { Word } from "./word.ts";

/** What a shell's options say about the text it runs. */
export interface ShellOptions {
  /** Index of the first word that is no option. */
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
  ["elvish", "other"],
  ["nu", "other"],
  ["pwsh", "other"],
]);

/** `posix`: a shell that reads what POSIX describes. `other`: a shell with a language of its own. */
export type ShellLanguage = "bash" | "posix" | "other";

/** Reads the options of a shell. */
export function shellOptions(argv: readonly Word[]): ShellOptions {
  let index = 1;
  const options: string[] = [];
  for (let word = argv[index]; word !== undefined && word.value !== "--"; word = argv[index]) {
    // After `-c` an expanding word is the text itself; before it, anything could follow.
    const open = word.value === null && !options.some(isTextOption);
    if (open) return { index, readsText: false, readsInput: false, plain: false, problem: "an option expands" };
    if (word.value === null || !/^[-+]./.test(word.value)) break;
    options.push(word.value);
    index += /^(?:[-+][oO]|--rcfile|--init-file)$/.test(word.value) ? 2 : 1;
  }
  return {
    index: argv[index]?.value === "--" ? index + 1 : index,
    readsText: options.some(isTextOption),
    readsInput: options.some((option) => /^-[A-Za-z]*s[A-Za-z]*$/.test(option)),
    plain: options.every((option) => /^(?:-[ceux]+|--noprofile|--norc)$/.test(option)),
  };
}

function isTextOption(option: string): boolean {
  return /^-[A-Za-z]*c[A-Za-z]*$/.test(option);
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
  /\w(?:\[[^\]]*\])?\+=|\w\[[^\]]*\]=/,
  /\b(?:function|select|coproc)\b/,
];

function isPosix(text: string): boolean {
  return !NOT_POSIX.some((pattern) => pattern.test(text));
}

/** Words without any character that means something to a shell, and the operators of lists and pipelines. */
function isPlain(text: string): boolean {
  return /^[\w ./:,@%+;|&'-]*$/.test(text) && !/&|\|\||''/.test(text.replaceAll("&&", ";").replaceAll(" || ", ";"));
}
