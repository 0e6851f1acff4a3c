/**
 * What is said of a command that wanted a person's input: it was ended because one of its programs waits for it, or it ended and
 * what it wrote last looks like a question.
 *
 * The first is a fact of the kernel (see docs/waiting.md). The second is read off the text, and so only where the command ended:
 * without a terminal most programs take the end of their input for an answer, many of them with status 0.
 */
import { analyzeCommand } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { outputText } from "@pi-bash/contract";
import { displayLine } from "@pi-bash/contract/internal";
import { clipped } from "@pi-bash/contract/internal/text";
import type { CommandResult } from "@pi-bash/executor";

/** What to do instead. */
const ADVICE =
  "Run it without questions (git: `-m`, `--no-edit`; others: `-y`, `--yes`, `--batch`), or on a terminal, where you have the task tool: `task` with `tty: true`.";

/** So much of the end is judged, in UTF-16 units. */
const JUDGED_UNITS = 600;
/** Longest question that is quoted, in UTF-16 units. */
const MAX_QUESTION_UNITS = 200;

/** Last words of programs that wanted input and got none. Each with its line. */
const PHRASES = [
  /^.*\bEOF when reading a line.*$/m,
  /^.*\b(?:the input device|stdin|standard input|input) is not (?:from )?a (?:terminal|TTY)\b.*$/im,
  /^.*\/dev\/tty\b.*(?:No such device|Device not configured).*$/m,
  /^.*\bcould not read (?:Username|Password)\b.*$/m,
  /^.*\bterminal prompts (?:have been )?disabled.*$/m,
  /^.*\bHost key verification failed\..*$/m,
  /^.*\b(?:a terminal|a password|no tty) (?:is )?(?:required|present)\b.*$/m,
  /^.*\bPrompts? (?:can ?not|could not) be .*\bnon-?(?:TTY|interactive)\b.*$/im,
  /^.*\[Y\/n\] Abort\.$/m,
  /^.*\[y,n,[^\]\n]*\?\]\?\s*$/m,
];

/** A line that ends so waits for something. */
const OPEN_END = /[?:>\])]\s*$/;

/** Words of a line that asks. */
const QUESTION_WORDS =
  /[[(]y(?:es)?[/,]n|\(m for help\)|(?<![-\w])(?:proceed|continue|overwrite|replace|remove|delete|confirm|password|passphrase|user ?name|are you sure|do you want|would you like|press (?:any|enter|return)|enter (?:a|the|your)|your (?:choice|name|selection)|ok to)\b/i;

/** Output past which a command that repeats itself is looked at, in bytes. */
const FLOOD_BYTES = 1024 * 1024;
/** Lines of its end that are looked at. */
const FLOOD_LINES = 100;
/** Most different lines among those. */
const FLOOD_DISTINCT = 3;

/** The lines about a result; none for most. `command`: what ran. */
export function askedInputNotice(result: CommandResult, command: string): string[] {
  const { inputWanted, exitCode } = result;
  if (inputWanted?.ended === true) return [ADVICE];
  if (inputWanted !== undefined) {
    const program = displayLine(inputWanted.program);
    return [`\`${program}\` (pid ${inputWanted.pid}) waits for a person's input and has no terminal. ${ADVICE}`];
  }
  const repeated = repeatedQuestion(result);
  if (repeated !== undefined)
    return [`It wrote ${quoted(repeated)} again and again: it asks for input that it does not get.`];
  if (exitCode === undefined) return [];
  const question = questionOf(result.output) ?? (isBareRead(result, command) ? "read" : undefined);
  if (question === undefined) return [];
  const meaning = exitCode === 0 ? "; exit status 0 may mean that nothing was done" : "";
  return [`It seems to have asked for input (${quoted(question)}) and got none${meaning}.`];
}

/** The question that the end of an output asks; undefined for most. */
export function questionOf(output: string): string | undefined {
  const end = outputText(output.slice(-JUDGED_UNITS), true);
  for (const phrase of PHRASES) {
    const found = phrase.exec(end)?.[0];
    if (found !== undefined) return found.trim();
  }
  const last = unfinishedLine(end);
  return OPEN_END.test(last) && QUESTION_WORDS.test(last) ? last.trim() : undefined;
}

/** What the end of an output asks where it is known that a program waits; undefined where it asks nothing. */
export function promptOf(output: string): string | undefined {
  const last = unfinishedLine(outputText(output.slice(-JUDGED_UNITS), true));
  return OPEN_END.test(last) ? clipped(displayLine(last), MAX_QUESTION_UNITS) : undefined;
}

function unfinishedLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** A flood that ends in the same few lines, of which the last asks. */
function repeatedQuestion({ totalBytes, output }: CommandResult): string | undefined {
  if (totalBytes <= FLOOD_BYTES) return undefined;
  const lines = output.replace(/\n+$/, "").split("\n").slice(-FLOOD_LINES);
  const last = lines.at(-1) ?? "";
  // Prompts end in no newline, so that they may all be one line.
  const question =
    new Set(lines).size > FLOOD_DISTINCT ? undefined : lines.length < FLOOD_LINES ? repeatedEnd(last) : last;
  return question !== undefined && OPEN_END.test(question) ? question : undefined;
}

/** What the end of a line consists of, where that is the same text again and again. */
function repeatedEnd(line: string): string | undefined {
  const end = line.slice(-JUDGED_UNITS);
  for (let length = 2; length * FLOOD_DISTINCT <= end.length; length += 1) {
    if (end.slice(length) === end.slice(0, -length)) return line.slice(-length);
  }
  return undefined;
}

/** It ended in `read`, which has nothing to read and says nothing. */
function isBareRead({ exitCode, output }: CommandResult, command: string): boolean {
  if (exitCode !== 1 || output !== "") return false;
  const { ok, commands } = analyzeCommand(command);
  return (
    ok &&
    commands.some(
      ({ argv, redirections, context }) =>
        firstValue(argv) === "read" &&
        !context.readsPipe &&
        !redirections.some(({ operator }) => operator.startsWith("<")),
    )
  );
}

function quoted(text: string): string {
  return `"${clipped(displayLine(text), MAX_QUESTION_UNITS)}"`;
}
