/**
 * The patterns by which `find` and `fd` choose names and paths: what they may match, and how much they say.
 *
 * A pattern is read as literal characters, single wildcards and gaps. Where the notation says more than that (brackets,
 * counted repetitions, nested groups), the reading matches more than the pattern does: what decides is whether a folder
 * of the system may be among what is found. Matching takes linear time for each gap, whatever the pattern is.
 * Sources: fnmatch(3), the manual of GNU findutils 4.10 ("Regular Expressions"), the syntax of Rust's regex crate.
 */

import type { Part } from "../values/fields.ts";

/** A character, any one character (`one`), or any number of them (`any`); `start` and `end` are anchors. */
type Token = { readonly kind: "text"; readonly text: string } | { readonly kind: "one" | "any" | "start" | "end" };

/** Alternatives, each a list of tokens. */
export type NamePattern = readonly (readonly Token[])[];

/** How far a test narrows what is found: `weak` for what may hold for nearly everything. */
export type Narrowing = "no" | "weak" | "yes";

const ANY: Token = { kind: "any" };
const ONE: Token = { kind: "one" };

/** Alternatives of a regular expression that are looked at; more are taken for anything. */
const MAX_ALTERNATIVES = 32;

/** Reads a pattern of the shell, as `-name` takes it. */
export function readGlob(text: string): NamePattern {
  const tokens: Token[] = [];
  const last = text.lastIndexOf("]");
  for (let at = 0; at < text.length; ) {
    const [token, width] = globToken(text, at, last);
    tokens.push(token);
    at += width;
  }
  return [tokens];
}

/** The same with the braces of `fd --glob`; those that nest, and too many of them, are taken for anything. */
export function readBraceGlob(text: string): NamePattern {
  let done: readonly (readonly Token[])[] = [[]];
  for (const [, plain = "", inner] of text.matchAll(/([^{}]+)|\{([^{}]*)\}|[{}]/g)) {
    const given = plain !== "" ? readGlob(plain) : (inner?.split(",").flatMap(readGlob) ?? [[ANY]]);
    done =
      done.length * given.length > MAX_ALTERNATIVES
        ? [[ANY]]
        : done.flatMap((head) => given.map((tail) => [...head, ...tail]));
  }
  return done;
}

/** The token at a place, and how long it is. */
function globToken(text: string, at: number, last: number): readonly [Token, number] {
  const letter = text[at] ?? "";
  if (letter === "\\" && at + 1 < text.length) return [textToken(text[at + 1] ?? ""), 2];
  if (letter === "*") return [ANY, 1];
  if (letter === "?") return [ONE, 1];
  if (letter === "[" && closes(text, at, last)) return [ONE, bracketEnd(text, at) - at + 1];
  return [textToken(letter), 1];
}

/** Reads a word with patterns of bash in it. */
export function readParts(parts: readonly Part[]): NamePattern {
  return [
    parts.flatMap((part) =>
      part.kind === "text" ? [...part.text].map(textToken) : part.kind === "char" ? [ONE] : [ANY],
    ),
  ];
}

/** Reads literal text. */
export function readLiteral(text: string): NamePattern {
  return [[...text].map(textToken)];
}

/** Reads a regular expression, which matches anywhere unless it is anchored. */
export function readUnanchored(text: string): NamePattern {
  return readRegex(text).map((tokens) => [
    ...(tokens[0]?.kind === "start" ? [] : [ANY]),
    ...tokens,
    ...(tokens.at(-1)?.kind === "end" ? [] : [ANY]),
  ]);
}

/** Reads a regular expression of any of the usual kinds: `\(a\|b\)` and `(a|b)` are both taken for groups. */
export function readRegex(text: string): NamePattern {
  return new RegexReader(text).read();
}

/** True where a pattern may match a whole text. */
export function mayMatch(pattern: NamePattern, text: string, ignoresCase = false): boolean {
  return pattern.some((tokens) => tokensMatch(tokens, text, ignoresCase));
}

/** True for patterns such as `etc` and `et[c]`, which match names of one length. */
export function hasGap(pattern: NamePattern): boolean {
  return pattern.some((tokens) => tokens.some(({ kind }) => kind === "any"));
}

/** True where a pattern asks for a character everywhere it matches. */
export function asksFor(pattern: NamePattern, text: string): boolean {
  return pattern.every((tokens) => tokens.some((token) => token.kind === "text" && token.text === text));
}

/**
 * How much a pattern says. `*`, `?*` and `*.*` say nothing; of `*e*` it is not known how much that leaves; an ending, a
 * beginning and a folder's name (`*.o`, `lib*`, `*\/x\/*`) are something in particular.
 */
export function narrowingOfPattern(pattern: NamePattern): Narrowing {
  return weakest(pattern.map((tokens) => strongest(componentsOf(tokens).map(narrowingOfName))));
}

const STRENGTH: readonly Narrowing[] = ["no", "weak", "yes"];

/** What holds where all must hold. */
export function strongest(list: readonly Narrowing[]): Narrowing {
  return STRENGTH.findLast((each) => list.includes(each)) ?? "no";
}

/** What holds where one of several must hold. */
export function weakest(list: readonly Narrowing[]): Narrowing {
  return STRENGTH.find((each) => list.includes(each)) ?? "no";
}

function textToken(text: string): Token {
  return { kind: "text", text };
}

function componentsOf(tokens: readonly Token[]): Token[][] {
  const components: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "text" && token.text === "/") components.push([]);
    else if (token.kind !== "start" && token.kind !== "end") components.at(-1)?.push(token);
  }
  return components;
}

function narrowingOfName(tokens: readonly Token[]): Narrowing {
  const letters = tokens.filter(isLetter).length;
  if (letters === 0) return "no";
  const open = tokens[0]?.kind !== "text" && tokens.at(-1)?.kind !== "text";
  const dot = tokens.findIndex((token) => token.kind === "text" && token.text === ".");
  const hasEnding = dot !== -1 && tokens.slice(dot).some(isLetter);
  return open && !hasEnding && letters < 3 ? "weak" : "yes";
}

function isLetter(token: Token): boolean {
  return token.kind === "text" && /[\p{L}\p{N}_~#]/u.test(token.text);
}

/** The last gap is the only one that is ever widened: what the earlier ones took stays taken. */
function tokensMatch(tokens: readonly Token[], text: string, ignoresCase: boolean): boolean {
  let [at, place, gap, taken] = [0, 0, -1, 0];
  while (place < text.length) {
    const token = tokens[at];
    if (token?.kind === "any") {
      gap = at;
      taken = place;
    }
    if (isWidthless(token)) at++;
    else if (token !== undefined && isAt(token, text[place] ?? "", ignoresCase)) {
      at++;
      place++;
    } else if (gap !== -1) {
      at = gap + 1;
      place = ++taken;
    } else return false;
  }
  while (isWidthless(tokens[at])) at++;
  return at === tokens.length;
}

/** True for what may stand for no character. */
function isWidthless(token: Token | undefined): boolean {
  return token !== undefined && token.kind !== "text" && token.kind !== "one";
}

function isAt(token: Token, letter: string, ignoresCase: boolean): boolean {
  if (token.kind !== "text") return true;
  return ignoresCase ? token.text.toLowerCase() === letter.toLowerCase() : token.text === letter;
}

function closes(text: string, at: number, last: number): boolean {
  return last > at + 1 && bracketEnd(text, at) !== -1;
}

/** The `]` of a bracket; directly behind `[`, `[!` or `[^` it is one of the characters. */
function bracketEnd(text: string, at: number): number {
  const first = /[!^]/.test(text[at + 1] ?? "") ? at + 2 : at + 1;
  return text.indexOf("]", first + 1);
}

/** A regular expression, read from left to right. */
class RegexReader {
  readonly #text: string;
  readonly #lastBracket: number;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lastBracket = text.lastIndexOf("]");
  }

  read(): NamePattern {
    const found: (readonly Token[])[] = [];
    // A closing parenthesis without a group is passed over.
    while (this.#at < this.#text.length || found.length === 0) {
      found.push(...this.#alternatives());
      if (this.#skip(/^\\?\)/) && this.#at < this.#text.length) return [[ANY]];
    }
    return found.length > MAX_ALTERNATIVES ? [[ANY]] : found;
  }

  #alternatives(): NamePattern {
    const found: (readonly Token[])[] = [];
    do found.push(...this.#sequence());
    while (this.#skip(/^\\?\|/));
    return found.length > MAX_ALTERNATIVES ? [[ANY]] : found;
  }

  #sequence(): NamePattern {
    let done: Token[][] = [[]];
    while (this.#at < this.#text.length && !this.#sees(/^\\?[|)]/)) {
      const atom = this.#atom();
      const given: NamePattern = this.#skipRepetition() ? [[ANY]] : atom;
      const [only, ...more] = given;
      if (more.length === 0) append(done, only ?? []);
      else if (done.length * given.length > MAX_ALTERNATIVES) done = [[ANY]];
      else done = done.flatMap((head) => given.map((tail) => [...head, ...tail]));
    }
    return done;
  }

  #atom(): NamePattern {
    if (this.#skip(/^\\?\(/)) return this.#group();
    const letter = this.#text[this.#at++] ?? "";
    if (letter === "\\") return [escaped(this.#text[this.#at++] ?? "")];
    if (letter === "^") return [[{ kind: "start" }]];
    if (letter === "$") return [[{ kind: "end" }]];
    if (letter === ".") return [[ONE]];
    if (letter !== "[" || !closes(this.#text, this.#at - 1, this.#lastBracket)) return [[textToken(letter)]];
    this.#at = bracketEnd(this.#text, this.#at - 1) + 1;
    return [[ONE]];
  }

  #group(): NamePattern {
    this.#skip(/^\?[A-Za-z<>-]{0,32}:?/);
    if (++this.#depth > MAX_ALTERNATIVES) {
      this.#at = this.#text.length;
      return [[ANY]];
    }
    const inner = this.#alternatives();
    this.#depth--;
    this.#skip(/^\\?\)/);
    return inner;
  }

  #skipRepetition(): boolean {
    let found = false;
    while (this.#skip(/^(?:\\?[*+?]|\\?\{[\d,]{0,16}\\?\})/)) found = true;
    return found;
  }

  #sees(pattern: RegExp): boolean {
    return pattern.test(this.#text.slice(this.#at, this.#at + 40));
  }

  #skip(pattern: RegExp): boolean {
    const found = pattern.exec(this.#text.slice(this.#at, this.#at + 40));
    this.#at += found?.[0].length ?? 0;
    return found !== null;
  }
}

function append(lists: readonly Token[][], tail: readonly Token[]): void {
  for (const list of lists) for (const token of tail) list.push(token);
}

/** What stands behind a backslash: a class, a place between characters, or the character itself. */
function escaped(letter: string): readonly Token[] {
  if (/[wWdDsSpP]/.test(letter)) return [ONE];
  if (letter === "A") return [{ kind: "start" }];
  if (letter === "z") return [{ kind: "end" }];
  return /[bB<>`']/.test(letter) ? [] : [textToken(letter)];
}
