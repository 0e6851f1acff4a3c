/**
 * Reads a `sed` script far enough to know that it only prints.
 *
 * `w`, `W`, `r`, `R`, `e` and the flags `w` and `e` of `s` write files or run programs, and they can hide behind any
 * delimiter, so the script is tokenised as GNU sed does it; what is not understood is refused. BSD sed accepts less.
 */

/** Longer scripts are not read, in UTF-16 units. */
const MAX_CHARS = 4_096;

/** True when a script is made of commands that only edit the pattern space and print. */
export function isHarmlessSedScript(script: string): boolean {
  if (script.length > MAX_CHARS) return false;
  const reader = new Reader(script);
  while (!reader.atEnd()) if (!readCommand(reader)) return false;
  return true;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  peek(): string {
    return this.#text[this.#at] ?? "";
  }

  next(): string {
    const char = this.peek();
    this.#at++;
    return char;
  }

  /** Consumes what a sticky pattern matches here; false where it does not match. */
  take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return false;
    this.#at += match[0].length;
    return true;
  }

  /** Consumes a text up to an unescaped delimiter; false where it is missing. */
  skipText(delimiter: string): boolean {
    while (!this.atEnd()) {
      const char = this.next();
      if (char === delimiter) return true;
      if (char === "\\") this.next();
    }
    return false;
  }

  /**
   * Consumes a regular expression up to its delimiter. A delimiter in brackets ends it for GNU sed before 4.9 and not
   * for later ones, so it is refused.
   */
  skipRegex(delimiter: string): boolean {
    while (!this.atEnd()) {
      const start = this.#at;
      if (this.take(/\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]\n])*\]/y)) {
        if (this.#text.slice(start, this.#at).includes(delimiter)) return false;
        continue;
      }
      const char = this.next();
      if (char === delimiter) return true;
      if (char === "\n" || char === "[") return false;
      if (char === "\\") this.next();
    }
    return false;
  }
}

function readCommand(reader: Reader): boolean {
  reader.take(/[\s;]+/y);
  if (reader.atEnd()) return true;
  if (reader.take(/#[^\n]*/y)) return true;
  if (!readAddresses(reader)) return false;
  const command = reader.next();
  switch (command) {
    case "{":
    case "}":
      return true;
    case "s":
      return readDelimited(reader) && reader.take(/[gpiImM0-9]*/y) && endsHere(reader);
    case "y":
      return readDelimited(reader) && endsHere(reader);
    case ":":
    case "b":
    case "t":
    case "T":
      // Behind a label `#` begins a comment for some versions and belongs to the label for others.
      return reader.take(/[ \t]*[A-Za-z0-9_]*[ \t]*/y) && reader.peek() !== "#" && endsHere(reader);
    case "a":
    case "i":
    case "c":
      // The text runs to the end of its line; a backslash takes the next line along.
      return reader.take(/(?:\\[\s\S]|[^\\\n])*\\?/y);
    case "q":
    case "Q":
    case "l":
      return reader.take(/[ \t]*\d*/y) && endsHere(reader);
    default:
      return /^[pdD=nNgGhHxPz]$/.test(command) && endsHere(reader);
  }
}

function readAddresses(reader: Reader): boolean {
  if (isAddressStart(reader)) {
    if (!readAddress(reader)) return false;
    if (reader.take(/[ \t]*,[ \t]*/y) && !reader.take(/[+~]\d+/y) && !readAddress(reader)) return false;
  }
  reader.take(/[ \t]*(?:![ \t]*)?/y);
  return true;
}

function isAddressStart(reader: Reader): boolean {
  return /[0-9$/\\]/.test(reader.peek());
}

function readAddress(reader: Reader): boolean {
  if (reader.take(/\d+(?:~\d+)?/y) || reader.take(/\$/y)) return true;
  const first = reader.next();
  const delimiter = first === "\\" ? reader.next() : first;
  if ((first !== "/" && first !== "\\") || /^[\n\\[\]]?$/.test(delimiter)) return false;
  return reader.skipRegex(delimiter) && reader.take(/[IM]*/y);
}

/** `s/…/…/` and `y/…/…/` with any delimiter but a bracket; the second part may hold escaped line ends. */
function readDelimited(reader: Reader): boolean {
  const delimiter = reader.next();
  if (/^[\n\\[\]]?$/.test(delimiter)) return false;
  return reader.skipRegex(delimiter) && reader.skipText(delimiter);
}

function endsHere(reader: Reader): boolean {
  reader.take(/[ \t]*/y);
  return reader.atEnd() || /[;\n}#]/.test(reader.peek());
}
