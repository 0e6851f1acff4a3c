/**
 * Builtins and words that run a text by a detour: completions, callbacks, values of variables, subscripts.
 *
 * Such a text makes a line opaque, or is a doubt: a rule that forbids something asks then. What builtins change in a
 * session is the policy's matter.
 */
import type { SimpleCommand } from "./syntax.ts";
import { throughText } from "./unwrap-shell.ts";
import {
  type EffectiveCommand,
  emit,
  opaque,
  type State,
  type Step,
  together,
  type Unwrapped,
} from "./unwrap-state.ts";
import { firstValue, type Word } from "./word.ts";

/** Words that are looked at for texts that only an evaluation would run. */
const MAX_TEXTS = 16;

/**
 * What literal words may run by a detour: the value of a variable that some program takes for a command
 * (`GIT_PAGER='rm x' git log`), and a substitution in a subscript (`printf -v 'a[$(rm x)]'`).
 */
export function hiddenTexts(simple: SimpleCommand, state: State, step: Step): readonly EffectiveCommand[] {
  const values = simple.assignments.flatMap(({ value }) => (value?.value ? [value] : []));
  const guessing = { ...state, guessing: true };
  const commands = values
    .slice(0, MAX_TEXTS)
    .flatMap((text) => throughText({ via: "variable", text, language: "posix" }, [text], guessing, step).effective);
  const subscripts = [...values, ...simple.argv].filter((word) =>
    /\[[^\]]*(?:\$\(|`)/.test((word.value ?? "").slice(0, 1_024)),
  );
  const evaluated = subscripts
    .slice(0, 1)
    .flatMap((word) => opaque([word], guessing, "a subscript may be evaluated").effective);
  return [...commands, ...evaluated];
}

/** `compgen -C text`, `complete -W text`, `-F function`: they run their text, now or later. */
export function throughCompletion(argv: readonly Word[], state: State): Unwrapped {
  return withText(argv, state, /^-[A-Za-z]*[CWF]/);
}

/** `mapfile -C text`, `bind -x text`, `enable -f file`, `hash -p file name`. */
export function throughCallback(argv: readonly Word[], state: State): Unwrapped {
  return withText(argv, state, /^-[A-Za-z]*[Cxfp]/);
}

function withText(argv: readonly Word[], state: State, option: RegExp): Unwrapped {
  const runs = argv.slice(1).some((word) => option.test(word.value ?? word.leading) || word.value === null);
  return runs ? opaque(argv, state, `\`${firstValue(argv)}\` runs a text of its own`) : emit(argv, state);
}

/** `jobs -x program`. */
export function throughJobs(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const at = argv.findIndex((word) => /^-[A-Za-z]*x/.test(word.value ?? ""));
  return at === -1
    ? emit(argv, state)
    : together([emit(argv, state), step(argv.slice(at + 1), { ...state, via: [...state.via, "jobs -x"] })]);
}
