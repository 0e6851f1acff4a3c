/**
 * The numbers of all processes, as `ps` and `lsof` list them and as `awk` and others hand them on: `ps aux | awk '{print $2}'`.
 *
 * A list that something narrows (`grep node`, `head` of a sorted list, `-C node`) is not followed: what is left of it may
 * be what was meant. Sources: ps(1) of procps-ng and of macOS, lsof(8), POSIX.1-2024 awk.
 */
import type { CommandAnalysis, EffectiveCommand, SimpleCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { type GivenOptions, readGivenOptions } from "../given-options.ts";
import { expandWord, type Field, knownText, type Values } from "../values/fields.ts";
import type { Pipelines } from "../values/pipelines.ts";
import { FIRST, ownerSelected } from "./process-patterns.ts";

/** Words of a call, read. */
type Words = Parameters<typeof readGivenOptions>[0];

/** Lines of all processes. */
interface ProcessList {
  /** Which of the words of a line is the number, counted from 1. */
  readonly column: number;
  /** The first lines are those of certain processes, not of the oldest ones. */
  readonly sorted: boolean;
}

/** Longest word of a program on the way that is looked at, in UTF-16 units. */
const MAX_WORD = 200;
/** Stages of a pipeline that a list is followed through. */
const MAX_STAGES = 16;

const PS = { valued: "CGOUgkopqstu", longValued: "format sort pid ppid user group tty cols columns width" };

const FORMATS: ReadonlySet<string> = new Set(["-o", "--format"]);

/** What `ps` lists where that is every process, every one of the system's or every one of this user's. */
function listedProcesses(words: Words): ProcessList | undefined {
  const { options, operands } = readGivenOptions(words, PS);
  // Letters without a dash are those of BSD. `x` alone: all of this user's.
  const letters = operands.flatMap((field) => /^[aAxuelfvjswcro]+$/.exec(knownText(field) ?? "") ?? []).join("");
  const isAll =
    options.some(({ name, values }) => /^-[eAx]$/.test(name) || (name === "-u" && isX(values))) ||
    letters.includes("x") ||
    ownerSelected({ options, operands }, words) !== undefined;
  if (!isAll) return undefined;
  const sorted = options.some(({ name }) => name.startsWith("--sort") || name === "-k");
  const formats = options.flatMap(({ name, values }) => (FORMATS.has(name) ? values : []));
  // `ps axo pid`.
  const at = words.args.findIndex(({ value }) => /^[a-z]{1,4}o$/.test(value ?? ""));
  if (at !== -1) formats.push(...words.args.slice(at + 1, at + 2).flatMap((word) => words.fieldsOf(word)));
  if (formats.length > 0) {
    const names = formats.flatMap((field) => (knownText(field) ?? "unknown").split(/[\s,]+/));
    const column = names.findIndex((name) => /^(?:pid|tgid)(?:=.*)?$/.test(name)) + 1;
    return column === 0 ? undefined : { column, sorted };
  }
  return { column: usualColumn(options, letters), sorted };
}

/** `-aux`, which is read as `aux` where no user is called `x`. */
function isX(values: readonly Field[]): boolean {
  return values.some((field) => knownText(field) === "x");
}

/** What `lsof` lists where that is every process that has a file open, or every one of a user's. */
function listedByFiles(words: Words): ProcessList | undefined {
  const texts = words.args.map(({ value, text }) => value ?? text);
  const given = readGivenOptions(words, { valued: "ucpgds" });
  const isAnded = texts.some((text) => /^-[a-zA-Z]*a/.test(text)) && given.operands.length > 0;
  const isSome = isAnded || texts.some((text) => /^[-+][a-zA-Z]*[icdgpNUDE]/.test(text));
  const isWhole = texts.every((text) => /^-[tnPwblR]+$|^\/$/.test(text));
  if (isSome || (!isWhole && ownerSelected(given, words) === undefined)) return undefined;
  return { column: texts.some((text) => /^-[a-zA-Z]*t/.test(text)) ? 1 : 2, sorted: false };
}

/** Where the number stands in a format that letters name. */
function usualColumn(options: GivenOptions["options"], letters: string): number {
  const has = (name: RegExp): boolean => options.some((option) => name.test(option.name));
  if (has(/^-l$/)) return has(/^-y$/) ? 3 : 4;
  if (has(/^-[fF]$/)) return 2;
  if (letters.includes("l")) return 3;
  return /[ujs]/.test(letters) || options.some(({ name, values }) => name === "-u" && isX(values)) ? 2 : 1;
}

const LISTERS: ReadonlyMap<string, (words: Words) => ProcessList | undefined> = new Map([
  ["ps", listedProcesses],
  ["lsof", listedByFiles],
]);

type HandsOn = (words: readonly string[], list: ProcessList) => ProcessList | undefined;

/** What programs make of the lines that they read; undefined where they narrow them. */
const HANDS_ON: readonly (readonly [RegExp, HandsOn])[] = [
  [/^(?:cat|tac|tr|uniq|tee|column|pv|sponge)$/, (_, list) => list],
  // Which column is left is not looked at.
  [/^cut$/, (_, list) => inFirstColumn(list)],
  [/^sort$/, (_, list) => ({ ...list, sorted: true })],
  [/^head$/, (_, list) => (list.sorted ? undefined : list)],
  [/^tail$/, (words, list) => (!list.sorted && words.some((word) => word.includes("+")) ? list : undefined)],
  [/^[ef]?grep$/, (words, list) => (isInverse(words) ? list : undefined)],
  [/^g?sed$/, (words, list) => (EDIT.test(words.filter((word) => word !== "-e").join(" ")) ? list : undefined)],
  [/^[gmn]?awk$/, printedColumn],
];

function handedOn(argv: readonly Word[], list: ProcessList): ProcessList | undefined {
  const name = programName(firstValue(argv));
  const words = argv.slice(1).map(({ value, leading }) => value ?? leading);
  if (words.some((word) => word.length > MAX_WORD)) return undefined;
  return HANDS_ON.find(([names]) => names.test(name))?.[1](words, list);
}

/** `grep -v x` leaves out some; with `-f` it may leave out all but a few. */
function isInverse(words: readonly string[]): boolean {
  const has = (option: RegExp): boolean => words.some((word) => option.test(word));
  return has(/^(?:-[a-zA-Z]*v|--inv)/) && !has(/^(?:-[a-zA-Z]*f|--file)/);
}

/** Commands of `sed` that change lines or leave out the heading. */
const EDIT = /^(?:[12] ?d|1,2 ?d|-n 2,\$ ?p|s([/|,#!@])(?:(?!\1).)*\1(?:(?!\1).)*\1[gI0-9]{0,9})$/;

const HEADING = String.raw`F?NR\s{0,9}(?:>=?|!=)\s{0,9}\d+`;
const PRINT = String.raw`print(?:f\s{0,9}"%[sd](?:\\n| )",)?\s{0,9}\(?\s{0,9}\$(?<column>\d+)\s{0,9}\)?\s{0,9};?\s{0,9}`;
/** Programs of `awk` that print one word of each line, or of each but the first and those that they leave out. */
const COLUMNS = [
  new RegExp(String.raw`^\s{0,9}(?:${HEADING}|!\s{0,9}/[^/]*/)?\s{0,9}\{\s{0,9}${PRINT}\}\s{0,9}$`),
  new RegExp(
    String.raw`^\s{0,9}\{\s{0,9}if\s{0,9}\(\s{0,9}${HEADING}\s{0,9}\)\s{0,9}\{?\s{0,9}${PRINT}\}{1,2}\s{0,9}$`,
  ),
];

function printedColumn(words: readonly string[], list: ProcessList): ProcessList | undefined {
  const [program = "", ...others] = words.filter((word) => !/^(?:-F)? ?$/.test(word));
  const column = COLUMNS.map((pattern) => pattern.exec(program)?.groups?.["column"]).find((each) => each !== undefined);
  return others.length === 0 && Number(column ?? 0) === list.column ? inFirstColumn(list) : undefined;
}

function inFirstColumn(list: ProcessList): ProcessList {
  return { ...list, column: 1 };
}

/** The lists of one line, through the stages of its pipelines. */
export class ProcessLists {
  readonly #analysis: CommandAnalysis;
  readonly #pipelines: Pipelines;

  constructor(analysis: CommandAnalysis, pipelines: Pipelines) {
    this.#analysis = analysis;
    this.#pipelines = pipelines;
  }

  /** Whether the pipeline that a command stands in begins with a list. */
  beginsWithList(simple: SimpleCommand): boolean {
    return LISTERS.has(programName(firstValue(this.#stagesUpTo(simple)[0]?.argv)));
  }

  /** What a command prints of the list that its pipeline begins with: the first process where nothing narrowed it. */
  printedBy(simple: SimpleCommand, at: (command: EffectiveCommand) => Values): readonly Field[] | undefined {
    const [first, ...others] = this.#stagesUpTo(simple);
    if (first === undefined) return undefined;
    const fieldsOf: Words["fieldsOf"] = (word) => expandWord(word, at(first));
    const listed = LISTERS.get(programName(firstValue(first.argv)));
    let list = listed?.({ args: first.argv.slice(1), fieldsOf, added: undefined });
    for (const { argv } of others) list &&= handedOn(argv, list);
    return list && FIRST;
  }

  /** The stages from the first one on, of each its first command; none of a pipeline that is too long. */
  #stagesUpTo(simple: SimpleCommand): readonly EffectiveCommand[] {
    const stages: SimpleCommand[] = [];
    for (let next: SimpleCommand | undefined = simple; next !== undefined; ) {
      if (stages.length >= MAX_STAGES) return [];
      stages.unshift(next);
      next = this.#pipelines.feederOfSimple(next)?.[0];
    }
    return stages.flatMap((stage) => this.#analysis.effective.find(({ written }) => written === stage) ?? []);
  }
}
