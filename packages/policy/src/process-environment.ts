/**
 * Finds words that may name the environment of another process (`/proc/PID/environ`), which can hold what was withheld
 * from the session.
 *
 * A path is judged as it may come out: patterns are compared, variables may be anything, `..` and a changed folder lead
 * anywhere. What is below `/proc` is refused but for files that are known to hold none. Programs that show only names
 * may look there, unless the line makes file names of what a program prints. Links are not followed: a link in the
 * workspace that leads there is the sandbox's matter.
 */
import { posix } from "node:path";
import type { CommandAnalysis, EffectiveCommand, Redirection, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { braceWords } from "./brace-words.ts";
import type { PathContext } from "./danger-paths.ts";
import type { Finding } from "./finding.ts";
import { isMove } from "./folders.ts";
import { redirectionsOf } from "./rules/match.ts";

/** Files below `/proc` without an environment; in the place of a process any single component may stand. */
const HARMLESS =
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|version|uptime|stat|mounts|filesystems|partitions|swaps|devices|modules|vmstat|diskstats|interrupts|softirqs|cmdline|cgroups|crypto|buddyinfo|zoneinfo|slabinfo|net\/\w+|pressure\/\w+|sys\/[\w.-]+(?:\/[\w.-]+)*|[^/]+\/(?:status|stat|statm|maps|smaps|smaps_rollup|limits|cgroup|mountinfo|mounts|comm|cmdline|io|sched|schedstat|wchan|oom_score|oom_score_adj|uid_map|gid_map|net\/\w+))$/;

/** Programs that show names, sizes and times, and never what a file holds. */
const SHOWS_NAMES =
  /^(?:ls|dir|vdir|stat|readlink|realpath|basename|dirname|test|\[|tree|du|df|find|pwd|echo|printf|lsblk)$/;
/** Options by which one of those reads names out of a file, and prints them: `du --files0-from`, `tree --fromfile`. */
const READS_NAMES = /^--(?:fi|fr|git|inf|exclude-f)|^-[^-]*X/;
/** Programs that go through folders by themselves, also without an operand. */
const RECURSES = /^(?:rg|ag|grep|egrep|fgrep)$/;

/** Findings for everything in a line that may read the environment of a process. */
export function findEnvironmentReads(
  analysis: CommandAnalysis,
  pathsOf: (command: EffectiveCommand) => PathContext,
): Finding[] {
  const line: Line = {
    makesNames: makesNames(analysis),
    moves: analysis.effective.some((command) => isMove(command) || command.elsewhere),
  };
  const commands = analysis.effective.filter((command) => mayRead(command, pathsOf(command).cwd, line));
  const lists = analysis.constructs.filter(
    (construct) =>
      construct.kind === "word-list" && construct.words.some((word) => isEnvironment(word, undefined, line)),
  );
  const inputs = line.makesNames ? redirectionsOf(analysis).filter(givesName) : [];
  return [...commands, ...lists, ...inputs].map(({ span }) => ({
    code: "shows-environment",
    severity: "unknown",
    message: "may show the environment of a process",
    span,
  }));
}

/** A text that is given as input, out of which `read` or `xargs` makes names of files. */
function givesName({ operator, target, body }: Redirection): boolean {
  const text = operator === "<<<" ? target?.display : body;
  return text !== undefined && /environ|\/proc\b/.test(text);
}

/** True for the target of a redirection that may be the environment of a process. */
export function isEnvironmentFile(word: Word): boolean {
  return isEnvironment(word, undefined, { makesNames: true, moves: true });
}

interface Line {
  /** What a program prints becomes names of files: `xargs`, `$(…)`, `read`. */
  readonly makesNames: boolean;
  /** It changes the folder on the way. */
  readonly moves: boolean;
}

function makesNames(analysis: CommandAnalysis): boolean {
  return (
    analysis.effective.some(
      ({ via, argv }) => via.some((each) => /xargs|exec/.test(each)) || firstValue(argv) === "read",
    ) || analysis.constructs.some(({ kind }) => kind === "command-substitution" || kind === "process-substitution")
  );
}

function mayRead(command: EffectiveCommand, cwd: string | undefined, line: Line): boolean {
  const name = programName(firstValue(command.argv));
  if (wordsOfXargs(command).some((word) => isEnvironment(word, cwd, line))) return true;
  const words = command.argv.slice(1);
  const printsAFile = words.some((word) => READS_NAMES.test(word.display));
  if (SHOWS_NAMES.test(name) && !line.makesNames && !printsAFile) return false;
  if (words.some((word) => isEnvironment(word, cwd, line))) return true;
  const reads = !SHOWS_NAMES.test(name) || name === "find";
  if (reads && words.some((word) => isRoot(word, cwd))) return true;
  return cwd !== undefined && (isBelowProc(cwd) || (cwd === "/" && RECURSES.test(name)));
}

/** The words before the command of `xargs`, of which one may name its file: `-a /proc/1/environ`. */
function wordsOfXargs({ via, argv, simple }: EffectiveCommand): Word[] {
  return via.includes("xargs") ? simple.argv.filter((word) => !argv.includes(word)) : [];
}

function isRoot(word: Word, cwd: string | undefined): boolean {
  const text = word.value ?? "";
  if (!text.startsWith("/") && (cwd === undefined || !/^\.{1,2}(?:\/|$)/.test(text))) return false;
  return posix.resolve(cwd ?? "/", text) === "/";
}

function isBelowProc(path: string): boolean {
  return path === "/proc" || path.startsWith("/proc/");
}

function isEnvironment(word: Word, cwd: string | undefined, line: Line): boolean {
  return wordsMadeOf(word).some((each) => mayLeadThere(each, cwd, line));
}

/** The words that braces make of one, where that can be determined: `{a,b}.ts` is two names, `{1..5}` five numbers. */
function wordsMadeOf(word: Word): readonly Word[] {
  const { brace, ...others } = word.expansions;
  const text = word.display.replaceAll(/\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}/g, "0");
  if (!brace || text.includes("..") || Object.values(others).includes(true)) return [word];
  const made = braceWords(text);
  if (made.some((each) => each.includes("{"))) return [word];
  return made.map((each) => ({ ...word, display: each, value: each, expansions: { ...others, brace: false } }));
}

function mayLeadThere(word: Word, cwd: string | undefined, line: Line): boolean {
  // Options carry paths, too: `--file=/proc/1/environ`, `-f/proc/1/environ`.
  const text = word.display.replace(/^--?[\w-]*=?(?=\/|\.\.)/, "");
  const absolute =
    text.startsWith("/") || /^[$`*?[{~<]/.test(text) ? text : cwd === undefined ? text : `${cwd}/${text}`;
  const parts = absolute.split("/").filter((part) => part !== "" && part !== ".");
  if (isHarmlessFile(absolute, parts, word)) return false;
  // `/dev/fd` and its neighbours are links into `/proc`: what `..` leads to behind them is not what the text says.
  if (parts.includes("..") && mayBe(parts[0] ?? "", "dev", word)) return true;
  const leads = parts.some((part) => mayBe(part, "environ", word));
  const proc = parts.some((part) => mayBe(part, "proc", word));
  const winds = parts.includes("..") || line.moves || unknownStart(absolute, word);
  if (leads && (proc || winds) && namesIt(parts, word)) return true;
  const [first] = posix
    .normalize(absolute)
    .split("/")
    .filter((part) => part !== "");
  if (!absolute.startsWith("/") || first === undefined || !mayBe(first, "proc", word)) return false;
  return true;
}

/** A file of the list; a variable may stand for the process, unless it may become several words. */
function isHarmlessFile(path: string, parts: readonly string[], word: Word): boolean {
  const isOne = !word.splits || /^[^$]*\$(?:PPID|[$!])[^$]*$/.test(path);
  return isOne && !parts.includes("..") && HARMLESS.test(posix.normalize(path));
}

/** What may be anything only counts where something in the word points to `/proc` or to the file. */
function namesIt(parts: readonly string[], word: Word): boolean {
  return parts.some((part) => hasText(part) && (mayBe(part, "environ", word) || mayBe(part, "proc", word)));
}

/** A component with a letter that stands there literally, or a bracket or brace that may hold one. */
function hasText(part: string): boolean {
  const [head, tail] = literalEnds(part);
  return /\w/.test(head) || /\w/.test(tail) || /[[{]/.test(part.replaceAll("{}", ""));
}

function unknownStart(text: string, word: Word): boolean {
  return word.value === null && /^[$`~<]/.test(text);
}

/** Whether a component of a path may come out as a name, with its patterns, braces and variables. */
function mayBe(part: string, name: string, word: Word): boolean {
  if (word.value !== null || part === name) return part === name;
  const [head, tail] = literalEnds(part);
  // What stands between them, be it a pattern or a variable, may be anything.
  return head.length + tail.length < part.length && name.startsWith(head) && name.endsWith(tail);
}

/** The literal text before the first and behind the last character that bash expands. */
function literalEnds(part: string): readonly [string, string] {
  let from = 0;
  while (from < part.length && !isSpecial(part[from] ?? "")) from++;
  let to = part.length;
  while (to > from && !isSpecial(part[to - 1] ?? "")) to--;
  // A variable's name belongs to what is expanded, and so does what a brace holds.
  const tail = /[$`]/.test(part) ? "" : part.slice(to);
  return [part.slice(0, from), tail];
}

function isSpecial(char: string): boolean {
  return "$`{}()*?[]…@+!,".includes(char);
}
