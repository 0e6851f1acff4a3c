/**
 * Looks through the programs that run other programs: `timeout 5 x`, `sudo x`, `bash -c 'x'`, `find -exec x`, `xargs x`.
 *
 * What runs in the end is what a rule, a danger check or the minimizer must see. Everything that cannot be resolved
 * from literal text is reported as unresolved instead of guessed: the caller fails closed. Words that a wrapper fills in
 * or appends while it runs stand in the command as words without a value, so that whoever judges its arguments judges
 * those as well, through any number of wrappers. The option tables are in `wrapper-table.ts`, shells in
 * `unwrap-shell.ts`, searches in `unwrap-find.ts`.
 */
import { completed } from "./completed-words.ts";
import type { GitAround } from "./git-settings.ts";
import { LAUNCHERS } from "./launcher-table.ts";
import { SHELLS } from "./shell-text.ts";
import type { Assignment, SimpleCommand } from "./syntax.ts";
import { hiddenTexts, throughCallback, throughCompletion, throughJobs } from "./unwrap-builtins.ts";
import { throughDaemon } from "./unwrap-daemon.ts";
import { throughFd } from "./unwrap-fd.ts";
import { throughFind } from "./unwrap-find.ts";
import { throughGit, throughTransports } from "./unwrap-git.ts";
import { guesses, throughDoubt } from "./unwrap-guess.ts";
import { throughLauncher } from "./unwrap-launcher.ts";
import { throughOptionTexts } from "./unwrap-option-texts.ts";
import {
  joined,
  throughAliases,
  throughCommandOption,
  throughEval,
  throughShell,
  throughSource,
  throughText,
  throughTrap,
  wrapperName,
} from "./unwrap-shell.ts";
import { splitUnknown, throughSplitText } from "./unwrap-split.ts";
import {
  emit,
  folderIn,
  initialState,
  NOTHING,
  opaque,
  type State,
  type Step,
  together,
  type Unwrapped,
  unresolved,
} from "./unwrap-state.ts";
import { appendedWord, firstValue, literalWord, type Word } from "./word.ts";
import { type OptionsEnd, readOptions, type WrapperOption } from "./wrapper-options.ts";
import type { WrapperSpec } from "./wrapper-spec.ts";
import { WRAPPERS, wrapperOf } from "./wrapper-table.ts";

/** Wrappers around one command that are looked through; more is an attempt to outlast the check. */
const MAX_WRAPPERS = 32;

/**
 * Finds the commands that one simple command runs in the end; `written` is what stands in the line where that is
 * another one, `git` what the line around says of git. A command without words runs nothing.
 */
export function unwrap(simple: SimpleCommand, git: GitAround, written = simple): Unwrapped {
  const state = { ...initialState(simple), git, written };
  const found = step(simple.argv, state);
  const perhaps = hiddenTexts(simple, state, step);
  return perhaps.length === 0 ? found : { ...found, perhaps: [...found.perhaps, ...perhaps] };
}

/** The program name a wrapper table or rule is looked up by: `/usr/bin/env` and `env` are the same program. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function doubtful(argv: readonly Word[], state: State, why: string): Unwrapped {
  return throughDoubt(argv, state, why, step);
}

function guess(argv: readonly Word[], state: State): Unwrapped {
  return guesses(argv, state, step);
}

type Reader = (argv: readonly Word[], state: State, step: Step) => Unwrapped;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["eval", throughEval],
  ["trap", throughTrap],
  ["alias", throughAliases],
  ["source", throughSource],
  [".", throughSource],
  ["find", (argv, state) => throughFind(argv, state, step, guess)],
  ["gfind", (argv, state) => throughFind(argv, state, step, guess)],
  ["fd", (argv, state) => throughFd(argv, state, step, guess)],
  ["fdfind", (argv, state) => throughFd(argv, state, step, guess)],
  ["su", (argv, state) => throughCommandOption("su", argv, state, step)],
  ["script", (argv, state) => throughCommandOption("script", argv, state, step)],
  ["runuser", throughRunuser],
  ["compgen", throughCompletion],
  ["complete", throughCompletion],
  ["compopt", throughCompletion],
  ["mapfile", throughCallback],
  ["readarray", throughCallback],
  ["bind", throughCallback],
  ["enable", throughCallback],
  ["hash", throughCallback],
  ["jobs", throughJobs],
  ["git-remote-ext", throughRemote],
  // They run the text of their input later.
  ["at", (argv, state) => opaque(argv, state, "`at` runs its input")],
  ["batch", (argv, state) => opaque(argv, state, "`batch` runs its input")],
]);

function step(argv: readonly Word[], state: State): Unwrapped {
  const program = argv[0];
  if (program === undefined) return NOTHING;
  if (state.via.length >= MAX_WRAPPERS) return opaque(argv, state, "too many wrappers");
  if (program.expansions.input) return opaque(argv, state, "the program name is filled in while it runs");
  if (program.value === null) {
    const why = "the program name expands";
    return programNameOf(program) !== null ? unresolved(argv, state, why) : opaque(argv, state, why);
  }
  const name = programName(program.value);
  const found = through(name, argv, state);
  const texts = throughOptionTexts(name, argv, state, step);
  return texts.length === 0 ? found : { ...found, perhaps: [...found.perhaps, ...texts] };
}

function through(name: string, argv: readonly Word[], state: State): Unwrapped {
  const spec = wrapperOf(name);
  if (spec !== undefined) return throughWrapper(name, spec, argv, state);
  if (SHELLS.has(name)) return throughShell(name, argv, state, step);
  if (name === "git") return throughGit(argv, state, step);
  const launcher = LAUNCHERS.get(name);
  if (launcher !== undefined) return throughLauncher(launcher, argv, state, step);
  return READERS.get(name)?.(argv, state, step) ?? emit(argv, state);
}

/**
 * The name of the program that a word runs, or null where it is known only when it runs. `"$DIR"/build.sh` and
 * `~/bin/build` have one: the folder expands, the name does not.
 */
export function programNameOf(program: Word): string | null {
  if (program.value !== null) return programName(program.value);
  const { glob, brace, substitution, process, locale, input } = program.expansions;
  if (program.splits || glob || brace || substitution || process || locale || input) return null;
  const name = /\/([\w.+-]+)$/.exec(program.text)?.[1];
  return name === undefined || !program.display.endsWith(`/${name}`) ? null : name;
}

function throughWrapper(name: string, spec: WrapperSpec, argv: readonly Word[], state: State): Unwrapped {
  if (spec.unread === true) return throughUnread(name, argv, state);
  const options = readOptions(spec, argv);
  if (options.kind === "stops") return emit(argv, state);
  if (options.kind === "at") return behindOptions(name, spec, argv, options, state);
  return maySplit(spec, argv) ? splitUnknown(argv, state, guess) : doubtful(argv, state, options.why);
}

/** A wrapper whose options are not listed: one of them may name the folder that the command starts in. */
function throughUnread(name: string, argv: readonly Word[], state: State): Unwrapped {
  const folder = folderIn(argv);
  const inner = folder === undefined ? state : { ...state, movedTo: [...state.movedTo, folder] };
  const found = doubtful(argv, inner, `how \`${name}\` starts its command is not known`);
  if (name !== "start-stop-daemon") return found;
  return { ...found, perhaps: [...found.perhaps, ...throughDaemon(argv, inner, step)] };
}

/** Where the options of a wrapper end, and what they are. */
type ReadOptions = Extract<OptionsEnd, { kind: "at" }>;

function behindOptions(
  name: string,
  spec: WrapperSpec,
  argv: readonly Word[],
  options: ReadOptions,
  state: State,
): Unwrapped {
  const split = options.options.find((option) => spec.splitText?.includes(option.name) === true);
  if (split !== undefined) {
    const before = options.options.slice(0, options.options.indexOf(split));
    const moved = [...state.movedTo, ...foldersOf(spec, argv, { index: split.end, options: before })];
    return throughSplitText({ argv, text: split.value, end: split.end }, { ...state, movedTo: moved }, step, guess);
  }
  const given = spec.assignments === true ? leadingAssignments(argv.slice(options.index)) : [];
  const start = options.index + given.length;
  const rest = withoutOptions(spec, argv.slice(start + (spec.operands ?? 0)));
  if (rest === undefined) return doubtful(argv, state, `unknown option of \`${name}\``);
  if (!hasOperands(spec, argv.slice(start))) return doubtful(argv, state, `\`${name}\` without a literal operand`);
  if (rest.length === 0) return alone(name, spec, argv, options.options, state);
  if (spec.textOption === true && /^(?:-c|--command)$/.test(firstValue(rest))) {
    return throughCommandOption(name, [...argv.slice(0, 1), ...rest], state, step);
  }
  const inner = behind(spec, argv, options, given, state);
  const words = spec.appends === true ? completed(rest, options.options, name) : rest;
  return spec.joinsToShell === true ? throughJoined(name, words, argv, inner) : step(words, inner);
}

/** What is known behind a wrapper. */
function behind(
  spec: WrapperSpec,
  argv: readonly Word[],
  { index, options }: ReadOptions,
  given: readonly Assignment[],
  state: State,
): State {
  const alters =
    (spec.optionsAlter === true && index > 1) || options.some(({ name }) => spec.altering?.includes(name) === true);
  const abbreviates = options.some(({ abbreviated }) => abbreviated === true);
  return {
    ...state,
    via: [...state.via, wrapperName(argv)],
    assignments: [...state.assignments, ...given],
    argvComplete: state.argvComplete && spec.appends !== true,
    movedTo: [...state.movedTo, ...foldersOf(spec, argv, { index, options })],
    privileged: state.privileged || spec.privileged === true || alters || abbreviates,
    noisy: state.noisy || spec.noisy === true,
  };
}

/** Where the wrapper goes: what its options name, or its operand. */
function foldersOf(
  { folder = [], folderOperand }: WrapperSpec,
  argv: readonly Word[],
  { index, options }: Pick<ReadOptions, "index" | "options">,
): readonly Word[] {
  const operand = argv[index];
  if (folderOperand === true) return operand === undefined ? [] : [operand];
  const named = options.filter(({ name }) => folder.includes(name)).at(-1);
  if (named === undefined) return [];
  return [named.value ?? unknownWord(argv)];
}

/** A word of which nothing is known. */
function unknownWord(argv: readonly Word[]): Word {
  const end = argv.at(-1)?.span.end ?? 0;
  return appendedWord({ start: end, end }, { splits: false, leading: "" });
}

/** A word that expands and may be the option whose value is split: `env -S"$x rm"`. */
function maySplit({ splitText }: WrapperSpec, argv: readonly Word[]): boolean {
  return splitText !== undefined && argv.some((word) => word.value === null && word.leading.startsWith("-"));
}

/** The words behind the operands, without the options that may stand there; undefined where one is not known. */
function withoutOptions(spec: WrapperSpec, words: readonly Word[]): readonly Word[] | undefined {
  const [first] = words;
  if (spec.optionsBehind !== true || first === undefined) return words;
  const options = readOptions(spec, [first, ...words]);
  return options.kind === "at" ? words.slice(options.index - 1) : undefined;
}

function hasOperands({ operands = 0, operand }: WrapperSpec, words: readonly Word[]): boolean {
  const isOdd = operand !== undefined && !operand.test(firstValue(words));
  return !isOdd && words.length >= operands && words.slice(0, operands).every((word) => word.value !== null);
}

/** `env`, `xargs`, `nohup` alone: the wrapper is the whole command, or it starts a shell. */
function alone(
  name: string,
  spec: WrapperSpec,
  argv: readonly Word[],
  options: readonly WrapperOption[],
  state: State,
): Unwrapped {
  return startsShell(spec, options) ? opaque(argv, state, `\`${name}\` starts a shell`) : emit(argv, state);
}

/** `watch` and `ssh` make one text of their words, for a shell. */
function throughJoined(name: string, words: readonly Word[], argv: readonly Word[], inner: State): Unwrapped {
  const given = { via: name, text: joined(words), language: "posix" } as const;
  const text = throughText(given, argv, { ...inner, via: inner.via.slice(0, -1) }, step);
  // Words that no one knows make the whole text unknown; the program of the others is still looked at.
  return words.some((word) => word.value === null) ? together([text, step(words, inner)]) : text;
}

function startsShell({ startsShell: always }: WrapperSpec, options: readonly WrapperOption[]): boolean {
  return always === true || (Array.isArray(always) && options.some(({ name }) => always.includes(name)));
}

/** `git-remote-ext NAME 'command'`. */
function throughRemote(argv: readonly Word[], state: State): Unwrapped {
  return together([emit(argv, state), { ...NOTHING, perhaps: throughTransports(argv, state, step) }]);
}

/** `runuser -u USER program`; without `-u` it is like `su`. */
function throughRunuser(argv: readonly Word[], state: State): Unwrapped {
  const spec = WRAPPERS.get("runuser -u");
  const isWrapper = argv.some((word) => /^(?:-[A-Za-z]*u|--user(?:=|$))/.test(word.value ?? ""));
  if (spec !== undefined && isWrapper) return throughWrapper("runuser", spec, argv, state);
  return throughCommandOption("runuser", argv, state, step);
}

function leadingAssignments(words: readonly Word[]): Assignment[] {
  const assignments = words.map(asAssignment);
  const end = assignments.indexOf(undefined);
  return assignments.slice(0, end === -1 ? undefined : end).flatMap((each) => each ?? []);
}

function asAssignment(word: Word): Assignment | undefined {
  const match = /^([^=]*)=/.exec(word.leading);
  if (match?.[1] === undefined) return undefined;
  const value = word.value === null ? null : literalWord(word.value.slice(match[0].length), word.span);
  return { name: match[1], value, append: false, text: word.text, span: word.span };
}
