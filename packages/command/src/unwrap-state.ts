/**
 * What looking through wrappers carries along, and what it finds: the commands that run in the end.
 *
 * Only data and the ways to put it together. Which program is a wrapper and how it is read is in `unwrap.ts` and its
 * neighbours `unwrap-shell.ts` and `unwrap-find.ts`.
 */
import { type GitAround, NO_GIT } from "./git-settings.ts";
import type { Assignment, SimpleCommand, SyntaxFacts } from "./syntax.ts";
import { attachedWord, isAppended, type Span, type Word } from "./word.ts";

/** A command that runs in the end, with the wrappers that led to it. */
export interface EffectiveCommand {
  /**
   * Program and arguments after unwrapping. What a wrapper fills in while it runs (`{}` of `find -exec`) is a word
   * without a value. What it appends is in `appended`; `wordsOf` gives both.
   */
  readonly argv: readonly Word[];
  /** What stands for the words that a wrapper appends while it runs (`xargs`, `fd -x`): any number of them. */
  readonly appended?: Word;
  /** Wrappers passed, outermost first: `["sudo", "bash -c"]`. */
  readonly via: readonly string[];
  /** False where words are added that the text does not show: `xargs`, `{}` of `find -exec`. */
  readonly argvComplete: boolean;
  /** Why the rest of this command is not known: an unknown option, a text that expands. Absent when resolved. */
  readonly unresolved?: string;
  /**
   * True where even the program that runs is known only while it runs: `$x`, `bash -c "$x"`, text piped into a shell,
   * `xargs -I{} {}`. A script by its name (`bash build.sh`) is not.
   */
  readonly opaque: boolean;
  /** True where a wrapper on the way changes the folder: `find -execdir`. */
  readonly elsewhere: boolean;
  /** Folders that wrappers on the way go to, outermost first, as they are written: `env -C FOLDER`. */
  readonly movedTo: readonly Word[];
  /** True where a launcher on the way runs it in a container or on another machine: `docker exec`. */
  readonly contained: boolean;
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
  /**
   * What a launcher (`npx`, `docker exec`) may start, and readings of wrappers that were not understood: each later word
   * taken for the program. Never a proof, only a doubt.
   */
  readonly perhaps: readonly EffectiveCommand[];
}

/** What is known of a command while its wrappers are looked through. */
export interface State {
  readonly via: readonly string[];
  readonly assignments: readonly Assignment[];
  readonly argvComplete: boolean;
  readonly elsewhere: boolean;
  readonly movedTo: readonly Word[];
  readonly contained: boolean;
  readonly privileged: boolean;
  readonly noisy: boolean;
  readonly simple: SimpleCommand;
  readonly written: SimpleCommand;
  readonly shellTexts: number;
  /** True inside a guess, which makes no guesses of its own. */
  readonly guessing: boolean;
  /** How many readings of the written command this may be one of: launchers in launchers multiply. */
  readonly readings: number;
  /** What the text around says of git: exported settings, and aliases. */
  readonly git: GitAround;
}

/** Looks through the next wrapper; handed down, so that the readers of single wrappers need not know each other. */
export type Step = (argv: readonly Word[], state: State) => Unwrapped;

/** Makes guesses of a command whose options are not understood. */
export type Guess = (argv: readonly Word[], state: State) => Unwrapped;

/** Nothing runs. */
export const NOTHING: Unwrapped = { effective: [], nested: [], perhaps: [] };

/** The state at a simple command as written. */
export function initialState(simple: SimpleCommand): State {
  return {
    simple,
    written: simple,
    via: [],
    assignments: simple.assignments,
    argvComplete: true,
    elsewhere: false,
    movedTo: [],
    contained: false,
    privileged: false,
    noisy: false,
    shellTexts: 0,
    guessing: false,
    readings: 1,
    git: NO_GIT,
  };
}

/** The state at a simple command inside a text for a shell. */
export function within(simple: SimpleCommand, from: State): State {
  return { ...from, simple, assignments: [...from.assignments, ...simple.assignments] };
}

/** Everything that several readings found. */
export function together(parts: readonly Unwrapped[]): Unwrapped {
  return {
    effective: parts.flatMap((part) => part.effective),
    nested: parts.flatMap((part) => part.nested),
    perhaps: parts.flatMap((part) => part.perhaps),
  };
}

/** Options by which programs start a command in another folder: `-C X`, `--chdir=X`, `--working-directory X`. */
const MOVING = /^(?:-[CDw]|--?(?:chdir|cwd|wd|cd|prefix|root|chroot|(?:work(?:ing)?-?)?dir(?:ectory)?)(?=$|=))=?/;

/** The folder that options of a program whose options are not listed may name: the last of them. */
export function folderIn(words: readonly Word[]): Word | undefined {
  for (let at = words.length - 1; at > 0; at--) {
    const word = words[at];
    const option = word === undefined ? undefined : MOVING.exec(word.leading)?.[0];
    if (word === undefined || option === undefined) continue;
    return word.leading.length > option.length || word.value === null
      ? attachedWord(word, option.length)
      : words[at + 1];
  }
  return undefined;
}

/** A command that runs as its words say. */
export function emit(argv: readonly Word[], state: State): Unwrapped {
  return { ...NOTHING, effective: [command(argv, state)] };
}

/** A command of which only the program is known, or a script by its name. */
export function unresolved(argv: readonly Word[], state: State, why: string): Unwrapped {
  return { ...NOTHING, effective: [{ ...command(argv, state), unresolved: why }] };
}

/** A command whose program is known only while it runs. */
export function opaque(argv: readonly Word[], state: State, why: string): Unwrapped {
  return { ...NOTHING, effective: [{ ...command(argv, state), unresolved: why, opaque: true }] };
}

/** All words of a command, what a wrapper appends included: what a judge of its arguments has to look at. */
export function wordsOf({ argv, appended }: EffectiveCommand): readonly Word[] {
  return appended === undefined ? argv : [...argv, appended];
}

function command(words: readonly Word[], state: State): EffectiveCommand {
  const end = words.at(-1);
  const appended = end !== undefined && isAppended(end) ? end : undefined;
  const argv = appended === undefined ? words : words.slice(0, -1);
  const first = argv[0];
  const last = argv.at(-1);
  return {
    argv,
    ...(appended === undefined ? {} : { appended }),
    via: state.via,
    argvComplete: state.argvComplete,
    opaque: false,
    elsewhere: state.elsewhere,
    movedTo: state.movedTo,
    contained: state.contained,
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
}
