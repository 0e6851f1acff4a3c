/**
 * JSON that a person wrote: its value, and where each part of it stands, so that what is wrong has a line and a column.
 *
 * `JSON.parse` gives the value; what is here finds places and says what is wrong where it refuses. A field that is given
 * twice is refused: `JSON.parse` takes the last one without a word, and the other may be the one that was meant.
 */

/** The way to a part of a value: names of fields and indexes. */
export type JsonPath = readonly (string | number)[];

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** What a text holds. `placeOf` gives the nearest part around one that is not there. */
export type JsonSource =
  | { readonly value: unknown; placeOf(path: JsonPath): TextPlace }
  | { readonly problem: string; readonly place: TextPlace };

/** Deeper lists and objects are refused: nothing that is read here has them. */
const MAX_DEPTH = 100;

/** Reads a text. Never throws. */
export function readJson(given: string): JsonSource {
  const text = given.startsWith("\ufeff") ? ` ${given.slice(1)}` : given;
  const scanner = new Scanner(text);
  try {
    scanner.whole();
    return { value: JSON.parse(text) as unknown, placeOf: (path) => placeAt(text, scanner.startOf(path)) };
  } catch (error) {
    const at = error instanceof JsonError ? error.at : 0;
    return { problem: error instanceof Error ? error.message : String(error), place: placeAt(text, at) };
  }
}

/** The notation of a path: `deny[2].match`. */
export function jsonPathText(path: JsonPath): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${part}`)).join("");
}

function placeAt(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - (before.lastIndexOf("\n") + 1) + 1 };
}

class JsonError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in its strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /[ \t\r\n]*/y;

/** Goes through a text once and notes where each part starts. */
class Scanner {
  readonly #text: string;
  readonly #starts = new Map<string, number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    this.#value([]);
    this.#blank();
    if (this.#at < this.#text.length) throw this.#wrong("more text behind the value");
  }

  startOf(path: JsonPath): number {
    for (let length = path.length; length >= 0; length -= 1) {
      const start = this.#starts.get(JSON.stringify(path.slice(0, length)));
      if (start !== undefined) return start;
    }
    return 0;
  }

  #value(path: JsonPath): void {
    if (path.length > MAX_DEPTH) throw this.#wrong("lists and objects nested too deeply");
    this.#blank();
    this.#starts.set(JSON.stringify(path), this.#at);
    const first = this.#text[this.#at];
    if (first === "{") this.#object(path);
    else if (first === "[") this.#list(path);
    else if (first === '"') this.#string();
    else if (this.#match(LITERAL) === undefined) throw this.#wrong(`a value is expected, not ${this.#found()}`);
  }

  #object(path: JsonPath): void {
    this.#at += 1;
    const names = new Set<string>();
    this.#parts("}", () => {
      const start = this.#at;
      if (this.#text[start] !== '"') {
        throw this.#wrong(`a name in double quotes is expected, not ${this.#found()}`);
      }
      const name = JSON.parse(this.#string()) as string;
      if (names.has(name)) throw new JsonError(`\`${jsonPathText([...path, name])}\` is given twice`, start);
      names.add(name);
      this.#blank();
      if (this.#text[this.#at] !== ":") throw this.#wrong(`\`:\` is expected behind a name, not ${this.#found()}`);
      this.#at += 1;
      this.#value([...path, name]);
    });
  }

  #list(path: JsonPath): void {
    this.#at += 1;
    let index = 0;
    this.#parts("]", () => {
      this.#value([...path, index]);
      index += 1;
    });
  }

  /** Parts with commas between them, up to `end`. */
  #parts(end: "}" | "]", part: () => void): void {
    this.#blank();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#blank();
      part();
      this.#blank();
      const next = this.#text[this.#at];
      if (next !== "," && next !== end) throw this.#wrong(`\`,\` or \`${end}\` is expected, not ${this.#found()}`);
      const comma = this.#at;
      this.#at += 1;
      if (next === end) return;
      this.#blank();
      if (this.#text[this.#at] === end) throw new JsonError(`there is a comma before \`${end}\``, comma);
    }
  }

  #string(): string {
    const string = this.#match(STRING);
    if (string === undefined) throw this.#wrong("the string has no end, or a character that needs a backslash");
    return string;
  }

  #blank(): void {
    this.#match(BLANK);
    if (/^\/[/*]/.test(this.#text.slice(this.#at, this.#at + 2))) throw this.#wrong("JSON has no comments");
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #found(): string {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    return this.#at >= this.#text.length ? "the end of the text" : `\`${character}\``;
  }

  #wrong(message: string): JsonError {
    return new JsonError(message, this.#at);
  }
}
