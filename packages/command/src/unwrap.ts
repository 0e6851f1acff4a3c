/**
 * Looks through the programs that run other programs: `timeout 5 x`, `sudo x`, `bash -c 'x'`, `find -exec x`, `xargs x`.
 *
 * What runs in the end is what a rule, a danger check or the minimizer must see. Everything that cannot be resolved
 * from literal text is reported as unresolved instead of guessed: the caller fails closed. Words that a wrapper fills in
 * or appends while it runs stand in the command as words without a value, so that whoever judges its arguments judges
 * those as well, through any number of wrappers. The option tables are in `wrapper-table.ts`, shells in
 * `unwrap-shell.ts`, searches in `unwrap-find.ts`.
 */
import { SHELLS } from "./shell-text.ts";
import type { Assignment, SimpleCommand } from "./syntax.ts";
import { hiddenTexts, throughCallback, throughCompletion, throughJobs } from "./unwrap-builtins.ts";
import { throughFd } from "./unwrap-fd.ts";
import { throughFind } from "./unwrap-find.ts";
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
import {
  emit,
  initialState,
  NOTHING,
  opaque,
  type State,
  type Step,
  together,
  type Unwrapped,
  unresolved,
} from "./unwrap-state.ts";
import { appendedWord, type Filling, filledWord, literalWord, type Word } from "./word.ts";
import { readOptions, type WrapperOption } from "./wrapper-options.ts";
import { WRAPPERS, type WrapperSpec } from "./wrapper-table.ts";

/** Wrappers around one command that are looked through; more is an attempt to outlast the check. */
const MAX_WRAPPERS = 32;
/** Words of a wrapper that was not understood that are each tried as the program. */
const MAX_GUESSES = 16;

/** Placeholders of `xargs` that are distinguished; with more, each word is taken to have one. */
const MAX_PLACEHOLDERS = 4;

/** Longest text of `env -S` that is split, in UTF-16 units; each may hold the next. */
const MAX_SPLIT_CHARS = 1_024;

/** Finds the commands that one simple command runs in the end. A command without words runs nothing. */
export function unwrap(simple: SimpleCommand): Unwrapped {
  const state = initialState(simple);
  const found = step(simple.argv, state);
  const perhaps = hiddenTexts(simple, state, step);
  return perhaps.length === 0 ? found : { ...found, perhaps: [...found.perhaps, ...perhaps] };
}

/** The program name a wrapper table or rule is looked up by: `/usr/bin/env` and `env` are the same program. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

type Reader = (argv: readonly Word[], state: State, step: Step) => Unwrapped;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["eval", throughEval],
  ["trap", throughTrap],
  ["alias", throughAliases],
  ["source", throughSource],
  [".", throughSource],
  ["find", (argv, state) => throughFind(argv, state, step, guesses)],
  ["gfind", (argv, state) => throughFind(argv, state, step, guesses)],
  ["fd", (argv, state) => throughFd(argv, state, step, guesses)],
  ["fdfind", (argv, state) => throughFd(argv, state, step, guesses)],
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
  const spec = WRAPPERS.get(name);
  if (spec !== undefined) return throughWrapper(name, spec, argv, state);
  if (SHELLS.has(name)) return throughShell(name, argv, state, step);
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
  if (spec.unread === true) return doubtful(argv, state, `how \`${name}\` starts its command is not known`);
  const options = readOptions(spec, argv);
  if (options.kind === "stops") return emit(argv, state);
  if (options.kind === "unknown") return doubtful(argv, state, options.why);
  const split = options.options.find((option) => spec.splitText?.includes(option.name) === true);
  if (split !== undefined) return throughSplitText(argv, options, split, state);
  const given = spec.assignments === true ? leadingAssignments(argv.slice(options.index)) : [];
  const start = options.index + given.length;
  const rest = withoutOptions(spec, argv.slice(start + (spec.operands ?? 0)));
  if (rest === undefined) return doubtful(argv, state, `unknown option of \`${name}\``);
  if (!hasOperands(spec, argv.slice(start))) return doubtful(argv, state, `\`${name}\` without a literal operand`);
  if (rest.length === 0) return alone(name, spec, argv, options.options, state);
  if (spec.textOption === true && /^(?:-c|--command)$/.test(rest[0]?.value ?? "")) {
    return throughCommandOption(name, [...argv.slice(0, 1), ...rest], state, step);
  }
  const inner = behind(spec, argv, options.index, given, state);
  const words = spec.appends === true ? completed(rest, options.options, name) : rest;
  return spec.joinsToShell === true ? throughJoined(name, words, argv, inner) : step(words, inner);
}

/** What is known behind a wrapper. */
function behind(
  spec: WrapperSpec,
  argv: readonly Word[],
  optionsEnd: number,
  given: readonly Assignment[],
  state: State,
): State {
  return {
    ...state,
    via: [...state.via, wrapperName(argv)],
    assignments: [...state.assignments, ...given],
    argvComplete: state.argvComplete && spec.appends !== true,
    privileged: state.privileged || spec.privileged === true || (spec.optionsAlter === true && optionsEnd > 1),
    noisy: state.noisy || spec.noisy === true,
  };
}

/** The words behind the operands, without the options that may stand there; undefined where one is not known. */
function withoutOptions(spec: WrapperSpec, words: readonly Word[]): readonly Word[] | undefined {
  const [first] = words;
  if (spec.optionsBehind !== true || first === undefined) return words;
  const options = readOptions(spec, [first, ...words]);
  return options.kind === "at" ? words.slice(options.index - 1) : undefined;
}

function hasOperands({ operands = 0 }: WrapperSpec, words: readonly Word[]): boolean {
  return words.length >= operands && words.slice(0, operands).every((word) => word.value !== null);
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

/** `env -S 'rm x'`: the text is split into words, which are read in the place of the option. */
function throughSplitText(
  argv: readonly Word[],
  { index, options }: { readonly index: number; readonly options: readonly WrapperOption[] },
  split: WrapperOption,
  state: State,
): Unwrapped {
  const [program] = argv;
  const text = split.value?.value ?? null;
  const isLast = options.at(-1) === split;
  // Quotes, escapes and variables are a language of their own there: what comes out is not known.
  if (text !== null && /["'\\$#]/.test(text)) {
    return together([opaque(argv, state, "a text is split into words"), guesses(argv, state)]);
  }
  if (program === undefined || !isLast || text === null || text.length > MAX_SPLIT_CHARS) {
    return doubtful(argv, state, "a text that is split into words expands");
  }
  const span = split.value?.span ?? program.span;
  const words = text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => literalWord(word, span));
  return step([program, ...words, ...argv.slice(index)], { ...state, privileged: true });
}

/** What `xargs` and its relatives make of the command: placeholders filled in, words appended. */
function completed(rest: readonly Word[], options: readonly WrapperOption[], name: string): readonly Word[] {
  const filling: Filling = { splits: false, leading: "" };
  const given = name === "xargs" ? [...new Set(options.flatMap(replacedWord))] : ["{"];
  const placeholders = given.length > MAX_PLACEHOLDERS ? [""] : given;
  const words = placeholders.reduce((done, text) => done.map((word) => filledWord(word, text, filling)), rest);
  // The last of `-I`, `-L` and `-n` counts, and which that is differs from one `xargs` to another: both are assumed.
  const batches = options.some((option) => /^(?:-[Ln]|--max-(?:args|lines))$/.test(option.name));
  if (name === "xargs" && placeholders.length > 0 && !batches) return words;
  const end = rest.at(-1)?.span.end ?? 0;
  return [...words, appendedWord({ start: end, end }, { splits: true, leading: "" })];
}

/** The word that `xargs` replaces: `-I R`, `-IR`, `--replace=R`, or `{}` for a bare `--replace`. */
function replacedWord({ name, value }: WrapperOption): string[] {
  if (name !== "-I" && name !== "--replace") return [];
  const text = value === undefined ? "{}" : (value.value ?? value.leading);
  // Of an expanding or empty one nothing is known, so that it is taken to stand in every word.
  return [value?.value === null ? "" : text];
}

/** `runuser -u USER program`; without `-u` it is like `su`. */
function throughRunuser(argv: readonly Word[], state: State): Unwrapped {
  const spec = WRAPPERS.get("runuser -u");
  const isWrapper = argv.some((word) => /^(?:-[A-Za-z]*u|--user(?:=|$))/.test(word.value ?? ""));
  if (spec !== undefined && isWrapper) return throughWrapper("runuser", spec, argv, state);
  return throughCommandOption("runuser", argv, state, step);
}

/** A wrapper whose options are not understood: it is unresolved, and each later word may be the program. */
function doubtful(argv: readonly Word[], state: State, why: string): Unwrapped {
  // Behind a word that expands, anything may stand, and a text of several words may be in any language.
  const hidden = argv.some((word) =>
    word.value === null
      ? word.splits || word.leading === ""
      : /\s/.test(word.value) && !/^[\w./:,@%+= -]*$/.test(word.value),
  );
  return together([hidden ? opaque(argv, state, why) : unresolved(argv, state, why), guesses(argv, state)]);
}

/** Readings of a command that was not understood: from each of its words on, and each text of several words. */
function guesses(argv: readonly Word[], state: State): Unwrapped {
  if (state.guessing) return NOTHING;
  const inner = { ...state, guessing: true };
  const found = argv
    .map((word, at) => ({ word, at, text: word.value ?? "" }))
    .filter(({ at, text }) => at > 0 && text !== "" && !text.startsWith("-"))
    .slice(0, MAX_GUESSES)
    .map(({ word, at, text }) =>
      /\s/.test(text)
        ? throughText({ via: "sh -c", text: word, language: "posix" }, argv, inner, step)
        : step(argv.slice(at), inner),
    );
  return { ...NOTHING, perhaps: found.flatMap(({ effective, perhaps }) => [...effective, ...perhaps]) };
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
