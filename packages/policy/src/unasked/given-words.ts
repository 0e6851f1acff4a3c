/**
 * Other readings of what a wrapper completes: `find /etc -exec sh -c '> "$1"' _ {} \;` is read as `> "/etc/any-name"`, and
 * `ls /etc/x | xargs -I{} cp a {}` as `cp a /etc/x`.
 *
 * A text for a shell is read with its arguments in it. Only the place that a search starts in and what a listing names are
 * followed: a command that writes elsewhere reads the same as before.
 */
import { posix } from "node:path";
import type { CommandAnalysis, EffectiveCommand, SimpleCommand, Word } from "@pi-bash/command";
import { programName, SHELLS } from "@pi-bash/command/internal";
import { isFind, readFind } from "../dangers/searches/find-expression.ts";
import { placeholderOf } from "../dangers/values/added.ts";
import { type FolderOf, listedBelowEtc } from "./system-writes.ts";

/** Readings of one line. */
const MAX_READINGS = 16;
/** Longest text for a shell that is read, in UTF-16 units. */
const MAX_CHARS = 4_096;

/** The readings of a line's commands with what they are given. */
export function withGivenWords(analysis: CommandAnalysis, folderOf: FolderOf): readonly string[] {
  const listed = listedBelowEtc(analysis, folderOf)?.display;
  const readings = [
    ...analysis.effective.flatMap((command) => ofSearch(command, folderOf(command).cwd)),
    ...(listed === undefined ? [] : analysis.effective.flatMap((command) => ofXargs(command, listed))),
    ...analysis.commands.flatMap((simple) => ofShell(simple, listed)),
  ];
  return [...new Set(readings)].slice(0, MAX_READINGS);
}

/** The commands of `find -exec`, with a name below each place that it starts in. */
function ofSearch({ argv }: EffectiveCommand, cwd: string | undefined): readonly string[] {
  if (!isFind(argv[0])) return [];
  const { starts, actions } = readFind(argv);
  const places = starts.length === 0 ? ["."] : starts.flatMap(({ value }) => value ?? []);
  const found = places
    .filter((place) => place.startsWith("/") || cwd !== undefined)
    .map((place) => `${posix.resolve(cwd ?? "/", place)}/any-name`);
  const running = actions.filter(({ predicate }) => /^-(?:exec|ok)(?:dir)?$/.test(predicate));
  return running.flatMap(({ at }) => {
    const end = argv.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"));
    const words = argv.slice(at + 1, end === -1 ? undefined : end);
    return found.flatMap((name) => asRun(words.map((word) => textOf(word, "{}", name))));
  });
}

/** What `xargs` runs, with what is listed. */
function ofXargs({ via, argv, appended, written }: EffectiveCommand, listed: string): readonly string[] {
  if (!via.some((each) => /(?:^|\/)xargs$/.test(each))) return [];
  const { placeholder, isOne } = readXargs(written.argv);
  // Of several at once the last is one of those that are read, or the folder that they go to.
  if (placeholder === undefined && !isOne) return [];
  const words = argv.map((word) => textOf(word, placeholder ?? "", listed));
  return asRun(appended === undefined ? words : [...words, listed]);
}

/** A shell with a text and its arguments, alone or behind `xargs`. */
function ofShell({ argv }: SimpleCommand, listed: string | undefined): readonly string[] {
  const xargs = argv.findIndex(({ value }) => programName(value ?? "") === "xargs");
  const at = argv.findIndex(({ value }, index) => index > xargs && SHELLS.has(programName(value ?? "")));
  if (at === -1 || argv.some(isFind)) return [];
  const words = argv.slice(at);
  if (xargs === -1) return shellTexts(words.map(({ text }) => text));
  if (listed === undefined) return [];
  const { placeholder } = readXargs(argv);
  const given = words.map((word) => textOf(word, placeholder ?? "", listed));
  return shellTexts(placeholder === undefined ? [...given, listed] : given);
}

function readXargs(argv: readonly Word[]): { readonly placeholder: string | undefined; readonly isOne: boolean } {
  const words = argv.map(({ value }) => value ?? "");
  const placeholder = placeholderOf(words);
  const takesOne = words.some(
    (word, at) =>
      /^(?:-[0prtx]*[nL]1|--max-(?:args|lines)=1)$/.test(word) ||
      (/^-[0prtx]*[nL]$/.test(word) && words[at + 1] === "1"),
  );
  return { placeholder, isOne: placeholder !== undefined || takesOne };
}

/** A word's source with a name in the place of the placeholder. */
function textOf({ text }: Word, placeholder: string, name: string): string {
  return placeholder === "" ? text : text.replaceAll(placeholder, name);
}

/** The command, and the text in it that a shell is given. */
function asRun(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => SHELLS.has(programName(word)));
  return [words.join(" "), ...(at === -1 ? [] : shellTexts(words.slice(at)))];
}

/** The text of `sh -c TEXT NAME ARGUMENTS…`, with these in it. */
function shellTexts(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word));
  const text = at === -1 ? undefined : bare(words[at + 1] ?? "");
  const given = words.slice(at + 2).map(bare);
  if (text === undefined || given.length === 0 || text.length > MAX_CHARS) return [];
  const all = given.slice(1).join(" ");
  return [
    text
      .replaceAll(/\bfor\s+(\w+)\s*;?\s+do\b/g, (_, name: string) => `for ${name} in ${all}; do`)
      .replaceAll(/"\$(?:[@*]|\{[@*]\})"|\$(?:[@*]|\{[@*]\})/g, () => all)
      .replaceAll(
        /\$(?:(\d)|\{(\d)\})/g,
        (token, short?: string, long?: string) => given[Number(short ?? long)] ?? token,
      ),
  ];
}

/** A word of one pair of quotes without them. */
function bare(word: string): string {
  return /^'([^']*)'$/.exec(word)?.[1] ?? /^"([^"\\]*)"$/.exec(word)?.[1] ?? word;
}
