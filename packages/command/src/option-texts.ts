/**
 * Programs that run a command line which one of their options or operands holds: `ssh -o ProxyCommand='x'`,
 * `rsync -e 'x'`, `gdb -ex 'shell x'`, `socat EXEC:'x'`, `nc -e 'x'`.
 *
 * Found as what perhaps runs, beside whatever else the program starts. The option is looked for in every cluster that it
 * may stand in, so the table names no other options. It is in `option-text-table.ts`.
 */
import { type Row, rowsOf } from "./option-text-table.ts";
import { attachedWord, literalWord, type Word } from "./word.ts";

/** A command line that a program runs. */
export interface OptionText {
  readonly text: Word;
  /** The program splits it without a shell, so that its first word is the program whatever else expands. */
  readonly split: boolean;
  /** It runs on another machine. */
  readonly remote: boolean;
  /** More words of it, where the text is the program alone. */
  readonly rest: readonly Word[];
  /** It was found in code of another language. */
  readonly inCode: boolean;
}

/** The command lines that a call holds. */
export function optionTexts(name: string, argv: readonly Word[]): readonly OptionText[] {
  const rows = rowsOf(name);
  if (rows.length === 0) return [];
  const words = BUNDLED.test(name) ? withoutBundle(argv) : argv;
  return rows.filter((row) => isBeside(row, words)).flatMap((row) => textsOfRow(row, words));
}

/** Words of a call in which what `beside` asks for stands. */
const MAX_BESIDE = 12;

function isBeside({ beside }: Row, words: readonly Word[]): boolean {
  if (beside === undefined) return true;
  const first = words.slice(1, MAX_BESIDE).map(({ leading }) => `${leading} `);
  return beside.test(first.join(""));
}

function textsOfRow(row: Row, words: readonly Word[]): OptionText[] {
  const [split, remote, inCode] = [row.split === true, row.remote === true, row.code === true];
  return words.flatMap((word, at) =>
    (at === 0 ? [] : givenBy(row, word, words[at + 1])).flatMap((given) => {
      const rest = row.rest === true ? words.slice(given === words[at + 1] ? at + 2 : at + 1) : [];
      const texts = row.read?.(given) ?? [given];
      return texts.map((text) => ({ text, split, remote, rest, inCode }));
    }),
  );
}

/** Programs whose first word may be letters of options without a dash. */
const BUNDLED = /^g?tar$/;
/** Letters of such a word whose values are the next words, in their order. */
const BUNDLED_VALUED = "bCfFgHIKLNTVX";

/** `tar cIf zstd x` is `tar -c -I zstd -f x`. */
function withoutBundle(argv: readonly Word[]): readonly Word[] {
  const [program, bundle, ...behind] = argv;
  if (program === undefined || bundle === undefined || !/^[A-Za-z]+$/.test(bundle.value ?? "")) return argv;
  let taken = 0;
  const options = [...(bundle.value ?? "")].flatMap((letter) => {
    const option = literalWord(`-${letter}`, bundle.span);
    const value = BUNDLED_VALUED.includes(letter) ? behind[taken++] : undefined;
    return value === undefined ? [option] : [option, value];
  });
  return [program, ...options, ...behind.slice(taken)];
}

/** What an option gives, or an operand. Behind letters that may all lead to it, the next word is one, too: `-pe x`. */
function givenBy(row: Row, word: Word, next: Word | undefined): readonly Word[] {
  const { leading, value } = word;
  if (row.operands === true) return leading.startsWith("-") ? [] : [word];
  const long = longEnd(row, leading);
  const at = long ?? clusterEnd(row, leading);
  if (at === undefined) return [];
  const behind = next === undefined ? [] : [next];
  if (value !== null && at === value.length && !value.endsWith("=")) return behind;
  const isMore =
    value !== null && long === undefined && [...value.slice(at)].every((each) => row.letters?.includes(each));
  return isMore ? [attachedWord(word, at), ...behind] : [attachedWord(word, at)];
}

/** Where the value begins behind the name of a long option. */
export function longEnd(row: Row, text: string): number | undefined {
  const [all, name = ""] = (row.singleDash === true ? /^--?([a-z][\w-]*)=?/i : /^--([a-z][\w-]*)=?/).exec(text) ?? [];
  return all !== undefined && isAbbreviated(row, name) ? all.length : undefined;
}

function isAbbreviated({ names = "" }: Row, given: string): boolean {
  return names.split(" ").some((name) => name === given || (given.length > 2 && name.startsWith(given)));
}

/** Where the value begins in a cluster of short options: behind the first letter that takes one. */
export function clusterEnd({ letters = "", valued = "" }: Row, text: string): number | undefined {
  if (!/^-[A-Za-z0-9]/.test(text)) return undefined;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letters.includes(letter)) return at + 1;
    if (valued.includes(letter) || !/[A-Za-z0-9]/.test(letter)) return undefined;
  }
  return undefined;
}
