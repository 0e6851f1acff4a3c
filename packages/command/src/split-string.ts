/**
 * Splits the text of `env -S` into words, as env does: it has quotes, escapes and `${NAME}` of its own.
 *
 * Source: env(1) of GNU coreutils, "-S/--split-string", and of FreeBSD, whose language is the same.
 */
import { singleQuoted } from "./fixups.ts";
import type { CommandContext } from "./syntax.ts";
import { walkText } from "./walk.ts";
import type { Span, Word } from "./word.ts";

/** Outside of quotes one of these ends a word. */
const BLANKS = /[ \t\n\v\f\r]+|\\_/y;
/** The text ends here: a comment where a word would begin, `\c` anywhere. */
const COMMENT = /#/y;
const END = /\\c/y;
const SINGLE = /'((?:[^'\\]|\\['\\]|\\(?!['\\]))*)'/y;
const DOUBLE = /"((?:\\[^c]|[^"\\])*)"/y;
const ESCAPE = /\\([fnrtv"#$'\\])/y;
/** A name without braces is not env's: it stands for what a policy does not know of the text. */
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/y;
const PLAIN = /[^ \t\n\v\f\r\\'"$]+/y;

const CONTROLS: Readonly<Record<string, string>> = { f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", _: " " };

/** Where the words belong. */
export interface SplitPlace {
  readonly span: Span;
  readonly context: CommandContext;
}

/** The words of a text, or undefined where env refuses it. */
export function splitString(text: string, place: SplitPlace): readonly Word[] | undefined {
  const source = shellWords(text);
  if (source === undefined) return undefined;
  return walkText(`: ${source.join(" ")}`, place).commands[0]?.argv.slice(1) ?? [];
}

/** The words as bash would be given them. */
function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string[] | undefined;
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found;
  };
  const finish = (): void => {
    if (word !== undefined) words.push(wordOf(word));
    word = undefined;
  };
  while (at < text.length) {
    if (next(BLANKS) !== undefined) {
      finish();
      continue;
    }
    if (next(END) !== undefined || (word === undefined && next(COMMENT) !== undefined)) break;
    const piece = pieceOf(next);
    if (piece === undefined) return undefined;
    word ??= [];
    word.push(...piece);
  }
  finish();
  return words;
}

/** The next piece of a word, as source for bash. */
function pieceOf(next: (pattern: RegExp) => RegExpExecArray | undefined): readonly string[] | undefined {
  const plain = next(PLAIN)?.[0];
  if (plain !== undefined) return [singleQuoted(plain)];
  const single = next(SINGLE)?.[1];
  if (single !== undefined) return [singleQuoted(single.replaceAll(/\\(['\\])/g, "$1"))];
  const double = next(DOUBLE)?.[1];
  if (double !== undefined) return inDoubleQuotes(double);
  const escaped = next(ESCAPE)?.[1];
  if (escaped !== undefined) return [singleQuoted(CONTROLS[escaped] ?? escaped)];
  const variable = next(VARIABLE);
  return variable === undefined ? undefined : [variableOf(variable)];
}

function inDoubleQuotes(text: string): readonly string[] | undefined {
  const pieces = text.match(/\\[\s\S]|\$\{?\w*\}?|[^\\$]+/g) ?? [];
  const read = pieces.map((piece): string | undefined => {
    if (piece.startsWith("$")) {
      VARIABLE.lastIndex = 0;
      const variable = VARIABLE.exec(piece);
      return variable === null || variable[0] !== piece ? undefined : variableOf(variable);
    }
    if (!piece.startsWith("\\")) return singleQuoted(piece);
    const letter = piece.slice(1);
    return /["#$'\\fnrtv_]/.test(letter) ? singleQuoted(CONTROLS[letter] ?? letter) : undefined;
  });
  const known = read.flatMap((piece) => piece ?? []);
  return known.length === read.length ? ["''", ...known] : undefined;
}

function variableOf([, braced, bare]: RegExpExecArray): string {
  return `"\${${braced ?? bare ?? ""}}"`;
}

/** A word of variables alone is not there where they are empty. */
function wordOf(pieces: readonly string[]): string {
  return pieces.every((piece) => piece.startsWith('"')) ? pieces.join("").replaceAll('"', "") : pieces.join("");
}
