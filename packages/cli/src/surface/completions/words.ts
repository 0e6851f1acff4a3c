/**
 * The words that complete something, where they are known; files, folders and programs are the shell's to find.
 */
import { COMMAND_NAMES } from "../commands.ts";
import type { Completion } from "../options.ts";
import { SETTING_NAMES, settingWords } from "../settings.ts";

/** What the shell finds itself, or all words there are. One that ends with `=` is to be written on. */
export function wordsOf(completion: Completion): "file" | "folder" | "program" | readonly string[] {
  if (completion === "setting") return SETTING_NAMES.flatMap(assignmentsOf);
  if (completion === "command") return COMMAND_NAMES;
  return completion;
}

/** `NAME=`, or an assignment of each value where there are few. */
function assignmentsOf(name: string): readonly string[] {
  const words = settingWords(name);
  return words.length === 0 ? [`${name}=`] : words.map((word) => `${name}=${word}`);
}

/** A word as every one of the shells reads it; what we complete has no quotes, lines or controls in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
