/**
 * Ways to write a word so that the shell hands the same word to a program: quoted, continued, expanded, from a file name.
 *
 * Some of them need a variable or a file, which then belong to the case.
 */
import { singleQuoted } from "@pi-bash/command/internal";
import { pick, type Random } from "../../../../test/support/random.ts";
import type { Case } from "./case.ts";

/** A case that is being written. */
export interface Draft {
  readonly words: string[];
  readonly env: Record<string, string>;
  readonly files: string[];
}

/** An empty draft. */
export function draft(): Draft {
  return { words: [], env: {}, files: [] };
}

/** The draft's line as a case; the folder is that of its files where it has any. */
export function finish(made: Draft, line: string, rest: Partial<Case> = {}): Case {
  return {
    line,
    ...(Object.keys(made.env).length === 0 ? {} : { env: made.env }),
    ...(made.files.length === 0 ? {} : { files: made.files }),
    ...rest,
  };
}

/** Text that needs no quotes anywhere. */
const PLAIN = /^[\w./=,:@%+-]+$/;

/** Writes `word` as it is. */
export function quoted(word: string): string {
  return PLAIN.test(word) ? word : singleQuoted(word);
}

/** Writes `word` in one of many ways, most often plainly. */
export function spell(word: string, made: Draft, random: Random): string {
  if (random() < 0.72) return quoted(word);
  const at = Math.floor(random() * word.length);
  const [head, tail] = [word.slice(0, at), word.slice(at)];
  const name = `V${Object.keys(made.env).length}`;
  const variable = (value: string): string => {
    made.env[name] = value;
    return name;
  };
  const double = (text: string): string => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`;
  return pick<() => string>(
    [
      () => double(word),
      () => `${quoted(head)}""${quoted(tail)}`,
      () => `${quoted(head)}${double(tail)}`,
      () => ansi(word),
      () => (PLAIN.test(word) ? `${head}\\${tail}` : singleQuoted(word)),
      () => `"$${variable(word)}"`,
      () => `$${variable(word)}`,
      () => `${quoted(head)}"$${variable(tail)}"`,
      () => `${quoted(head)}$${variable(tail)}`,
      () => `"$(echo ${quoted(word)})"`,
      () => `$(echo ${quoted(word)})`,
      () => `${quoted(head)}"$(echo ${quoted(tail)})"`,
      () => `\`echo ${quoted(word).replaceAll(/[\\`$]/g, "\\$&")}\``,
      () => (PLAIN.test(word) ? `${head}{${tail},}` : singleQuoted(word)),
      () => (PLAIN.test(word) ? `{${word},}` : singleQuoted(word)),
      () => glob(word, made),
      () => glob(word, made),
      () => `\${none:-${PLAIN.test(word) ? word : double(word)}}`,
      () => `"\${${variable(word)}#x}"`,
      () => (PLAIN.test(word) ? `${head}\\\n${tail}` : singleQuoted(word)),
    ],
    random,
  )();
}

/** A pattern that only the file with this name matches. */
function glob(word: string, made: Draft): string {
  if (/^\.{0,2}$/.test(word) || word.includes("/") || word.length > 200) return quoted(word);
  made.files.push(word);
  return word.startsWith(".") ? `.${"?".repeat(word.length - 1)}*` : `${word.startsWith("-") ? "-" : ""}*`;
}

function ansi(word: string): string {
  const text = [...word].map((char, index) => {
    const code = char.codePointAt(0) ?? 0;
    return index % 3 === 0 || "'\\\n".includes(char) ? `\\x${code.toString(16).padStart(2, "0")}` : char;
  });
  return `$'${text.join("")}'`;
}
