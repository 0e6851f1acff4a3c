/**
 * What `echo` and `printf` make of their arguments, character by character: it may be a text for a shell.
 *
 * Sources: printf(1), echo(1) and the section of both builtins in bash(1).
 */
import { alternativesOf } from "./alternatives.ts";
import { type Field, knownText, textField, UNKNOWN } from "./fields.ts";

/** Rounds of a format over its arguments: it is used again as long as some are left. */
const MAX_ROUNDS = 128;

/** What `echo` prints for its words, without the last line break. */
export function echoed(words: readonly (readonly Field[])[]): readonly Field[] {
  const options = words.findIndex((fields) => !fields.every((field) => /^-[neE]+$/.test(knownText(field) ?? "")));
  const given = options === -1 ? [] : words.slice(options);
  // Of options alone nothing is printed that could be decoded.
  const flags = words.slice(0, options).flatMap((fields) => fields.map(knownText));
  const decodes = flags.some((flag) => flag?.includes("e"));
  return alternativesOf(given).map((fields) => {
    const text = joined(fields, " ");
    return decodes ? decoded(text) : text;
  });
}

/** What `printf` prints; a format of which the text is not known may print anything. */
export function formatted(words: readonly (readonly Field[])[]): readonly Field[] {
  const [formats = [], ...rest] = words[0]?.some((field) => knownText(field) === "--") ? words.slice(1) : words;
  return formats.flatMap((format) => {
    const text = knownText(format);
    // A variable in a format is text of it: what stands around it is printed as it is.
    return text === undefined ? [decoded(format)] : alternativesOf(rest).map((fields) => filledFormat(text, fields));
  });
}

/** Fields one behind the other. */
export function joined(fields: readonly Field[], between: string): Field {
  return fields.flatMap((field, at) => (at === 0 ? field : [...textField(between), ...field]));
}

function filledFormat(format: string, fields: readonly Field[]): Field {
  const tokens = decodedText(format).match(/%%|%[-+ #0']*[\d*]*(?:\.[\d*]*)?[A-Za-z]|%|[^%]+/g) ?? [];
  const takes = tokens.filter((token) => /^%[^%]/.test(token)).length;
  const rounds = takes === 0 ? 1 : Math.max(1, Math.ceil(fields.length / takes));
  const done: Field[number][] = [];
  let next = 0;
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
    for (const token of tokens) {
      if (token === "%%") done.push(...textField("%"));
      else if (/^%[^%]/.test(token)) done.push(...directive(token, fields[next++]));
      else done.push(...textField(token));
    }
  }
  return rounds > MAX_ROUNDS ? [...done, UNKNOWN] : done;
}

function directive(token: string, field: Field | undefined): Field {
  if (field === undefined) return [];
  switch (token.at(-1)) {
    case "s":
    case "q":
    case "d":
    case "i":
    case "u":
      return field;
    case "b":
      return decoded(field);
    default:
      return [UNKNOWN];
  }
}

/** A field whose known parts have their escapes decoded. */
function decoded(field: Field): Field {
  return rewritten(field, decodedText);
}

/** What bash makes of an output: it passes over each NUL, in a script that it reads and in `$(…)`. */
export function withoutNul(field: Field): Field {
  return rewritten(field, (text) => text.replaceAll("\0", ""));
}

/** What `printf -v` keeps of what it prints. */
export function upToNul(field: Field): Field {
  const end = field.findIndex((part) => part.kind === "text" && part.text.includes("\0"));
  return end === -1 ? field : rewritten(field.slice(0, end + 1), (text) => text.split("\0", 1).join(""));
}

function rewritten(field: Field, rewrite: (text: string) => string): Field {
  return field.map((part) => (part.kind === "text" ? { kind: "text", text: rewrite(part.text) } : part));
}

const LETTERS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", "\\": "\\", c: "" };

/** `\n`, `\x72`, `\0162`, `\162` and `\u0072`; an escape that is none stays. */
function decodedText(text: string): string {
  return text.replaceAll(
    /\\(?:0?([0-7]{1,3})|x([\dA-Fa-f]{1,2})|[uU]([\dA-Fa-f]{1,8})|([ntrfv\\c]))/g,
    (whole, octal?: string, hex?: string, code?: string, letter?: string) => {
      if (letter !== undefined) return LETTERS[letter] ?? whole;
      const value = octal === undefined ? Number.parseInt(hex ?? code ?? "", 16) : Number.parseInt(octal, 8);
      return value > 0x10ffff ? whole : String.fromCodePoint(value);
    },
  );
}
