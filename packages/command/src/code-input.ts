/**
 * Programs whose standard input is code, or lines of which some are for a shell: `python3 - <<E`, `echo '\! x' | psql`.
 *
 * Which programs these are is in `option-text-table.ts`. Shells, whose input is commands, are `unwrap-shell.ts`'s.
 */

import { type Row, rowsOf } from "./option-text-table.ts";
import { clusterEnd, longEnd, type OptionText } from "./option-texts.ts";
import { literalWord, type Word } from "./word.ts";

/** Lines of an input that are looked at one by one. */
const MAX_LINES = 1_000;

/** True where the standard input of a call is code, or has lines for a shell. */
export function readsCode(name: string, argv: readonly Word[]): boolean {
  return readingRows(name, argv).length > 0;
}

/** The command lines in what a call reads. */
export function codeInputTexts(name: string, argv: readonly Word[], input: Word): readonly OptionText[] {
  const texts = readingRows(name, argv).flatMap((row) =>
    (row.input === "lines" ? linesOf(input) : [input]).flatMap(row.read ?? none),
  );
  return texts.map((text) => ({ text, split: false, remote: false, rest: [], inCode: true }));
}

function none(): readonly Word[] {
  return [];
}

function readingRows(name: string, argv: readonly Word[]): readonly Row[] {
  return rowsOf(name).filter((row) => row.input !== undefined && takesInput(row, argv));
}

function linesOf(input: Word): readonly Word[] {
  const lines = (input.value ?? input.leading).split("\n", MAX_LINES);
  return lines.map((line) => literalWord(line, input.span));
}

/** False where an option or an operand has the code, or names the file with it: then the input is data. */
function takesInput(row: Row, argv: readonly Word[]): boolean {
  if (row.script === undefined) return true;
  for (let at = 1; at < argv.length; ) {
    const found = foundIn(row, argv[at], argv[at + 1]);
    if (typeof found === "boolean") return found;
    at += found;
  }
  return true;
}

/** Whether the input is code, as far as a word says; else the words that it takes, with its value. */
function foundIn(row: Row, word: Word | undefined, next: Word | undefined): boolean | number {
  const text = word?.leading ?? "";
  if (isInput(word)) return true;
  if (!text.startsWith("-") || hasCode(row, text)) return false;
  if (text === "--") return next === undefined || isInput(next);
  const at = valuedAt(row, text);
  const isBehind = at === text.length - 1;
  if (at === undefined || !row.script?.includes(text.charAt(at))) return isBehind ? 2 : 1;
  return isBehind ? isInput(next) : INPUT.test(text.slice(at + 1));
}

/** An option that holds code, or the next word does. */
function hasCode(row: Row, text: string): boolean {
  return longEnd(row, text) !== undefined || clusterEnd(row, text) !== undefined;
}

const INPUT = /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/0)$/;

/** `-`, a name of standard input, or a word that may be one. */
function isInput(word: Word | undefined): boolean {
  return word?.value === null || INPUT.test(word?.value ?? "");
}

/** Where in a cluster of short options the letter stands that has a value. */
function valuedAt({ valued = "" }: Row, text: string): number | undefined {
  if (!/^-[A-Za-z0-9]/.test(text)) return undefined;
  const at = [...text].findIndex((letter, index) => index > 0 && valued.includes(letter));
  return at === -1 ? undefined : at;
}
