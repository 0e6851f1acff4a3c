/**
 * Takes the source of one word apart: literal text, patterns, parameters, substitutions, and the words braces make.
 *
 * A `Word` says whether bash still expands something in it; this says what, so that a caller who knows the value of a
 * variable can work out what the word becomes. Nothing is evaluated here. The text is parsed again on its own, which is
 * why only callers that need it pay for it.
 */
import {
  type DoubleQuotedChild,
  type ParameterExpansionPart,
  parse,
  type Word as SyntaxWord,
  type WordPart,
} from "unbash";

/** One part of a word, in order. */
export type WordPiece =
  /** `splits` where its blanks separate words: unquoted text in the operand of `${x:-a b}`. */
  | { readonly kind: "text"; readonly text: string; readonly splits?: true }
  /** `*`, `?`, `[…]` or an extended glob. `any` is false where it stands for exactly one character. */
  | { readonly kind: "glob"; readonly text: string; readonly any: boolean }
  /** `~` and `~user` at the start; `user` is empty for the first. */
  | { readonly kind: "tilde"; readonly user: string }
  | ParameterPiece
  /** `$(…)` or backticks, with the text between them. */
  | { readonly kind: "substitution"; readonly script: string; readonly quoted: boolean }
  /** `$((…))` or `$[…]`, with the text between. */
  | { readonly kind: "arithmetic"; readonly expression: string; readonly quoted: boolean }
  /** Process substitutions, translated strings. */
  | { readonly kind: "other"; readonly quoted: boolean };

/** `$x`, `${x}`, `${x:-word}` and relatives. */
export interface ParameterPiece {
  readonly kind: "parameter";
  readonly name: string;
  readonly quoted: boolean;
  /** `${!x}` or `${#x}`. */
  readonly prefix?: "!" | "#";
  /** Source of the subscript of `${x[…]}`. */
  readonly subscript?: string;
  /** As written: `:-`, `%%`, `/`, `^`, `@`, `:` for a slice. */
  readonly operator?: string;
  /** What stands behind `:-`, `:=`, `:+`, `:?`. */
  readonly operand?: readonly WordPiece[];
  /** Sources of the numbers of a slice: `${x:offset:length}`. */
  readonly offset?: string;
  readonly length?: string;
}

/** The words one word becomes through braces. `complete` is false where there are more than are listed. */
export interface WordPieces {
  readonly words: readonly (readonly WordPiece[])[];
  readonly complete: boolean;
}

/** Most words that the braces of one word are expanded to. */
const MAX_BRACE_WORDS = 64;
/** Longest word that is taken apart, in UTF-16 units. */
const MAX_WORD_CHARS = 2_048;

/** The pieces of a word's source text; undefined where the text is not one word, or too long. */
export function wordPieces(text: string): WordPieces | undefined {
  const done: WordPiece[][] = [];
  const left = [text];
  for (let source = left.pop(); source !== undefined; source = left.pop()) {
    const word = readWord(source);
    if (word === undefined) return undefined;
    const brace = (word.parts ?? []).find((part) => part.type === "BraceExpansion");
    const inner = brace === undefined ? [] : braceAlternatives(brace.text);
    if (brace === undefined || inner.length === 0) {
      done.push(piecesOf(word));
      continue;
    }
    if (done.length + left.length + inner.length > MAX_BRACE_WORDS) return { words: done, complete: false };
    const head = source.slice(0, brace.pos - word.pos);
    const tail = source.slice(brace.end - word.pos);
    // The last one is taken first: as bash does, `{a,b}` becomes `a` before `b`, which tells sources from targets.
    left.push(...inner.map((part) => `${head}${part}${tail}`).toReversed());
  }
  return { words: done, complete: true };
}

/** The sources of the elements of `(a b c)`; undefined for anything else. */
export function arrayElements(text: string): string[] | undefined {
  if (!text.startsWith("(") || text.length > MAX_WORD_CHARS) return undefined;
  const [statement, ...more] = parse(`x=${text}`).commands;
  const command = statement?.command;
  if (more.length > 0 || command?.type !== "Command") return undefined;
  const [assignment] = command.prefix;
  if (assignment?.type !== "Assignment" || assignment.value.type !== "ArrayValue") return undefined;
  return assignment.value.elements.map((element) => element.text.replace(/^\[[^\]]*\]\+?=/, ""));
}

function readWord(text: string): SyntaxWord | undefined {
  if (text.length > MAX_WORD_CHARS) return undefined;
  const script = parse(`: ${text}`);
  const [statement, ...more] = script.commands;
  const command = statement?.command;
  if ((script.errors ?? []).length > 0 || more.length > 0 || command?.type !== "Command") return undefined;
  const [word, ...others] = command.suffix;
  if (word?.type !== "Word" || others.length > 0 || word.text !== text) return undefined;
  return word;
}

function piecesOf({ parts = [], value, text }: SyntaxWord): WordPiece[] {
  const pieces =
    parts.length === 0 ? [{ kind: "text" as const, text: value }] : parts.flatMap((part) => pieceOf(part, false));
  return withTilde(pieces, text);
}

/** The pieces of a word with the tilde that its source begins with. */
function withTilde(pieces: WordPiece[], source: string): WordPiece[] {
  const tilde = /^~([\w.+-]*)(?=[/\s]|$)/.exec(source);
  const [first] = pieces;
  if (tilde === null || first?.kind !== "text") return pieces;
  const rest = { ...first, text: first.text.slice(tilde[0].length) };
  return [{ kind: "tilde", user: tilde[1] ?? "" }, ...(rest.text === "" ? [] : [rest]), ...pieces.slice(1)];
}

function pieceOf(part: WordPart | DoubleQuotedChild, quoted: boolean): WordPiece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", text: part.value }];
    case "DoubleQuoted":
      return part.parts.length === 0 ? [{ kind: "text", text: "" }] : part.parts.flatMap((each) => pieceOf(each, true));
    case "Glob":
      return [{ kind: "glob", text: part.text, any: part.kind === "star" }];
    case "ExtendedGlob":
      return [{ kind: "glob", text: part.text, any: true }];
    case "BraceExpansion":
      return [{ kind: "text", text: part.text }];
    case "SimpleExpansion":
      return [{ kind: "parameter", name: part.text.slice(1), quoted }];
    case "ParameterExpansion":
      return [parameterOf(part, quoted)];
    case "CommandExpansion":
      return [{ kind: "substitution", script: scriptOf(part.text), quoted }];
    case "ArithmeticExpansion":
      return [{ kind: "arithmetic", expression: expressionOf(part.text), quoted }];
    case "ProcessSubstitution":
    case "LocaleString":
      return [{ kind: "other", quoted }];
  }
}

function parameterOf(part: ParameterExpansionPart, quoted: boolean): ParameterPiece {
  const { operation, prefix, index } = part;
  return {
    kind: "parameter",
    name: part.parameter,
    quoted,
    ...(prefix === undefined ? {} : { prefix }),
    ...(index === undefined ? {} : { subscript: index.text }),
    ...(operation === undefined ? {} : { operator: operation.operator }),
    ...(operation?.type === "Default" ? { operand: operandPieces(operation.operand, quoted) } : {}),
    ...(operation?.type === "Slice" ? { offset: operation.offset.text } : {}),
    ...(operation?.type === "Slice" && operation.length !== undefined ? { length: operation.length.text } : {}),
  };
}

/** Outside of quotes, what is not quoted in an operand is split as a value is. */
function operandPieces({ parts = [], value, text }: SyntaxWord, quoted: boolean): WordPiece[] {
  const plain = (literal: string): WordPiece =>
    quoted ? { kind: "text", text: literal } : { kind: "text", text: literal, splits: true };
  if (parts.length === 0) return withTilde([plain(value)], quoted ? "" : text);
  const pieces = parts.flatMap((part) => (part.type === "Literal" ? [plain(part.value)] : pieceOf(part, quoted)));
  return withTilde(pieces, quoted ? "" : text);
}

/** The text inside `$((…))` or `$[…]`. */
function expressionOf(text: string): string {
  return text.startsWith("$[") ? text.slice(2, -1) : text.slice(3, -2);
}

/** The text inside `$(…)` or backticks, whose escapes bash removes first. */
function scriptOf(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1).replaceAll(/\\([\\`$])/g, "$1") : text.slice(2, -1);
}

/** What `{a,b}` or `{1..3}` stands for, one level deep; empty where it is not an expansion. */
function braceAlternatives(text: string): string[] {
  const inner = text.slice(1, -1);
  const range = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(inner);
  if (range !== null) return sequence(range[1] ?? "", range[2] ?? "", range[3]);
  const parts = splitAtCommas(inner);
  return parts.length < 2 ? [] : parts;
}

/** One element more than the limit says that there are too many. */
function sequence(from: string, to: string, by: string | undefined): string[] {
  const letters = /[A-Za-z]/.test(from);
  const numberOf = (text: string): number => (letters ? (text.codePointAt(0) ?? 0) : Number(text));
  const [start, end] = [numberOf(from), numberOf(to)];
  const step = (Math.abs(Number(by ?? "1")) || 1) * (end < start ? -1 : 1);
  const count = Math.min(Math.floor((end - start) / step), MAX_BRACE_WORDS) + 1;
  const width = [from, to].some((text) => /^-?0\d/.test(text)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = start + at * step;
    return letters ? String.fromCodePoint(value) : String(value).padStart(width, "0");
  });
}

/** Splits at the commas that stand in no quotes, braces or substitutions of their own. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  const token = /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|`(?:\\[\s\S]|[^`\\])*`|[{(]|[})]|,/g;
  for (const match of text.matchAll(token)) {
    if (/^[{(]$/.test(match[0])) depth++;
    else if (/^[})]$/.test(match[0])) depth--;
    else if (match[0] === "," && depth === 0) {
      parts.push(text.slice(start, match.index));
      start = match.index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
