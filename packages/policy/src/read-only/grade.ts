/**
 * How much has to hold a line that only reads: nothing, the strict half of the tables, all of them, or the kernel.
 *
 * # Theory of operation
 * The tables say which calls only read; here is how far their word goes. A program is *strict* where every option of it
 * is known and none of its calls can run another program or a script. A program with a language (`awk`, `jq`), helpers
 * (`tar`), a configuration that the project brings (`ack`, most of `git`), or whose work is running others (`xargs`,
 * `find -exec`, `sh -c`) is not strict, however carefully its words are read. Builtins alone start no program at all.
 * A program that is added to the tables and not named here has the grade `tables`: it is not strict.
 */
import type { CommandAnalysis, EffectiveCommand, Redirection } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { assignedNames } from "../assigned-names.ts";
import type { Finding } from "../finding.ts";

/**
 * What a line that only reads can rest on, each with what the ones before it need:
 *
 * - `session`: builtins alone, which start no program, open no file and set no variable
 * - `strict`: programs of the strict half of the tables
 * - `tables`: any programs of the tables
 * - `kernel`: more than the tables allow, harmless only where the kernel holds it
 */
export type ReadingGrade = "session" | "strict" | "tables" | "kernel";

/** The grade of a line; undefined where it does more than read. `findings`: what the tables say of it. */
export function gradeOf(analysis: CommandAnalysis, findings: readonly Finding[]): ReadingGrade | undefined {
  if (findings.length > 0) return findings.every(({ needsKernel }) => needsKernel === true) ? "kernel" : undefined;
  if (isSessionOnly(analysis)) return "session";
  return analysis.effective.every(isStrict) ? "strict" : "tables";
}

/** Nothing of the session changes, nothing stays in the background, and no input is shared. */
export function isConcurrencySafe(analysis: CommandAnalysis): boolean {
  const changes = /^(?:cd|pushd|popd|read|jobs)$/;
  return (
    analysis.effective.length > 0 &&
    !analysis.effective.some((command) => changes.test(firstValue(command.argv))) &&
    !analysis.effective.some((command) => command.via.includes("setsid")) &&
    !analysis.constructs.some((construct) => construct.kind === "background")
  );
}

/** Builtins that, as the tables allow them, print, test, or go to another folder. */
const BUILTINS: ReadonlySet<string> = new Set(
  ": true false echo printf pwd test [ type command cd pushd popd jobs break continue".split(" "),
);

/** Syntax that starts no program and opens no file. Whatever is inside is looked at by itself. */
const PLAIN_CONSTRUCTS: ReadonlySet<string> = new Set(
  "subshell group if while for case pipeline word-list parameter arithmetic test command-substitution".split(" "),
);

/**
 * True for a line of builtins alone that sets no variable. The tables have allowed each of its words already.
 *
 * A loop's variable may be one that the session has and exports, which nothing in the text shows. Confined it goes with
 * the copy; in parentheses it goes with the subshell.
 */
function isSessionOnly(analysis: CommandAnalysis): boolean {
  const commands = [...analysis.commands, ...analysis.nestedCommands];
  return (
    assignedNames(analysis).length === 0 &&
    analysis.effective.every(isSessionCommand) &&
    commands.every(({ redirections }) => redirections.every(isPlainRedirection)) &&
    analysis.constructs.every(
      (construct) =>
        PLAIN_CONSTRUCTS.has(construct.kind) ||
        (construct.kind === "redirection" && isPlainRedirection(construct.redirection)),
    )
  );
}

/** True for one command that needs no hold at all. */
export function isSessionCommand({ argv, via, unresolved }: EffectiveCommand): boolean {
  const name = argv[0]?.value;
  if (via.length > 0 || unresolved !== undefined || name == null) return false;
  return BUILTINS.has(name) || (name === "kill" && probesProcesses(argv.slice(1)));
}

/** `kill -0 PID` and `kill -l`, word for word: confined a command cannot see whether it may signal a process. */
function probesProcesses(args: EffectiveCommand["argv"]): boolean {
  const [first, ...rest] = args.map((word) => word.value);
  return /^-[0l]$/.test(first ?? "") && rest.every((text) => /^\d+$/.test(text ?? ""));
}

/** Copies of descriptors, and `/dev/null`. */
function isPlainRedirection({ operator, target }: Redirection): boolean {
  return operator === "<&" || operator === ">&" || target?.value === "/dev/null";
}

/** Wrappers that start one program, the one that the line names, and nothing else. */
const STRICT_WRAPPERS = /^(?:timeout|gtimeout|time|nice|ionice|stdbuf|command|builtin|env|taskset|chrt|caffeinate)$/;

/**
 * The strict half. `rg` belongs here though it can have a configuration: only a variable names that file, and no line
 * that sets the variable only reads. Versions of interpreters run no script.
 */
const STRICT: ReadonlySet<string> = new Set(
  (
    "cat cut head nl tac tail tr wc expand unexpand fold fmt paste join comm cmp rev seq expr factor numfmt basename " +
    "dirname readlink realpath pwd echo true false : id groups whoami logname w users uname arch nproc uptime free df " +
    "du stat ls dir vdir pathchk md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump hd " +
    "strings grep egrep fgrep which type locale tty printenv lsblk lscpu column look cal sleep tsort pgrep yes break " +
    "continue node python python3 ruby perl java javac bash gcc g++ make cmake find test [ date printf tee dd unzip " +
    "command read cd pushd popd env jobs sort uniq shuf iconv base64 base32 gzip gunzip zcat bzcat xzcat getconf who rg " +
    "fd fdfind ag locate plocate mlocate whereis tree diff nm size objdump readelf file zipinfo ps kill ip systemctl " +
    "journalctl ss netstat ifconfig route hostname domainname xxd"
  ).split(" "),
);

/** Subcommands of `git` that, run hardened in a repository that was inspected, start nothing. */
const STRICT_GIT = /^(?:status|log|diff|show)$/;

/** True for a command of the tables whose every option is known and that can run no other program or script. */
export function isStrict(command: EffectiveCommand): boolean {
  if (command.via.some((wrapper) => !STRICT_WRAPPERS.test(wrapper))) return false;
  const name = programName(firstValue(command.argv));
  if (name !== "git") return STRICT.has(name);
  const subcommand = command.argv.slice(1).find((word) => word.value?.startsWith("-") !== true);
  return STRICT_GIT.test(subcommand?.value ?? "");
}

/** Programs of the tables that ask a service, open an internet socket, or signal: a confined run refuses all three. */
const OUTSIDE = /^(?:systemctl|ifconfig|kill)$/;

/** True for a command of the tables that a confined run cannot serve. */
export function needsOutside(command: EffectiveCommand): boolean {
  return OUTSIDE.test(programName(firstValue(command.argv))) && !isSessionCommand(command);
}
