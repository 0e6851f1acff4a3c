/**
 * The words that `xargs` adds to a command, and the place where they stand.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import { expandWord, type Field, textField, UNKNOWN, type Values } from "./fields.ts";

/** What is added: nothing without fields, at the end without a placeholder. */
export interface Added {
  readonly fields?: readonly Field[];
  readonly placeholder?: string;
}

/** Wrappers whose words are judged elsewhere: with the search, or by what is read. */
export const FILLS_IN = (wrapper: string): boolean => /^(?:find|fd) -|(?:^|\/)xargs$/.test(wrapper);

/** What `xargs` adds to a command; `fed` is what the stage before it prints. */
export function addedTo(command: EffectiveCommand, values: Values, fed: () => readonly Field[] | undefined): Added {
  if (!command.via.includes("xargs") && !isUnreadXargs(command)) return {};
  const words = command.written.argv.map((word) => word.value ?? "");
  const own = command.simple.argv.map((word) => word.value ?? "");
  const options = own.includes("xargs") || own.some((word) => word.endsWith("/xargs")) ? own : words;
  const readsFile = options.some((word) => /^(?:-\w*a|--a)/.test(word));
  const here = command.simple.redirections.find(({ operator }) => operator === "<<<")?.target;
  const fields = readsFile ? undefined : here == null ? fed() : expandWord(here, values);
  const placeholder = placeholderOf(options);
  return { fields: fields ?? [[UNKNOWN]], ...(placeholder === undefined ? {} : { placeholder }) };
}

/** True for a word that the placeholder stands in. */
export function isFilled(word: Word, { placeholder }: Added): boolean {
  return placeholder !== undefined && word.text.includes(placeholder);
}

/** A word with what is added in the place of the placeholder. */
export function filledIn(word: Word, { fields = [], placeholder = "" }: Added): readonly Field[] {
  const [head = "", tail = ""] = word.text.replaceAll(/["']/g, "").split(placeholder);
  return fields.map((field) => [...textField(head), ...field, ...textField(tail)]);
}

/** An `xargs` with an option that the analysis does not know, such as the old `-i`: it still adds what it reads. */
function isUnreadXargs({ argv, unresolved }: EffectiveCommand): boolean {
  return unresolved !== undefined && programName(argv[0]?.value ?? "") === "xargs";
}

/** The word that `xargs` replaces. */
function placeholderOf(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const match = /^(?:-[0prtx]*[IJ](.*)|--rep[a-z]*(?:=(.*))?|-[0prtx]*i(.*))$/.exec(word);
    if (match === null) continue;
    const [, given, long, short] = match;
    if (given === "") return words[at + 1];
    return given ?? (long === undefined || long === "" ? (short === undefined || short === "" ? "{}" : short) : long);
  }
  return undefined;
}
