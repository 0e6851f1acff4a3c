/**
 * `chmod -R 777` in every spelling: everyone gets all rights to whole folders.
 *
 * What counts is what others end up with, read from the mode, and whether whole trees get it: by `-R`, by `find` and
 * `fd`, by `xargs` behind them, or by `**`.
 */
import type { CommandAnalysis, EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { type Refusal, refuse } from "../finding.ts";

/** Programs that list whole trees. */
const LISTERS = /^(?:find|gfind|fd|fdfind|tree|rg|ls)$/;

/** Why a command opens whole folders to everyone; undefined where it does not. */
export function opensModes(command: EffectiveCommand, analysis: CommandAnalysis): Refusal | undefined {
  for (const { name, args } of programsIn(command)) {
    if (!opens(name, args) || !(isRecursive(name, args) || isSpread(command, args, analysis))) continue;
    return refuse("open-modes", "write", `\`${name}\` gives everyone all rights to whole folders`);
  }
  return undefined;
}

/** The program, or every word that may be it where a wrapper was not understood. */
function programsIn({ argv, unresolved }: EffectiveCommand): { name: string; args: readonly Word[] }[] {
  const last = unresolved === undefined ? 1 : argv.length;
  return argv.slice(0, last).flatMap((word, at) => {
    const name = programName(word.value ?? "");
    return /^(?:g?chmod|setfacl)$/.test(name) ? [{ name, args: argv.slice(at + 1) }] : [];
  });
}

function opens(name: string, args: readonly Word[]): boolean {
  const words = args.map(({ value }) => value ?? "");
  if (name === "setfacl")
    return words.some((text) => /(?:^|[,=])(?:d(?:efault)?:)?o(?:ther)?s?:?:?(?:rwx|7)\b/.test(text));
  const mode = words.find((text) => !isOption(text));
  return mode !== undefined && givesAll(mode);
}

/** `-w` is a mode, `-R` an option. */
function isOption(text: string): boolean {
  return /^--/.test(text) || /^-[Rcfv]+$/.test(text);
}

/** Longest mode that is read, in UTF-16 units; what is longer may be anything. */
const MAX_MODE_CHARS = 512;

/** Whether others have every right in the end. */
function givesAll(mode: string): boolean {
  if (mode.length > MAX_MODE_CHARS) return true;
  if (/^[-+=]?[0-7]+$/.test(mode)) return !mode.startsWith("-") && mode.endsWith("7");
  const rights = { u: new Set<string>("rwx"), g: new Set<string>(), o: new Set<string>() };
  for (const clause of mode.split(",")) {
    const [, who = "", changes = ""] = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(clause) ?? [];
    const classes = (["u", "g", "o"] as const).filter((each) => who.includes(each) || who.includes("a"));
    for (const [, operator = "", letters = ""] of changes.matchAll(/([-+=])([rwxXstugo]*)/g)) {
      for (const each of classes) change(rights[each], operator, lettersOf(letters, rights));
    }
  }
  return ["r", "w", "x"].every((right) => rights.o.has(right));
}

function lettersOf(letters: string, rights: Record<"u" | "g" | "o", ReadonlySet<string>>): string[] {
  return [...letters].flatMap((letter) =>
    letter === "u" || letter === "g" || letter === "o" ? [...rights[letter]] : [letter.toLowerCase()],
  );
}

function change(rights: Set<string>, operator: string, letters: readonly string[]): void {
  if (operator === "=") rights.clear();
  for (const letter of letters) {
    if (operator === "-") rights.delete(letter);
    else rights.add(letter);
  }
}

/** `-R` in any bundle, `--recursive` in any abbreviation that is no `--reference`. */
function isRecursive(name: string, args: readonly Word[]): boolean {
  const end = args.findIndex(({ value }) => value === "--");
  const bundle = name === "setfacl" ? /^-[a-zA-Z]*R/ : /^-[Rcfv]*R/;
  return args
    .slice(0, end === -1 ? args.length : end)
    .some(({ value }) => bundle.test(value ?? "") || /^--rec(?:u(?:r(?:s(?:i(?:ve?)?)?)?)?)?$/.test(value ?? ""));
}

/** One change for every file that something else lists. */
function isSpread({ via, simple }: EffectiveCommand, args: readonly Word[], analysis: CommandAnalysis): boolean {
  if (args.some(({ text, expansions }) => expansions.glob && text.includes("**"))) return true;
  if (via.some((each) => /^(?:find -|fd --exec)/.test(each))) return true;
  const isListed = via.includes("xargs") || via.includes("parallel") || simple.context.loop || args.some(isSubstituted);
  return isListed && (analysis.effective.some(isLister) || loopsThroughTrees(analysis));
}

function isSubstituted({ expansions }: Word): boolean {
  return expansions.substitution;
}

/** `ls` lists one folder, unless an option makes it go on. */
function isLister({ argv }: EffectiveCommand): boolean {
  const name = programName(firstValue(argv));
  if (!LISTERS.test(name)) return false;
  if (name === "rg") return argv.some(({ value }) => value === "--files");
  return name !== "ls" || argv.some(({ value }) => /^-[a-zA-Z]*R|^--recursive$/.test(value ?? ""));
}

function loopsThroughTrees({ constructs }: CommandAnalysis): boolean {
  return constructs.some(
    (each) =>
      each.kind === "word-list" && each.words.some(({ text, expansions }) => expansions.glob && text.includes("**")),
  );
}
