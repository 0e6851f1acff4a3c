/**
 * One shell word as the rest of the product sees it: what it says, and what bash will still do to it.
 *
 * Judging source text is how permission checks get fooled (`\-exec`, `-e''xec`, `$'-\x65xec'` are all `-exec`), so a
 * word carries its value after quote removal, and no value at all where only bash can know it. Which commands stand
 * inside a word is the walker's matter (see `walk.ts`).
 */
import type { DoubleQuotedChild, Word as SyntaxWord, WordPart } from "unbash";
import { ansiValue, hasOddEscape } from "./ansi-string.ts";

/** A half-open range `[start, end)` of UTF-16 units in the command line. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What bash still does to a word before a program sees it. */
export interface WordExpansions {
  /** `$x`, `${x}` and relatives. */
  readonly variable: boolean;
  /** `$(…)` and backticks. */
  readonly substitution: boolean;
  /** `<(…)` and `>(…)`. */
  readonly process: boolean;
  /** `$((…))` and `$[…]`. */
  readonly arithmetic: boolean;
  /** `*`, `?`, `[…]` and extended globs, unquoted. */
  readonly glob: boolean;
  /** `{a,b}` and `{1..3}`, unquoted. */
  readonly brace: boolean;
  /** `~`, unquoted where bash expands it. */
  readonly tilde: boolean;
  /** `$"…"`, which a message catalogue may replace. */
  readonly locale: boolean;
  /** Text that a wrapper fills in while it runs: `{}` of `find -exec`, the words that `xargs` appends. */
  readonly input: boolean;
}

/** A word of a command line. Spans are UTF-16 offsets into the text given to the parser. */
export interface Word {
  /** After quote removal; null where bash expands something in it. */
  readonly value: string | null;
  /** As written. */
  readonly text: string;
  /** After quote removal, with expansions left as written: for people and for messages, never for decisions. */
  readonly display: string;
  /** The literal text before the first expansion, after quote removal: an option cannot come from `./*.ts`. */
  readonly leading: string;
  /** True where the word can become several words whose start is unknown: `$x` unquoted, `"$@"`. */
  readonly splits: boolean;
  /** True where any of it is quoted or escaped. */
  readonly quoted: boolean;
  readonly expansions: WordExpansions;
  readonly span: Span;
}

/** What the first of some words says, of a command its name; empty where there is none, or only bash can know it. */
export function firstValue([first]: readonly Word[] = []): string {
  return first?.value ?? "";
}

const NO_EXPANSIONS: WordExpansions = {
  variable: false,
  substitution: false,
  process: false,
  arithmetic: false,
  glob: false,
  brace: false,
  tilde: false,
  locale: false,
  input: false,
};

/** How the words of one parsed text map to spans; nested texts (backticks, `bash -c`) are mapped to the outer word. */
export type SpanOf = (start: number, end: number) => Span;

/** A literal word that stands for something which was never written: a default, a joined string. */
export function literalWord(value: string, span: Span): Word {
  return {
    value,
    text: value,
    display: value,
    leading: value,
    splits: false,
    quoted: false,
    expansions: NO_EXPANSIONS,
    span,
  };
}

/** What stands in a word behind its first characters, which are literal: the value of `--chdir=X` or `-CX`. */
export function attachedWord(word: Word, length: number): Word {
  if (word.value !== null) return literalWord(word.value.slice(length), word.span);
  const [head, leading] = [word.leading.slice(0, length), word.leading.slice(length)];
  const rest = { ...word, leading, display: word.display.slice(length) };
  if (word.text.startsWith(head)) return { ...rest, text: word.text.slice(length) };
  // Behind quotes that began before it, the text cannot be read by itself: what it becomes is not known.
  return { ...rest, text: rest.display, expansions: { ...word.expansions, input: true } };
}

/** What a wrapper puts in the place of a word. */
export interface Filling {
  /** True where it may put several words there, or none. */
  readonly splits: boolean;
  /** What everything it puts there begins with: `src` for `find src -exec cat {}`; empty when not known. */
  readonly leading: string;
}

/** The words that a wrapper appends to a command line without showing them. */
export function appendedWord(span: Span, { splits, leading }: Filling): Word {
  const expansions = { ...NO_EXPANSIONS, input: true };
  return { value: null, text: APPENDED, display: APPENDED, leading, splits, quoted: false, expansions, span };
}

const APPENDED = "…";

/** True for a word of `appendedWord`. */
export function isAppended(word: Word): boolean {
  return word.expansions.input && word.text === APPENDED;
}

/** A word as the wrapper completes it: without a value where the placeholder stands in it, unchanged elsewhere. */
export function filledWord(word: Word, placeholder: string, filling: Filling): Word {
  const known = word.value ?? word.display;
  if (!known.includes(placeholder)) return word;
  const start = word.value ?? word.leading;
  const at = start.indexOf(placeholder);
  return {
    ...word,
    value: null,
    leading: at === -1 ? start : start.slice(0, at) + (at === 0 ? filling.leading : ""),
    splits: word.splits || filling.splits,
    expansions: { ...word.expansions, input: true },
  };
}

/** Turns the parser's word into ours. */
export function toWord(word: SyntaxWord, spanOf: SpanOf): Word {
  // Most words are plain: no parts means no quotes and no expansions but a tilde.
  if (word.parts === undefined && word.text === word.value && !word.text.includes("~")) {
    return literalWord(word.value, spanOf(word.pos, word.end));
  }
  const parts = word.parts ?? [];
  const scan = scanParts(parts, false);
  const tilde = hasTilde(word);
  const expansions = tilde ? { ...scan.expansions, tilde: true } : scan.expansions;
  const expands = tilde || scan.expands;
  // Without an expansion the value of a word is that of its parts.
  const value = !scan.expands && parts.some(isReadAnew) ? parts.map(partValue).join("") : word.value;
  const leading = tilde ? "" : scan.expands ? scan.leading : value;
  return {
    value: expands ? null : value,
    text: word.text,
    display: value,
    leading,
    splits: scan.splits,
    quoted: word.text !== word.value || word.parts?.some((part) => isQuoting(part)) === true,
    expansions,
    span: spanOf(word.pos, word.end),
  };
}

function isReadAnew(part: WordPart | DoubleQuotedChild): boolean {
  return part.type === "AnsiCQuoted" && hasOddEscape(part.text);
}

function partValue(part: WordPart | DoubleQuotedChild): string {
  if (part.type === "AnsiCQuoted") return isReadAnew(part) ? ansiValue(part.text) : part.value;
  if (part.type === "DoubleQuoted") return part.parts.map(partValue).join("");
  return "value" in part && typeof part.value === "string" ? part.value : part.text;
}

interface Scan {
  expansions: { -readonly [K in keyof WordExpansions]: boolean };
  expands: boolean;
  splits: boolean;
  leading: string;
}

function scanParts(parts: readonly (WordPart | DoubleQuotedChild)[], quoted: boolean): Scan {
  const scan: Scan = { expansions: { ...NO_EXPANSIONS }, expands: false, splits: false, leading: "" };
  for (const part of parts) {
    if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
      if (part.type === "LocaleString") mark(scan, "locale");
      merge(scan, scanParts(part.parts, true));
      continue;
    }
    if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") {
      if (!scan.expands) scan.leading += partValue(part);
      continue;
    }
    mark(scan, EXPANSION_OF[part.type]);
    if (splitsWord(part, quoted)) scan.splits = true;
  }
  return scan;
}

/** `$#`, `$?`, `$$` and `$!` are numbers: one word, and no option. */
const NUMBERS = /^\$[#?$!]$/;

/** Quoted, only `$@` and `${a[@]}` make several words; a `*` is taken for one too, which errs on the safe side. */
function splitsWord(part: WordPart | DoubleQuotedChild, quoted: boolean): boolean {
  return SPLITTING.has(part.type) && !NUMBERS.test(part.text) && (!quoted || /[@*]/.test(part.text));
}

const EXPANSION_OF: Record<
  Exclude<
    (WordPart | DoubleQuotedChild)["type"],
    "Literal" | "SingleQuoted" | "AnsiCQuoted" | "DoubleQuoted" | "LocaleString"
  >,
  keyof WordExpansions
> = {
  SimpleExpansion: "variable",
  ParameterExpansion: "variable",
  CommandExpansion: "substitution",
  ProcessSubstitution: "process",
  ArithmeticExpansion: "arithmetic",
  Glob: "glob",
  ExtendedGlob: "glob",
  BraceExpansion: "brace",
};

/** Kinds whose unquoted result is split into words (globs and braces make words too, but with a known start). */
const SPLITTING: ReadonlySet<string> = new Set([
  "SimpleExpansion",
  "ParameterExpansion",
  "CommandExpansion",
  "ArithmeticExpansion",
  "BraceExpansion",
]);

function mark(scan: Scan, kind: keyof WordExpansions): void {
  scan.expansions[kind] = true;
  scan.expands = true;
}

function merge(into: Scan, inner: Scan): void {
  if (!into.expands) into.leading += inner.leading;
  for (const kind of Object.keys(inner.expansions) as (keyof WordExpansions)[]) {
    if (inner.expansions[kind]) into.expansions[kind] = true;
  }
  into.expands ||= inner.expands;
  into.splits ||= inner.splits;
}

/**
 * Bash expands `~` at the start of a word, and in `name=~`, `name=a:~` also of plain arguments (`echo a=~`).
 * Inside quotes or after a backslash it is a character like any other, which is why the source text is asked.
 */
function hasTilde(word: SyntaxWord): boolean {
  if (word.text.startsWith("~")) return true;
  return /^[A-Za-z_]\w*=(?:[^"'\\]*:)?~/.test(word.text);
}

function isQuoting(part: WordPart): boolean {
  return (
    part.type === "SingleQuoted" ||
    part.type === "DoubleQuoted" ||
    part.type === "AnsiCQuoted" ||
    part.type === "LocaleString"
  );
}
