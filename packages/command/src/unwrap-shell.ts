/**
 * Looks through what hands a text to a shell: `bash -c 'x'`, `sh <<< x`, `eval x`, `trap x EXIT`, `alias a=x`, `su -c x`.
 *
 * A literal text is read as a command line of its own. A text that expands, or that the shell reads from a place the
 * line does not show, is opaque: anything may run.
 */
import { gitAround } from "./git-settings.ts";
import { perhapsTexts, readsAlike, SHELLS, type ShellLanguage, type ShellOptions, shellOptions } from "./shell-text.ts";
import { isLimitProblem } from "./text-limits.ts";
import {
  type EffectiveCommand,
  emit,
  NOTHING,
  opaque,
  type State,
  type Step,
  together,
  type Unwrapped,
  unresolved,
  within,
} from "./unwrap-state.ts";
import { walkText } from "./walk.ts";
import { attachedWord, firstValue, literalWord, type Word } from "./word.ts";

/** Shell texts inside shell texts that are followed; deeper ones are opaque. */
const MAX_SHELL_TEXTS = 8;

const TOO_DEEP = "shell texts nested too deeply";
/** Why a text is left out that passes a limit. */
export const TOO_LARGE = "a text for a shell is too large to be read";

/** Readings of one command, those of shells inside shells multiplied; with more it is not known what runs. */
const MAX_READINGS = 64;

/** Longest text that is read on a guess, in UTF-16 units. */
const MAX_GUESSED_CHARS = 512;

/** `bash -c 'text' name args…`; without `-c` the shell runs a file or its input. */
export function throughShell(name: string, argv: readonly Word[], state: State, step: Step): Unwrapped {
  const language = SHELLS.get(name) ?? "other";
  // It says something of itself and runs nothing.
  if (argv.length === 2 && /^--(?:version|help)$/.test(argv[1]?.value ?? "")) return emit(argv, state);
  const options = shellOptions(argv, language);
  const found = throughOptions(name, argv, options, state, step);
  if (options.problem === undefined && language !== "other") return found;
  return together([found, textsPerhaps(name, argv, options, state, step)]);
}

/** What a shell runs where its options are known. */
function throughOptions(
  name: string,
  argv: readonly Word[],
  { index, readsText, readsInput, plain, problem }: ShellOptions,
  state: State,
  step: Step,
): Unwrapped {
  if (problem !== undefined) return opaque(argv, state, problem);
  if (!readsText) return throughScript(name, argv, readsInput ? undefined : argv[index], state, step);
  const text = argv[index];
  if (text === undefined) return opaque(argv, state, `\`${name} -c\` without a text`);
  const language = SHELLS.get(name) ?? "other";
  const via = `${wrapperName(argv)} -c`;
  return throughText({ via, text, language }, argv, { ...state, privileged: state.privileged || !plain }, step);
}

/** What else may be a text: found for deny rules and dangers alone, as what a launcher may start is. */
function textsPerhaps(
  name: string,
  argv: readonly Word[],
  { index, readsText }: ShellOptions,
  state: State,
  step: Step,
): Unwrapped {
  const words = perhapsTexts(name, argv);
  // PowerShell's text goes on in the words behind it.
  const all = name === "pwsh" && words[0] !== undefined ? joined(argv.slice(argv.indexOf(words[0]))) : undefined;
  const texts = [...words.filter((text) => !readsText || text !== argv[index]), ...(all === undefined ? [] : [all])];
  if (texts.length === 0) return NOTHING;
  const around = { ...state, privileged: true, readings: state.readings * texts.length };
  if (around.readings > MAX_READINGS) return { ...NOTHING, perhaps: opaque(argv, around, TOO_LARGE).effective };
  const via = `${wrapperName(argv)} -c`;
  const language = SHELLS.get(name) ?? "other";
  const parts = texts.map((text) => throughText({ via, text, language }, argv, around, step));
  // What is not known of them is the shell's own, which is not known anyway.
  const found = parts.flatMap(({ effective, perhaps }) => [...effective, ...perhaps]);
  const perhaps = found.filter((command) => !command.opaque || isBeyondLimits(command));
  const nested = parts.flatMap((part) => part.nested).filter(({ errors }) => errors.length === 0);
  return { ...NOTHING, nested, perhaps };
}

/** A wrapper is named as it is written, unless the system installed it: `./timeout` may be any program. */
export function wrapperName(argv: readonly Word[]): string {
  const path = firstValue(argv);
  return /^\/(?:usr\/)?bin\/[^/]+$/.test(path) ? path.slice(path.lastIndexOf("/") + 1) : path;
}

/** A script by its name is known as any program is; a shell that reads its input runs what no one has seen. */
function throughScript(
  name: string,
  argv: readonly Word[],
  script: Word | undefined,
  state: State,
  step: Step,
): Unwrapped {
  const why = `\`${name}\` runs a file or its input`;
  if (script !== undefined && isScript(script)) return unresolved(argv, state, why);
  return together([opaque(argv, state, why), ...inputTexts(name, argv, state, step)]);
}

/** A name that is known, and that is not another name of the input. */
function isScript({ value }: Word): boolean {
  return value !== null && value !== "-" && !/^\/(?:dev|proc)\//.test(value);
}

/** `bash <<< 'text'` and `sh <<E`: looked through for deny rules and dangers; the shell itself stays unknown. */
function inputTexts(name: string, argv: readonly Word[], state: State, step: Step): Unwrapped[] {
  return givenInput(state).flatMap((text) =>
    text.value === null ? [] : [throughText({ via: `${name} <<`, text, language: "bash" }, argv, state, step)],
  );
}

/** The texts that the line itself gives as standard input: here-strings and here-documents. */
export function givenInput({ simple }: State): readonly Word[] {
  return simple.redirections.flatMap(({ operator, target, body, span }) => {
    const text = operator === "<<<" ? target : body === undefined ? null : literalWord(body, span);
    return text === null ? [] : [text];
  });
}

/** A text for a shell, and how the shell is called in `via`. */
export interface ShellText {
  readonly via: string;
  readonly text: Word | undefined;
  readonly language: ShellLanguage;
}

/** Reads a literal text as a command line of its own. */
export function throughText(
  { via, text, language }: ShellText,
  argv: readonly Word[],
  state: State,
  step: Step,
): Unwrapped {
  if (text === undefined) return emit(argv, state);
  if (text.expansions.input) return opaque(argv, state, `the text for \`${via}\` is completed while it runs`);
  if (text.value === null) return opaque(argv, state, `the text for \`${via}\` expands`);
  if (state.shellTexts >= MAX_SHELL_TEXTS) return opaque(argv, state, TOO_DEEP);
  // Several guesses may lead to one text, and each would read it.
  if (state.guessing && text.value.length > MAX_GUESSED_CHARS) return opaque(argv, state, "the text is too long");
  const facts = walkText(text.value, { span: text.span, context: state.simple.context });
  const git = gitAround(facts.commands, state.git);
  const inner = { ...state, via: [...state.via, via], shellTexts: state.shellTexts + 1, git };
  const problem =
    facts.errors.length > 0
      ? opaque(
          argv,
          state,
          facts.errors.some(isLimitProblem) ? TOO_LARGE : `the text for \`${via}\` is not a valid command line`,
        )
      : readsAlike(language, text.value)
        ? NOTHING
        : opaque(argv, state, `the shell of \`${via}\` may read its text otherwise`);
  const commands = facts.commands.map((simple) => step(simple.argv, within(simple, inner)));
  // A text of other syntax alone (`[[ … ]]`) runs as well: what leads to it is judged with a command that does nothing.
  if (facts.commands.length === 0 && problem === NOTHING) commands.push(step([literalWord(":", text.span)], inner));
  return together([{ ...NOTHING, nested: [facts] }, problem, ...commands]);
}

/** The words as one text, as `eval` and `ssh` make it; without a value where one of them has none. */
export function joined(words: readonly Word[]): Word | undefined {
  const first = words[0];
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const span = { start: first.span.start, end: last.span.end };
  const text = literalWord(words.map((word) => word.value ?? word.display).join(" "), span);
  return words.some((word) => word.value === null) ? { ...text, value: null } : text;
}

/** `eval 'text'`. */
export function throughEval(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const text = joined(argv.slice(argv[1]?.value === "--" ? 2 : 1));
  return throughText({ via: "eval", text, language: "bash" }, argv, state, step);
}

/** `source FILE`: a script by its name, or what is known only when it runs. */
export function throughSource(argv: readonly Word[], state: State): Unwrapped {
  const file = argv[argv[1]?.value === "--" ? 2 : 1];
  return file === undefined || isScript(file)
    ? emit(argv, state)
    : opaque(argv, state, `\`${firstValue(argv)}\` runs a text that expands`);
}

/** `trap 'text' SIGNAL…` runs the text later; the trap itself stays listed, because it changes the session. */
export function throughTrap(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const words = argv.slice(1).filter((word) => word.value !== "--");
  const text = words[0];
  const hasBody = words.length > 1 && text?.value !== "" && text?.value?.startsWith("-") !== true;
  const body = hasBody ? throughText({ via: "trap", text, language: "bash" }, argv, state, step) : NOTHING;
  return together([emit(argv, state), body]);
}

/** `alias name=text`: the text runs where the name stands later. */
export function throughAliases(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const bodies = argv.slice(1).map((word) => {
    if (word.value === null) return opaque(argv, state, "the text of an alias expands");
    const equals = word.value.indexOf("=");
    if (equals < 1) return NOTHING;
    const text = literalWord(word.value.slice(equals + 1), word.span);
    return throughText({ via: "alias", text, language: "bash" }, argv, state, step);
  });
  return together([emit(argv, state), ...bodies]);
}

/** `-c`, `--command` and `--session-command`, alone in a bundle and abbreviated: su(1), script(1). */
const TEXT_OPTION = /^(?:-[A-Za-z]*c|--c[a-z]*|--se[a-z-]*)$/;
/** The same with the text attached: `-c'rm x'`, `--command=rm`. */
const ATTACHED_TEXT = /^(?:-[aefqlmpP]*c(?!$)|--(?:c[a-z]*|se[a-z-]*)=)/;

/** `su -c text`, `script -c text`, `flock FILE -c text`. Other forms start a shell that reads its input. */
export function throughCommandOption(name: string, argv: readonly Word[], state: State, step: Step): Unwrapped {
  const shell = opaque(argv, state, `\`${name}\` starts a shell`);
  const at = argv.findIndex((word) => TEXT_OPTION.test(word.value ?? ""));
  const inline = argv.find((word) => ATTACHED_TEXT.test(word.leading));
  if (at === -1 && inline === undefined) return shell;
  const inner = { ...state, privileged: true };
  const texts = [at === -1 ? undefined : argv[at + 1], inline === undefined ? undefined : attachedText(inline)];
  const read = texts.flatMap((text) =>
    text === undefined ? [] : [throughText({ via: `${name} -c`, text, language: "posix" }, argv, inner, step)],
  );
  return together([shell, ...read]);
}

function attachedText(word: Word): Word {
  return attachedWord(word, ATTACHED_TEXT.exec(word.leading)?.[0].length ?? 0);
}

/** True for a command of which a part was not read because it passes a limit of ours: what it runs may be anything. */
export function isBeyondLimits({ unresolved }: EffectiveCommand): boolean {
  return unresolved === TOO_DEEP || unresolved === TOO_LARGE || unresolved === "too many wrappers";
}

/**
 * True for a program that is not a shell by its name and takes commands from its input: `sudo -s`, `su`, `ssh HOST`, `at`.
 * Beside a `-c` the input is that of the text's commands.
 */
export function readsCommands({ argv, unresolved = "" }: EffectiveCommand): boolean {
  if (!/` (?:starts a shell|runs its input)$/.test(unresolved)) return false;
  const hasText = argv.some((word) => TEXT_OPTION.test(word.value ?? "") || ATTACHED_TEXT.test(word.leading));
  return !hasText || !/(?:^|\/)(?:su|script|runuser|flock)$/.test(firstValue(argv));
}
