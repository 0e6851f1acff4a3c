/**
 * The words that `xargs` adds to a command, and the place where they stand.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { expandWord, type Field, knownText, textField, UNKNOWN, type Values } from "./fields.ts";

/** What is added: nothing without fields, at the end without a placeholder. */
export interface Added {
  readonly fields?: readonly Field[];
  readonly placeholder?: string | undefined;
  /** What ends an item, where an option says so: `-d:`. */
  readonly separator?: string | undefined;
}

/** Programs that give a command words of their input. */
export const GIVES_WORDS: ReadonlySet<string> = new Set(["xargs", "parallel"]);

/** Wrappers whose words are judged elsewhere: with the search, or by what is read. */
export const FILLS_IN = (wrapper: string): boolean => /^(?:find|fd) -|(?:^|\/)xargs$/.test(wrapper);

/** What `xargs` adds to a command; `fed` is what the stage before it prints. */
export function addedTo(command: EffectiveCommand, values: Values, fed: () => readonly Field[] | undefined): Added {
  if (!command.via.includes("xargs") && !isUnreadXargs(command)) return {};
  const words = command.written.argv.map((word) => word.value ?? "");
  const own = command.simple.argv.map((word) => word.value ?? "");
  const isOwn = own.includes("xargs") || own.some((word) => word.endsWith("/xargs"));
  const options = isOwn ? own : words;
  const readsFile = options.some((word) => /^(?:-\w*a|--a)/.test(word));
  const here = command.simple.redirections.find(({ operator }) => operator === "<<<")?.target;
  const read = readsFile ? undefined : here == null ? fed() : expandWord(here, values);
  const placeholder = placeholderOf(options);
  const separator = separatorOf(ownOptions(command));
  const fields = read?.flatMap((field) => itemsIn(field, separator, placeholder !== undefined));
  return { fields: fields ?? [[UNKNOWN]], placeholder, separator };
}

/** The options among what is added at the end, as words: to the program they are like those that are written. */
export function addedOptions({ fields = [], placeholder }: Added, like: Word | undefined): readonly Word[] {
  if (placeholder !== undefined || like === undefined || like.value === null) return [];
  return fields.flatMap((field): Word[] => {
    const text = knownText(field);
    return text === undefined || !/^-./.test(text)
      ? []
      : [{ ...like, value: text, text, display: text, leading: text }];
  });
}

/** The words between `xargs` and its command. */
function ownOptions({ simple, written, argv }: EffectiveCommand): readonly Word[] {
  const [program] = argv;
  for (const words of [simple.argv, written.argv]) {
    const start = words.findLastIndex(
      (word) => programName(word.value ?? "") === "xargs" && word.span.start < (program?.span.start ?? 0),
    );
    if (start !== -1) return words.slice(start + 1).filter(({ span }) => span.start < (program?.span.start ?? 0));
  }
  return [];
}

/** What ends an item: a character of `-d`, or a NUL; undefined for blanks. */
function separatorOf(options: readonly Word[]): string | undefined {
  for (const [at, { value }] of options.entries()) {
    const match = /^(?:-[0prtx]*d(.*)|--d[a-z]*(?:=(.*))?|(-[prtx]*0[prtx]*|--nu[a-z]*))$/s.exec(value ?? "");
    if (match === null) continue;
    if (match[3] !== undefined) return "\0";
    const given = (match[1] ?? match[2]) || (options[at + 1]?.value ?? "");
    return ESCAPES[given] ?? given;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", "\\0": "\0", "\\t": "\t", "": "\n" };

/** The items of what is read; quotes around one count where blanks separate them. */
function itemsIn(field: Field, separator: string | undefined, byLine: boolean): readonly Field[] {
  const text = knownText(field);
  if (text === undefined) return [field];
  if (separator !== undefined) return text.split(endOfItem(separator)).filter(isItem).map(textField);
  if (byLine) return [textField(unquoted(text))];
  const items = text.match(/(?:"[^"\n]*"|'[^'\n]*'|[^\s"']|["'])+/g) ?? [];
  return items.map((item) => textField(unquoted(item)));
}

/** Lists that `find -print0` and its like write are known by lines here. */
function endOfItem(separator: string): string | RegExp {
  return separator === "\0" ? /[\0\n]/ : separator;
}

function isItem(text: string): boolean {
  return text.trim() !== "";
}

/** Without the quotes that stand in pairs. */
function unquoted(text: string): string {
  return text.replaceAll(/"([^"\n]*)"|'([^'\n]*)'/g, (_, double?: string, single?: string) => double ?? single ?? "");
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
  return unresolved !== undefined && programName(firstValue(argv)) === "xargs";
}

/** The word that `xargs` replaces. */
export function placeholderOf(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const match = /^(?:-[0prtx]*[IJ](.*)|--rep[a-z]*(?:=(.*))?|-[0prtx]*i(.*))$/.exec(word);
    if (match === null) continue;
    const [, given, long, short] = match;
    if (given === "") return words[at + 1];
    return given ?? (long === undefined || long === "" ? (short === undefined || short === "" ? "{}" : short) : long);
  }
  return undefined;
}
