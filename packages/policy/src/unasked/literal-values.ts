/**
 * Other readings of a command line: variables whose value stands in the line are replaced by it.
 *
 * `d=/etc; cd $d; > x` is read as `d=/etc; cd /etc; > x` as well. Only values without any meaning for the shell are
 * followed, and only as text: what a loop or a branch makes of them is not known here, so the last one written counts,
 * and each word of a `for` gives a reading of its own.
 */
import type { CommandAnalysis, SimpleCommand, Span, Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { DECLARES } from "../builtins.ts";
import { listValues, readValues } from "./listed-values.ts";
import { assignedNumbers, isPlainValue, replaced } from "./literal-expansions.ts";

/** Readings of one line, one for each word of its loops. */
const MAX_READINGS = 16;
/** Longest line that is read again, and longest one that it may become, in UTF-16 units. */
const MAX_CHARS = 16 * 1024;
const MAX_READING_CHARS = 64 * 1024;

/** The text with known variables replaced, once for each word that a loop goes through; empty where nothing changes. */
export function withLiteralValues(
  command: string,
  analysis: CommandAnalysis,
  env: Readonly<Record<string, string>> = {},
): string[] {
  if (command.length > MAX_CHARS || !command.includes("$")) return [];
  const loops = loopsOf(analysis);
  const count = Math.min(MAX_READINGS, Math.max(1, ...loops.map(({ words }) => words.length)));
  const readings = Array.from({ length: count }, (_, turn) => replaceAll(command, analysis, loops, { env, turn }));
  return [...new Set(readings)].filter((text) => text !== command);
}

interface Loop {
  readonly name: string;
  readonly start: number;
  readonly words: readonly string[];
}

/** Each `for` with the words it goes through: the list is the first that stands in it. */
function loopsOf({ constructs }: CommandAnalysis): Loop[] {
  return constructs.flatMap((loop): Loop[] => {
    if (loop.kind !== "for") return [];
    const list = constructs.find((each) => each.kind === "word-list" && contains(loop.span, each.span));
    const words = list?.kind === "word-list" ? list.words.flatMap(listValues).filter(isFollowed) : [];
    return [{ name: loop.name, start: loop.span.start, words }];
  });
}

/** A pattern in a value is one where the variable stands unquoted, too. */
function isFollowed(value: string): boolean {
  return isPlainValue(value.replaceAll(/[*?[\]!^]/g, ""));
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** `${NAME:=value}`, which gives a variable without a value one; so does `${NAME=value}`. */
const DEFAULT_VALUE = /\$\{(\w+)(:?)=("?)([^{}$`"\\]*)\3\}/g;

/** What stands in the line, from left to right: a word to be read, or a name that has a value from here on. */
type Step = { readonly at: number } & (
  | { readonly word: Word }
  | { readonly expression: string }
  | { readonly name: string; readonly value: Word | string | null }
);

function replaceAll(
  command: string,
  analysis: CommandAnalysis,
  loops: readonly Loop[],
  { env, turn }: { env: Readonly<Record<string, string>>; turn: number },
): string {
  const values = new Map([["IFS", " "]]);
  for (const [name, value] of Object.entries(env)) assign(values, name, value);
  const steps = stepsOf(analysis, loops, turn).sort((one, other) => one.at - other.at);
  const assigned = new Set<string>();
  let text = "";
  let from = 0;
  for (const step of steps) {
    if ("word" in step) {
      const { span, text: source } = step.word;
      if (span.start < from || command.slice(span.start, span.end) !== source) continue;
      text += command.slice(from, span.start) + replaced(source, values);
      from = span.end;
      assignDefaults(values, assigned, source);
      if (text.length > MAX_READING_CHARS) return command;
    } else {
      if ("name" in step) assigned.add(step.name);
      take(step, values);
    }
  }
  return text + command.slice(from);
}

/** A variable whose value is not known may have one. */
function assignDefaults(values: Map<string, string>, assigned: ReadonlySet<string>, source: string): void {
  for (const [, name = "", colon, , value] of source.matchAll(DEFAULT_VALUE)) {
    const known = values.get(name);
    const isUnset = known === undefined ? !assigned.has(name) : colon === ":" && known === "";
    if (isUnset) assign(values, name, value);
  }
}

function assign(values: Map<string, string>, name: string, value: string | undefined): void {
  if (name === "IFS" && /^\s+$/.test(value ?? "")) values.set(name, " ");
  else if (value !== undefined && isFollowed(value)) values.set(name, value);
  else values.delete(name);
}

/** Gives a variable its value, or several with `((x=777, y=x))` and `let`. */
function take(step: Exclude<Step, { readonly word: Word }>, values: Map<string, string>): void {
  if ("name" in step) {
    assign(values, step.name, typeof step.value === "string" ? step.value : knownValue(step.value, values));
    return;
  }
  for (const [name, value] of assignedNumbers(step.expression, values)) assign(values, name, value);
}

/** The value of an assigned word with what is known so far in it. */
function knownValue(word: Word | null, values: ReadonlyMap<string, string>): string | undefined {
  if (word === null) return "";
  if (word.value !== null) return word.value;
  const { substitution, process, brace, locale } = word.expansions;
  if (substitution || process || brace || locale) return undefined;
  const text = replaced(word.display, values);
  return text.includes("$") ? undefined : text;
}

function stepsOf(analysis: CommandAnalysis, loops: readonly Loop[], turn: number): Step[] {
  const turns = loops.flatMap(({ name, start, words }): Step[] => {
    const value = words[Math.min(turn, words.length - 1)];
    return value === undefined ? [] : [{ at: start, name, value }];
  });
  const redirected = analysis.constructs.flatMap((each) =>
    each.kind === "redirection" ? read(each.redirection.target) : [],
  );
  const computed = analysis.constructs.flatMap(({ kind, text, span }): Step[] =>
    kind === "arithmetic" && text.startsWith("((") ? [{ at: span.start, expression: text.slice(2, -2) }] : [],
  );
  const listed = readValues(analysis).map(({ at, name, value }): Step => ({ at, name, value }));
  return [...turns, ...listed, ...redirected, ...computed, ...analysis.commands.flatMap(commandSteps)];
}

function read(word: Word | null): Step[] {
  if (word === null || !(word.expansions.variable || word.expansions.arithmetic)) return [];
  return [{ at: word.span.start, word }];
}

function commandSteps({ assignments, argv, redirections }: SimpleCommand): Step[] {
  const declares = DECLARES.has(firstValue(argv));
  return [
    ...assignments.map(({ name, value, span }): Step => ({ at: span.start, name, value })),
    ...(firstValue(argv) === "let" ? argv.slice(1).map(computedBy) : []),
    ...(declares ? argv.slice(1).flatMap(declared) : []),
    ...[...argv, ...redirections.map(({ target }) => target)].flatMap(read),
  ];
}

function computedBy({ display, span }: Word): Step {
  return { at: span.start, expression: display };
}

/** `NAME=value` as an argument. */
function declared({ value, span }: Word): Step[] {
  const [, name, given] = /^(\w+)=([\s\S]*)$/.exec(value ?? "") ?? [];
  return name === undefined || given === undefined ? [] : [{ at: span.start, name, value: given }];
}
