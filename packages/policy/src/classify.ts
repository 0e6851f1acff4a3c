/**
 * Classifies a command line: read-only, not read-only, blocked, or not understood.
 *
 * # Theory of operation
 * The class is a pure function of the text, the tables in `read-only/` and the given context. A line is read-only when
 * every command that runs in the end is in the table with options that only read, every redirection stays inside, and
 * every other construct is one of those known to be harmless; the set of constructs is closed, and anything unknown
 * makes the line not read-only. Hard blocks (`dangers.ts`) are looked for even in text that does not parse. What a
 * class means for a call is decided in `decide.ts`.
 */
import {
  type Assignment,
  analyzeCommand,
  type CommandAnalysis,
  type Construct,
  type EffectiveCommand,
  type Redirection,
  type Word,
  wordsOf,
} from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import type { PathContext } from "./danger-paths.ts";
import { type DangerOptions, findDangers } from "./dangers.ts";
import { isHarmlessAssignment, isLoopVariable } from "./environment.ts";
import { type Finding, type Refusal, refuse } from "./finding.ts";
import { effectiveFolders, isMove } from "./folders.ts";
import { findEnvironmentReads, isEnvironmentFile } from "./process-environment.ts";
import { describeUnknownProgram } from "./program-kinds.ts";
import { gradeOf, isConcurrencySafe, type ReadingGrade } from "./read-only/grade.ts";
import { readsUnderKernel } from "./read-only/kernel-programs.ts";
import { READ_ONLY_PROGRAMS } from "./read-only/programs.ts";
import { suspiciousText } from "./suspicious-text.ts";

/** What a command line is, for a permission. */
export type CommandClass = "readonly" | "not-readonly" | "blocked" | "unparseable";

/** What is known about the place a command runs in. All of it is optional; less knowledge means fewer hard blocks. */
export interface ClassifyContext extends PathContext, DangerOptions {}

/** The class of a command line and why. */
export interface Classification {
  readonly class: CommandClass;
  readonly findings: readonly Finding[];
  /** Hard blocks that depend on what the text does not tell, such as the target of `rm -rf "$X"`. */
  readonly undecided: readonly Finding[];
  /** What has to hold the line for it to only read; undefined where it does more. `kernel` is not of class `readonly`. */
  readonly grade?: ReadingGrade | undefined;
  /** True for a read-only line that may run beside others: it changes nothing of its session and reads no input. */
  readonly concurrencySafe: boolean;
  /** The reading the class is based on. */
  readonly analysis: CommandAnalysis;
}

/** Classifications of one reading that are kept: a call's text is judged in a few contexts, each of them several times. */
const MAX_KEPT = 4;

/** By their contexts, as long as the reading itself is kept. */
const kept = new WeakMap<CommandAnalysis, Map<string, Classification>>();

/**
 * Classifies a command line. Never throws.
 *
 * ```ts
 * import { classify } from "@pi-bash/policy";
 *
 * const { class: kind, findings } = classify("cat a.txt | sort > b.txt", { cwd: "/project" });
 * console.log(kind, findings[0]?.message); // "not-readonly", and why
 * ```
 */
export function classify(command: string, context: ClassifyContext = {}): Classification {
  const analysis = analyzeCommand(command);
  const known = kept.get(analysis) ?? new Map<string, Classification>();
  const key = JSON.stringify(CONTEXT_NAMES.map((name) => context[name]));
  const classification = known.get(key) ?? classifyAnalysis(command, analysis, context);
  if (known.size >= MAX_KEPT) known.clear();
  kept.set(analysis, known.set(key, classification));
  return classification;
}

/** Everything that a class depends on beside the text; the compiler holds the list to the type. */
const CONTEXT = {
  cwd: true,
  home: true,
  workspace: true,
  blockShutdown: true,
  askUndecidedBlocks: true,
} as const satisfies Record<keyof ClassifyContext, true>;
const CONTEXT_NAMES = Object.keys(CONTEXT) as (keyof ClassifyContext)[];

function classifyAnalysis(command: string, analysis: CommandAnalysis, context: ClassifyContext): Classification {
  const { blocks, undecided } = findDangers(analysis, context);
  const base = { analysis, undecided, concurrencySafe: false };
  if (blocks.length > 0) return { ...base, class: "blocked", findings: blocks };
  if (!analysis.ok) return { ...base, class: "unparseable", findings: unparseable(analysis) };
  const findings = [
    ...suspiciousText(command, analysis),
    ...judgeAll(analysis),
    ...findEnvironmentReads(analysis, effectiveFolders(analysis, context)),
  ];
  const readonly = findings.length === 0;
  return {
    ...base,
    class: readonly ? "readonly" : "not-readonly",
    findings,
    grade: gradeOf(analysis, findings),
    concurrencySafe: readonly && isConcurrencySafe(analysis),
  };
}

function unparseable(analysis: CommandAnalysis): Finding[] {
  return analysis.errors.map((error) => ({
    code: "syntax",
    severity: "unknown",
    message: error.message,
    span: { start: error.offset, end: error.offset },
  }));
}

function judgeAll(analysis: CommandAnalysis): Finding[] {
  const commands = [...analysis.commands, ...analysis.nestedCommands];
  const findings = [
    ...analysis.effective.flatMap(judgeEffective),
    ...commands.flatMap((command) => command.redirections.flatMap(judgeRedirection)),
    ...commands.filter((command) => command.argv.length === 0 && command.assignments.length > 0).map(bareAssignment),
    ...analysis.constructs.flatMap(judgeConstruct),
  ];
  return [...findings, ...gitElsewhere(analysis)];
}

function bareAssignment(command: CommandAnalysis["commands"][number]): Finding {
  const message = `assigning \`${command.assignments[0]?.name ?? ""}\` changes the session`;
  return { code: "assignment", severity: "session", message, span: command.span };
}

function judgeEffective(command: EffectiveCommand): Finding[] {
  const at = { span: command.span, argv: command.argv.map((word) => word.display) };
  const refusals = [
    judgeWrappers(command),
    ...command.assignments.map((assignment) =>
      isHarmlessAssignment(assignment.name, assignment.value?.value ?? null) || isFieldSeparator(command, assignment)
        ? undefined
        : refuse("assignment-prefix", "unknown", `\`${assignment.name}=…\` may change what the command does`),
    ),
    command.unresolved === undefined ? judgeProgram(command) : unresolved(command),
  ];
  return refusals.flatMap((refusal) => (refusal === undefined ? [] : [{ ...refusal, ...at }]));
}

/** `IFS= read -r line`: for `read` alone, and over with it. */
function isFieldSeparator(command: EffectiveCommand, assignment: Assignment): boolean {
  return assignment.name === "IFS" && assignment.value?.value != null && firstValue(command.argv) === "read";
}

function unresolved(command: EffectiveCommand): Refusal {
  return refuse(
    "unresolved",
    "unknown",
    `what \`${command.argv[0]?.display ?? ""}\` runs is not known: ${command.unresolved ?? ""}`,
  );
}

/** Wrappers that only start a command differently. */
const HARMLESS_WRAPPERS =
  /^(?:timeout|gtimeout|time|nice|ionice|stdbuf|command|builtin|env|xargs|setsid|taskset|chrt|caffeinate|find -exec|find -execdir|(?:ba|rba|da|a|z|k)?sh -c)$/;

function judgeWrappers(command: EffectiveCommand): Refusal | undefined {
  const bad = command.via.find((wrapper) => !HARMLESS_WRAPPERS.test(wrapper));
  if (bad !== undefined) return refuse("wrapper", "exec", `\`${bad}\` runs its command in a way that is not judged`);
  return command.privileged
    ? refuse(
        "wrapper",
        "exec",
        `\`${command.via.at(-1) ?? command.argv[0]?.display ?? ""}\` with these options changes more than how the command starts`,
      )
    : undefined;
}

function judgeProgram(command: EffectiveCommand): Refusal | undefined {
  const path = firstValue(command.argv);
  const name = programName(path);
  // A path is trusted only where no one but the system installs programs; `./ls` and `bin/ls` are someone's own.
  if (path.includes("/") && path !== `/bin/${name}` && path !== `/usr/bin/${name}`) {
    return refuse("program-path", "exec", `\`${path}\` is not a program of the system`);
  }
  const judge = READ_ONLY_PROGRAMS.get(name);
  const call = { name, args: wordsOf(command).slice(1) };
  if (name === "read" && !command.simple.context.loop) {
    return refuse("sets-variable", "session", "`read` outside a loop sets a variable of the session");
  }
  const refusal = judge === undefined ? describeUnknownProgram(name) : judge(call);
  return refusal !== undefined && readsUnderKernel(call) ? { ...refusal, needsKernel: true } : refusal;
}

/** Only reading files, here-documents, copies of descriptors and `/dev/null`. */
function judgeRedirection(redirection: Redirection): Finding[] {
  const refusal = redirectionRefusal(redirection);
  return refusal === undefined ? [] : [{ ...refusal, span: redirection.span }];
}

function redirectionRefusal(redirection: Redirection): Refusal | undefined {
  const target = redirection.target;
  if (typeof redirection.descriptor === "string") {
    return refuse("named-descriptor", "session", "`{name}>` opens a descriptor of the session and sets a variable");
  }
  if (/^<<[-<]?$/.test(redirection.operator)) return undefined;
  const value = target?.value ?? null;
  // Descriptors over 2 were opened by someone else, for something else.
  if (/^[<>]&$/.test(redirection.operator) && /^(?:[012]-?|-)$/.test(value ?? "")) return undefined;
  if (value === "/dev/null") return undefined;
  if (redirection.operator !== "<") {
    const refusal = refuse("redirection", "write", `\`${redirection.text}\` writes a file`);
    // Confined these are the outputs of the command or nothing; elsewhere `>` cuts the file that an output may be.
    return value === "/dev/stdout" || value === "/dev/stderr" ? { ...refusal, needsKernel: true } : refusal;
  }
  if (target === null) return refuse("redirection", "unknown", `\`${redirection.text}\` has no target`);
  return inputRefusal(redirection.text, target);
}

/** A file that is read: no connection, and not the environment of a process. */
function inputRefusal(text: string, target: Word): Refusal | undefined {
  const value = target.value;
  if (isEnvironmentFile(target)) {
    return refuse("shows-environment", "unknown", "shows the environment of a process");
  }
  // `/dev/tcp/host/port` is a connection bash makes itself; a word that expands could be one.
  const start = value ?? target.leading;
  if (/^<\(/.test(target.text) && !target.splits) return undefined;
  const connects =
    value === null
      ? target.splits || "/dev/".startsWith(start) || start.startsWith("/dev/")
      : /\/dev\/(?:tcp|udp)\//.test(start);
  return connects ? refuse("redirection", "network", `\`${text}\` can connect to a host`) : undefined;
}

function judgeConstruct(construct: Construct): Finding[] {
  const refusal = constructRefusal(construct);
  return refusal === undefined ? [] : [{ ...refusal, span: construct.span }];
}

function constructRefusal(construct: Construct): Refusal | undefined {
  switch (construct.kind) {
    case "subshell":
    case "group":
    case "if":
    case "while":
    case "case":
    case "pipeline":
    case "background":
    case "word-list":
    case "here-document":
    case "command-substitution":
    case "process-substitution":
      return undefined;
    case "for":
      return isLoopVariable(construct.name)
        ? undefined
        : refuse("sets-variable", "session", `the loop sets \`${construct.name}\`, which other commands may obey`);
    case "select":
    case "coproc":
      return refuse("construct", "session", `\`${construct.kind}\` is not read-only`);
    case "function":
      return refuse("function", "session", `defining the function \`${construct.name}\` changes the session`);
    case "arithmetic":
      return construct.literal
        ? undefined
        : refuse("arithmetic", "unknown", "arithmetic with names can run what a variable holds");
    case "parameter":
      return construct.acts === "none" || construct.acts === "error"
        ? undefined
        : refuse("parameter-expansion", "unknown", `\`${construct.text}\` does more than read a variable`);
    case "test":
      return construct.evaluates
        ? refuse("test-evaluates", "unknown", "`[[ ]]` with `-v` or a number test evaluates what a variable holds")
        : undefined;
    case "redirection":
      return redirectionRefusal(construct.redirection);
    case "unknown":
      return refuse("unknown-syntax", "unknown", `syntax that is not known: ${construct.type}`);
  }
}

/** In another folder git obeys another repository's configuration, which has not been inspected. */
function gitElsewhere(analysis: CommandAnalysis): Finding[] {
  const moves = analysis.effective.some(isMove);
  const git = analysis.effective.find(
    (command) => programName(firstValue(command.argv)) === "git" && (moves || command.elsewhere),
  );
  if (git === undefined) return [];
  const message = "`git` in another folder obeys the configuration there";
  return [{ code: "git-elsewhere", severity: "exec", message, span: git.span, needsKernel: true }];
}
