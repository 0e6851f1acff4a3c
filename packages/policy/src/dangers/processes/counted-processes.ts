/**
 * Ending processes by numbers that are counted or listed: `kill $(seq 2 65535)`, `cd /proc; kill
 * [0-9]*`. Whoever means some program knows its numbers by other ways.
 *
 * Where the numbers come from is read off the text: the words of `kill`, the list of the loop around it, what its variable
 * is assigned, and the stages before it. A loop that looks at each process means some of them.
 */
import type { CommandAnalysis, Construct } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { READS_LINES } from "../../builtins.ts";
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, leadingText, undecided } from "../call.ts";
import { placed } from "../devices/device-paths.ts";
import type { Field } from "../values/fields.ts";

/** More processes than anyone starts to end them by their numbers. */
const MANY_PROCESSES = 1_000;

/** How many processes some numbers are: all of them, perhaps all, or some. */
type Count = "all" | "perhaps" | "some";

/** The answer to numbers that are those of every process. */
export function judgeCounted(call: DangerCall): Refusal | undefined {
  if (call.added === undefined && call.args.every(({ value }) => value !== null)) return undefined;
  const loops = loopsAround(call);
  const isTested = loops.some(({ head }) => /&&|\|\||\bif\b|\bcase\b|\bcontinue\b/.test(head));
  // What comes before in the body looks at the process: `grep -q x $p/cmdline && kill $p`.
  if (isTested && loops.some(({ head }) => LOOKS.test(head))) return undefined;
  const found = [countFed(loops, call), ...call.args.map(({ text }) => countOf(text, loops, call))];
  const isListed = [...call.fields, ...(call.added ?? [])].some((field) => isProcessPattern(field, call));
  const all = isListed || found.includes("all");
  if (!all && !found.includes("perhaps")) return undefined;
  return all && !isTested
    ? block("kills-everything", `\`${call.name}\` of counted processes ends every process`)
    : undecided(`\`${call.name}\` of numbers that may be those of every process`);
}

/** What tells one process from another. */
const LOOKS = /\b(?:cmdline|comm|exe|environ|status|stat|cwd|maps|cgroup|ps|pgrep|lsof|ss|readlink)\b/;

/** `cd /proc; kill [0-9]*`. */
function isProcessPattern(field: Field, { folder }: DangerCall): boolean {
  const path = placed(field, folder);
  const isPattern = path.some(({ kind }) => kind === "star" || kind === "char");
  const names = path.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return isPattern && leadingText(path).startsWith("/proc/") && !names.slice("/proc/".length).includes("/");
}

interface Loop extends Pick<Construct, "kind" | "text" | "span"> {
  /** What stands in it before the command. */
  readonly head: string;
}

/** As much of a loop as is read at its start, and before a command in it, in UTF-16 units. */
const MAX_CHARS = 1_024;
/** Loops around each other that are looked at. */
const MAX_LOOPS = 4;

const COUNTS: ReadonlySet<string> = new Set(["for", "while", "arithmetic", "pipeline"]);

/** The loops and pipelines that a command stands in. */
function loopsAround({ command, line }: DangerCall): readonly Loop[] {
  const { span } = command.written;
  return line.constructs
    .filter((each) => COUNTS.has(each.kind) && each.span.start <= span.start && span.end <= each.span.end)
    .slice(-MAX_LOOPS)
    .map(({ kind, text, span: around }) => {
      const at = Math.max(0, span.start - around.start);
      return { kind, text: text.slice(0, MAX_CHARS), span: around, head: text.slice(Math.max(0, at - MAX_CHARS), at) };
    });
}

/** What `xargs` adds is printed by the stages before. */
function countFed(loops: readonly Loop[], { added }: DangerCall): Count {
  const piped = added === undefined ? [] : loops.filter(({ kind }) => kind === "pipeline");
  return worstOf(piped.map(({ text }) => countPrinted(text)));
}

function worstOf(counts: readonly Count[]): Count {
  return counts.find((each) => each === "all") ?? counts.find((each) => each === "perhaps") ?? "some";
}

function countOf(text: string, loops: readonly Loop[], call: DangerCall): Count {
  const sources = variablesIn(text).flatMap((name) => sourcesOf(name, loops, call.line));
  return worstOf([
    countIn(text),
    ...sources.map(countIn),
    ...variablesIn(text).flatMap((name) => loops.map((loop) => countedBy(name, loop))),
  ]);
}

/** The variables that a word is made of: not those that only choose an element, or that another program is given. */
function variablesIn(text: string): readonly string[] {
  if (/\$\((?!\()|`/.test(text) && !/(?:\$\(|`)\s*(?:basename|echo|printf|expr)\s/.test(text)) return [];
  const plain = text.replaceAll(/\[[^\]]*\]/g, "").replaceAll(/\$\(\(\s*/g, "$");
  return [...plain.matchAll(/\$\{?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
}

/** The texts that give a variable its values. */
function sourcesOf(name: string, loops: readonly Loop[], { commands, constructs }: CommandAnalysis): readonly string[] {
  const lists = loops.flatMap((loop) => (headOf(loop.text, name) ? [listOf(loop.text)] : []));
  const assigned = commands.flatMap(({ assignments }) => assignments.filter((each) => each.name === name));
  const given = [...lists, ...assigned.map(({ text }) => text.slice(0, MAX_CHARS))];
  const reads = commands.filter(
    ({ argv }) => READS_LINES.has(firstValue(argv)) && argv.some((word) => word.value === name),
  );
  if (reads.length === 0) return given;
  const own = reads.flatMap(({ redirections }) => redirections.map(({ text }) => text));
  const behind = constructs.filter(
    ({ kind, span }) => kind === "redirection" && loops.some((loop) => isBehind(span.start, loop)),
  );
  const piped = loops.flatMap(({ kind, text }) =>
    kind === "pipeline" ? [text.slice(0, text.search(/\bread\b/) + 1)] : [],
  );
  return [...given, ...own, ...behind.map(({ text }) => text), ...piped];
}

/** The redirections of a block follow its end. */
function isBehind(at: number, { span }: Loop): boolean {
  return span.end <= at && at <= span.end + 64;
}

function headOf(text: string, name: string): boolean {
  return new RegExp(`^for\\s+${name}\\s+in\\s`).test(text);
}

/** The words that a loop goes through. */
function listOf(text: string): string {
  const end = text.search(/[;\n]\s*do\b/);
  return end === -1 ? text : text.slice(0, end);
}

const RANGES = /(?:\{\d{1,9}\.\.\d{1,9}(?:\.\.-?\d+)?\})+/g;

function countIn(text: string): Count {
  const plain = text.replaceAll(/\$\([^()]*\)|`[^`]*`/g, " ");
  if ([...plain.matchAll(RANGES)].some(([ranges]) => sizeOf(ranges) >= MANY_PROCESSES)) return "all";
  return /\/proc\/[^\s/;|&)"']*[*?[][^\s/;|&)"']*\/?(?=[\s;|&)"']|$)/.test(plain) ? "all" : countPrinted(text);
}

/** How many words `{1..9}{0..9}` becomes. */
function sizeOf(ranges: string): number {
  const each = [...ranges.matchAll(/\{(\d+)\.\.(\d+)/g)];
  return each.reduce((size, [, from, to]) => size * (Math.abs(Number(to) - Number(from)) + 1), 1);
}

/** The numbers that commands in a text print. */
function countPrinted(text: string): Count {
  const echoed = [...text.matchAll(/\b(?:echo|printf|ls)\s[^|;&)`]*/g)].map(([words]) => words);
  if (echoed.some((words) => [...words.matchAll(RANGES)].some(([ranges]) => sizeOf(ranges) >= MANY_PROCESSES)))
    return "all";
  if (echoed.some((words) => /\/proc\/[^\s/]*[*?[][^\s/]*(?:\s|$)/.test(words))) return "all";
  const counted = [...text.matchAll(/(?:^|[\s|;&(`/])(?:g?seq|jot)\s+([^|;&)`]*)/g)].map(([, words]) =>
    countOfSeq(words ?? ""),
  );
  if (counted.length > 0) return worstOf(counted);
  const names = /\bcd\s+\/proc\b/.test(text) && /(?:^|[\s;&(`])(?:echo|printf|ls)\b/.test(text);
  const isListed =
    names || /(?:^|[\s|;&(`])(?:ls|dir|g?find|fd)\s(?:[^|;&)`]{0,199}\s)?\/proc\/?(?=[\s|;&)`]|$)/.test(text);
  return isListed && !LOOKS.test(text) ? "perhaps" : "some";
}

/** `seq LAST`, `seq FIRST LAST` and `seq FIRST STEP LAST`; `jot` has the count first. */
function countOfSeq(words: string): Count {
  const operands = words
    .trim()
    .split(/\s+/)
    .filter((word) => !/^-[a-z]|^['"]|^\d*[<>]/.test(word));
  if (operands.some((word) => !/^-?\d+$/.test(word))) return "perhaps";
  const numbers = operands.map(Number);
  const last = numbers.at(-1) ?? 0;
  return Math.max(Math.abs(last - (numbers.length > 1 ? (numbers[0] ?? 0) : 0)), 0) >= MANY_PROCESSES ? "all" : "some";
}

const COUNTS_BY_HAND: ReadonlySet<string> = new Set(["while", "arithmetic"]);

/** `for ((i=2; i<99999; i++))`, and a loop that counts a variable up by itself. */
function countedBy(name: string, { kind, text }: Loop): Count {
  const [, from, to] =
    new RegExp(`^for\\s*\\(\\(\\s*${name}\\s*=\\s*([^;]*);\\s*[^;]*?[<>!]=?([^;]*);`).exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const [first, last] = [Number(from), Number(to)];
    if (Number.isNaN(first) || Number.isNaN(last)) return "perhaps";
    return Math.abs(last - first) >= MANY_PROCESSES ? "all" : "some";
  }
  const counts = `(?:\\b${name}\\s*(?:\\+\\+|--|[-+]=)|(?:\\+\\+|--)${name}\\b|\\b${name}=\\$\\(\\(\\s*\\$?${name}\\s*[-+]|\\b${name}=[\`$(]+expr\\s+\\$${name}\\b)`;
  return COUNTS_BY_HAND.has(kind) && new RegExp(counts).test(text) ? "perhaps" : "some";
}
