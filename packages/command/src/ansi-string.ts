/**
 * What `$'…'` says where the parser reads it differently from bash: `\x{6d}` and a backslash before a line's end.
 *
 * Bash takes all hexadecimal digits of `\x{…}` and keeps the last eight bits; without a digit it is a NUL, which ends
 * the string. A backslash before a line's end stays, with the line's end. The parser keeps the first and drops the
 * second, so that `$'r\x{6d}'` would hide an `rm`. All else is read alike; the tests have bash as the judge.
 */
import { parse } from "unbash";

/** `\c` takes the next character along, and with a backslash two; every other escape begins with one character. */
const ESCAPE = /\\(?:c(?:\\\\|[\s\S])|x\{([0-9a-fA-F]*)\}?|[\s\S])/g;

/** True for source text that holds one of the forms, wherever it does. */
export function hasOddEscape(text: string): boolean {
  return text.includes("\\x{") || text.includes("\\\n");
}

/** The value of one `$'…'`, given its source text. */
export function ansiValue(text: string): string {
  const plain = text.replaceAll(ESCAPE, (form: string, digits: string | undefined) => {
    if (form === "\\\n") return "\\\\\n";
    return digits === undefined ? form : `\\x${digits.slice(-2).padStart(2, "0")}`;
  });
  const command = parse(plain).commands[0]?.command;
  return command?.type === "Command" ? (command.name?.value ?? "") : "";
}
