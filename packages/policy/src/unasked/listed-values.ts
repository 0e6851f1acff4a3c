/**
 * Values that a loop goes through without naming each: patterns, braces, and what a program lists.
 *
 * `for f in /etc/*.conf` and `find /etc -type f | while read f` give a variable paths of one folder. A pattern stands for
 * what it matches, and the place that a listing begins in for what it prints.
 */
import { analyzeCommand, type CommandAnalysis, type Construct, type SimpleCommand, type Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { braceWords } from "../brace-words.ts";
import { READS_LINES } from "../builtins.ts";
import { loopsOf } from "./loops.ts";

/** Programs that print the paths they are given, or paths below them. */
const LISTS = /^(?:echo|printf|find|gfind|fd|fdfind|locate)$/;
/** With `-l` these print names, else what is in the files. */
const SEARCHES = /^(?:[ef]?grep|rg|ag|ack)$/;
/** Paths of one listing that are followed. */
const MAX_PATHS = 4;

/** A variable, and a path that it may be. */
interface LoopValue {
  readonly name: string;
  readonly value: string;
}

/** What the loops of a line take from a listing: that of a `for`, one before a `read`, or one behind its loop. */
export function loopValues(analysis: CommandAnalysis): readonly LoopValue[] {
  const { commands, constructs } = analysis;
  const lists = loopsOf(analysis).flatMap(({ name, words }) => words.flatMap(listed).map((value) => ({ name, value })));
  const reads = commands.filter(({ argv }) => READS_LINES.has(firstValue(argv)));
  const read = reads.flatMap((each): readonly LoopValue[] => {
    const given = constructs.flatMap((construct) => listedBeside(each, construct)).slice(0, MAX_PATHS);
    const names = each.argv.slice(1).flatMap(({ value }) => (/^[A-Za-z_]\w*$/.test(value ?? "") ? [value ?? ""] : []));
    return (names.length === 0 ? ["REPLY"] : names).flatMap((name) => given.map((value) => ({ name, value })));
  });
  return [...lists, ...read].filter(({ value }) => PLAIN_PATH.test(value));
}

/** A path that means the same wherever it stands in a line, patterns among it. */
const PLAIN_PATH = /^[\w./*?[\]@%+:,-]+$/;

function listed(word: Word): readonly string[] {
  return word.expansions.substitution ? scriptValues(/^"?(?:\$\(([\s\S]*)\)|`([\s\S]*)`)"?$/.exec(word.text)) : [];
}

function listedBeside(read: SimpleCommand, construct: Construct): readonly string[] {
  if (construct.kind === "pipeline") {
    const at = construct.stages.findIndex((stage) => stage.includes(read));
    return at < 1 ? [] : (construct.stages[at - 1] ?? []).flatMap(({ argv }) => pathsListed(argv));
  }
  const isBehind = construct.kind === "redirection" && construct.span.start > read.span.end;
  const own = read.redirections.map(({ text }) => text);
  return isBehind || own.length > 0
    ? [...(isBehind ? [construct.text] : []), ...own].flatMap((text) => scriptValues(/<\s*<\(([\s\S]*)\)$/.exec(text)))
    : [];
}

function scriptValues(match: RegExpExecArray | null): readonly string[] {
  const script = match?.[1] ?? match?.[2];
  const [command] = script === undefined ? [] : analyzeCommand(script).effective;
  return command === undefined ? [] : pathsListed(command.argv);
}

/** The paths among the words of a program that lists them; `ls` prints a folder's names without it. */
function pathsListed([program, ...words]: readonly Word[]): readonly string[] {
  const name = programName(program?.value ?? "");
  const isList = name === "ls";
  const printsNames = SEARCHES.test(name) && words.some(({ value }) => /^-[a-zA-Z]*l|^--files-with/.test(value ?? ""));
  if (!isList && !LISTS.test(name) && !printsNames) return [];
  const isWhole = isList && words.some(({ value }) => /^-\w*d/.test(value ?? ""));
  return words
    .filter(({ expansions }) => !isList || isWhole || expansions.glob)
    .flatMap(pathsOf)
    .filter((text) => text.startsWith("/"))
    .slice(0, MAX_PATHS);
}

/** The paths that a word names, as they are written. */
function pathsOf(word: Word): readonly string[] {
  if (word.value !== null) return [word.value];
  const { glob, brace, ...others } = word.expansions;
  if (Object.values(others).includes(true)) return [];
  return brace ? braceWords(word.display) : [word.display];
}
