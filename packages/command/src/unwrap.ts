/**
 * Looks through the programs that run other programs: `timeout 5 x`, `sudo x`, `bash -c 'x'`, `find -exec x`, `xargs x`.
 *
 * What runs in the end is what a rule, a danger check or the minimizer must see. Everything that cannot be resolved
 * from literal text is reported as unresolved instead of guessed: the caller fails closed. The option tables are in
 * `wrapper-table.ts`.
 */
import type { Assignment, SimpleCommand, SyntaxFacts } from "./syntax.ts";
import { walkText } from "./walk.ts";
import { literalWord, type Span, type Word } from "./word.ts";
import { readOptions, replacement, shellOptions } from "./wrapper-options.ts";
import { SHELLS, WRAPPERS, type WrapperSpec } from "./wrapper-table.ts";

/** A command that runs in the end, with the wrappers that led to it. */
export interface EffectiveCommand {
  /** Program and arguments after unwrapping. */
  readonly argv: readonly Word[];
  /** Wrappers passed, outermost first: `["sudo", "bash -c"]`. */
  readonly via: readonly string[];
  /** False where words are added that the text does not show: `xargs`, `{}` of `find -exec`. */
  readonly argvComplete: boolean;
  /** Why the rest of this command is not known: an unknown option, a text that expands. Absent when resolved. */
  readonly unresolved?: string;
  /** Assignments that apply to it, from prefixes and from `env` and `sudo`. */
  readonly assignments: readonly Assignment[];
  /** The simple command it came from: the written one, or the one inside `bash -c '…'`. */
  readonly simple: SimpleCommand;
  /** The simple command as written in the line, which a rule for the wrapper itself is matched against. */
  readonly written: SimpleCommand;
  /** True where a wrapper on the way changes identity, machine or root, or replaces the shell (`sudo`, `ssh`, `exec`). */
  readonly privileged: boolean;
  /** True where a wrapper on the way mixes output of its own in or runs it repeatedly (`time`, `xargs`, `strace`). */
  readonly noisy: boolean;
  readonly span: Span;
}

/** What unwrapping one simple command found: the commands, and the syntax of texts given to shells. */
export interface Unwrapped {
  readonly effective: readonly EffectiveCommand[];
  readonly nested: readonly SyntaxFacts[];
}

/** Wrappers around one command that are looked through; more is an attempt to outlast the check. */
const MAX_WRAPPERS = 32;
/** Shell texts inside shell texts that are followed; deeper ones are unresolved. */
const MAX_SHELL_TEXTS = 8;

interface State {
  readonly via: readonly string[];
  readonly assignments: readonly Assignment[];
  readonly argvComplete: boolean;
  readonly privileged: boolean;
  readonly noisy: boolean;
  readonly simple: SimpleCommand;
  readonly written: SimpleCommand;
  readonly shellTexts: number;
  /** What the wrapper replaces in its arguments while it runs: `{}` of `find -exec`, the word of `xargs -I`. */
  readonly placeholder?: string;
}

/** Finds the commands that one simple command runs in the end. A command without words runs nothing. */
export function unwrap(simple: SimpleCommand): Unwrapped {
  const nothing = {
    written: simple,
    via: [],
    assignments: [],
    argvComplete: true,
    privileged: false,
    noisy: false,
    shellTexts: 0,
  };
  return step(simple.argv, start(simple, nothing));
}

/** The program name a wrapper table or rule is looked up by: `/usr/bin/env` and `env` are the same program. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function start(simple: SimpleCommand, from: Omit<State, "simple">): State {
  return { ...from, simple, assignments: [...from.assignments, ...simple.assignments] };
}

function step(argv: readonly Word[], state: State): Unwrapped {
  const program = argv[0];
  if (program === undefined) return NOTHING;
  if (program.value === null) return emit(argv, state, "the program name expands");
  if (state.placeholder !== undefined && program.value.includes(state.placeholder)) {
    return emit(argv, state, "the program name is filled in while it runs");
  }
  const name = programName(program.value);
  const spec = WRAPPERS.get(name);
  if (spec !== undefined) return throughWrapper(name, spec, argv, state);
  if (SHELLS.has(name)) return throughShell(name, argv, state);
  if (name === "eval") return throughEval(argv, state);
  if (name === "trap") return throughTrap(argv, state);
  if (name === "alias") return throughAliases(argv, state);
  if (name === "find" || name === "gfind") return throughFind(argv, state);
  if (name === "fd" || name === "fdfind") return throughFd(argv, state);
  if (name === "su" || name === "script" || name === "runuser") return throughCommandOption(name, argv, state);
  return emit(argv, state);
}

const NOTHING: Unwrapped = { effective: [], nested: [] };

function together(parts: readonly Unwrapped[]): Unwrapped {
  return { effective: parts.flatMap((part) => part.effective), nested: parts.flatMap((part) => part.nested) };
}

function emit(argv: readonly Word[], state: State, unresolved?: string): Unwrapped {
  const first = argv[0];
  const last = argv.at(-1);
  const command: EffectiveCommand = {
    argv,
    via: state.via,
    argvComplete: state.argvComplete,
    ...(unresolved === undefined ? {} : { unresolved }),
    assignments: state.assignments,
    simple: state.simple,
    written: state.written,
    privileged: state.privileged,
    noisy: state.noisy,
    span:
      first === undefined || last === undefined
        ? state.simple.span
        : { start: Math.min(first.span.start, last.span.start), end: Math.max(first.span.end, last.span.end) },
  };
  return { effective: [command], nested: [] };
}

function throughWrapper(name: string, spec: WrapperSpec, argv: readonly Word[], state: State): Unwrapped {
  if (state.via.length >= MAX_WRAPPERS) return emit(argv, state, "too many wrappers");
  const options = readOptions(spec, argv);
  if (options.kind === "stops") return emit(argv, state);
  if (options.kind === "unknown") return emit(argv, state, options.why);
  const given = spec.assignments === true ? leadingAssignments(argv.slice(options.index)) : [];
  const index = options.index + given.length;
  const operands = argv.slice(index, index + (spec.operands ?? 0));
  if (operands.length < (spec.operands ?? 0) || operands.some((word) => word.value === null)) {
    return emit(argv, state, `\`${name}\` without a literal operand`);
  }
  const assignments = [...state.assignments, ...given];
  const rest = argv.slice(index + operands.length);
  // `env`, `xargs`, `nohup` alone: the wrapper is the whole command.
  if (rest.length === 0) return emit(argv, state);
  const inner: State = {
    ...state,
    via: [...state.via, wrapperName(argv)],
    assignments,
    argvComplete: state.argvComplete && spec.appends !== true,
    privileged: state.privileged || spec.privileged === true || (spec.optionsAlter === true && options.index > 1),
    noisy: state.noisy || spec.noisy === true,
    ...(name === "xargs" ? replacement(argv.slice(1, options.index)) : {}),
  };
  if (spec.joinsToShell === true) return throughText(name, joined(rest), argv, { ...inner, via: state.via });
  return step(rest, inner);
}

/** A wrapper is named as it is written, unless the system installed it: `./timeout` is somebody's own program. */
function wrapperName(argv: readonly Word[]): string {
  const path = argv[0]?.value ?? "";
  return /^\/(?:usr\/)?bin\/[^/]+$/.test(path) ? programName(path) : path;
}

function leadingAssignments(words: readonly Word[]): Assignment[] {
  const assignments = words.map(asAssignment);
  const end = assignments.indexOf(undefined);
  return assignments.slice(0, end === -1 ? undefined : end).flatMap((each) => each ?? []);
}

function asAssignment(word: Word): Assignment | undefined {
  const match = /^([A-Za-z_]\w*)=/.exec(word.leading);
  if (match?.[1] === undefined) return undefined;
  const value = word.value === null ? null : literalWord(word.value.slice(match[0].length), word.span);
  return { name: match[1], value, append: false, text: word.text, span: word.span };
}

/** `bash -c 'text' name args…`; without `-c` the shell runs a file or its input, which the text does not show. */
function throughShell(name: string, argv: readonly Word[], state: State): Unwrapped {
  const { index, readsText, plain, problem } = shellOptions(argv);
  if (problem !== undefined) return emit(argv, state, problem);
  if (!readsText) {
    const unknown = emit(argv, state, `\`${name}\` runs a file or its input`);
    return argv[index] === undefined ? together([unknown, ...inputTexts(name, argv, state)]) : unknown;
  }
  const text = argv[index];
  if (text === undefined) return emit(argv, state, `\`${name} -c\` without a text`);
  return throughText(`${wrapperName(argv)} -c`, text, argv, { ...state, privileged: state.privileged || !plain });
}

/** Reads a literal text as a command line of its own. */
function throughText(via: string, text: Word | undefined, argv: readonly Word[], state: State): Unwrapped {
  if (text === undefined) return emit(argv, state);
  if (text.value === null) return emit(argv, state, `the text for \`${via}\` expands`);
  if (state.shellTexts >= MAX_SHELL_TEXTS) return emit(argv, state, "shell texts nested too deeply");
  if (state.placeholder !== undefined && text.value.includes(state.placeholder)) {
    return emit(argv, state, `the text for \`${via}\` is completed while it runs`);
  }
  const facts = walkText(text.value, { span: text.span, context: state.simple.context });
  const inner = { ...state, via: [...state.via, via], shellTexts: state.shellTexts + 1 };
  const broken =
    facts.errors.length > 0 ? emit(argv, state, `the text for \`${via}\` is no valid command line`) : NOTHING;
  const commands = facts.commands.map((simple) => step(simple.argv, start(simple, inner)));
  return together([{ effective: [], nested: [facts] }, broken, ...commands]);
}

/** `bash <<< 'text'` and `sh <<E`: looked through for deny rules and dangers; the shell itself stays unknown. */
function inputTexts(name: string, argv: readonly Word[], state: State): Unwrapped[] {
  return state.simple.redirections.flatMap(({ operator, target, body, span }) => {
    const text = operator === "<<<" ? target : body === undefined ? null : literalWord(body, span);
    return text === null || text.value === null ? [] : [throughText(`${name} <<`, text, argv, state)];
  });
}

function joined(words: readonly Word[]): Word | undefined {
  const first = words[0];
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const span = { start: first.span.start, end: last.span.end };
  const values = words.map((word) => word.value);
  const text = literalWord(words.map((word) => word.value ?? word.display).join(" "), span);
  return values.includes(null) ? { ...text, value: null } : text;
}

function throughEval(argv: readonly Word[], state: State): Unwrapped {
  return throughText("eval", joined(argv.slice(argv[1]?.value === "--" ? 2 : 1)), argv, state);
}

/** `trap 'text' SIGNAL…` runs the text later; the trap itself stays listed, because it changes the session. */
function throughTrap(argv: readonly Word[], state: State): Unwrapped {
  const words = argv.slice(1).filter((word) => word.value !== "--");
  const text = words[0];
  const hasBody = words.length > 1 && text?.value !== "" && text?.value?.startsWith("-") !== true;
  return together([emit(argv, state), hasBody ? throughText("trap", text, argv, state) : NOTHING]);
}

function throughAliases(argv: readonly Word[], state: State): Unwrapped {
  const bodies = argv.slice(1).flatMap((word) => {
    const equals = word.value?.indexOf("=") ?? -1;
    if (word.value === null || equals < 1) return [];
    return [throughText("alias", literalWord(word.value.slice(equals + 1), word.span), argv, state)];
  });
  return together([emit(argv, state), ...bodies]);
}

/** `su -c text`, `script -c text`. Other forms start a login or record a terminal. */
function throughCommandOption(name: string, argv: readonly Word[], state: State): Unwrapped {
  const shell = emit(argv, state, `\`${name}\` starts a shell`);
  const at = argv.findIndex((word) => word.value === "-c" || word.value === "--command");
  const inline = argv.find((word) => word.value?.startsWith("--command=") === true);
  if (at === -1 && inline === undefined) return shell;
  const text = inline === undefined ? argv[at + 1] : literalWord(inline.value?.slice(10) ?? "", inline.span);
  return together([shell, throughText(`${name} -c`, text, argv, { ...state, privileged: true })]);
}

const FIND_RUNS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** `find` stays listed for its other predicates; each `-exec … ;` or `-exec … +` is a command of its own. */
function throughFind(argv: readonly Word[], state: State): Unwrapped {
  const parts = [emit(argv, state)];
  for (let index = 1; index < argv.length; index++) {
    const predicate = argv[index]?.value ?? "";
    if (!FIND_RUNS.has(predicate)) continue;
    let end = index + 1;
    while (end < argv.length && argv[end]?.value !== ";" && !isPlus(argv, end)) end++;
    const command = argv.slice(index + 1, end);
    const complete = state.argvComplete && !command.some((word) => word.value?.includes("{}") ?? true);
    const via = [...state.via, `find ${predicate}`];
    parts.push(step(command, { ...state, via, argvComplete: complete, noisy: true, placeholder: "{}" }));
    index += command.length;
  }
  return together(parts);
}

/** `+` ends `-exec` only directly after `{}`; elsewhere it is an argument. */
function isPlus(argv: readonly Word[], at: number): boolean {
  return argv[at]?.value === "+" && argv[at - 1]?.value === "{}";
}

function throughFd(argv: readonly Word[], state: State): Unwrapped {
  const listed = emit(argv, state);
  const at = argv.findIndex((word) => /^(?:-[A-Za-z]*[xX]|--exec|--exec-batch)$/.test(word.value ?? ""));
  if (at === -1) return listed;
  const end = argv.findIndex((word, index) => index > at && word.value === ";");
  const command = argv.slice(at + 1, end === -1 ? argv.length : end);
  const inner = { ...state, via: [...state.via, "fd --exec"], argvComplete: false, noisy: true, placeholder: "{" };
  return together([listed, step(command, inner)]);
}
