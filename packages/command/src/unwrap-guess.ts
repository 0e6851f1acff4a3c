/**
 * Readings of a wrapper that was not understood: each of its words may be the program, and each text one for a shell.
 */

import { throughText } from "./unwrap-shell.ts";
import { NOTHING, opaque, type State, type Step, together, type Unwrapped, unresolved } from "./unwrap-state.ts";
import { attachedWord, type Word } from "./word.ts";

/** Words of a wrapper that was not understood that are each tried as the program; with more any may run. */
const MAX_GUESSES = 64;

/** A wrapper whose options are not understood: it is unresolved, and each later word may be the program. */
export function throughDoubt(argv: readonly Word[], state: State, why: string, step: Step): Unwrapped {
  // Behind a word that expands, anything may stand, and a text of several words may be in any language.
  const hidden = argv.some((word) =>
    word.value === null
      ? word.splits || word.leading === ""
      : /\s/.test(word.value) && !/^[\w./:,@%+= -]*$/.test(word.value),
  );
  return together([hidden ? opaque(argv, state, why) : unresolved(argv, state, why), guesses(argv, state, step)]);
}

/** Readings of a command that was not understood: from each of its words on, and each text of several words. */
export function guesses(argv: readonly Word[], state: State, step: Step): Unwrapped {
  if (state.guessing) return NOTHING;
  const tried = argv.flatMap((word, at) => {
    const guessed = at === 0 ? undefined : guessedWord(word);
    return guessed === undefined ? [] : [{ word: guessed, at }];
  });
  const inner = {
    ...state,
    guessing: true,
    readings: state.readings * Math.max(1, Math.min(tried.length, MAX_GUESSES)),
  };
  const found = tried
    .slice(0, MAX_GUESSES)
    .map(({ word, at }) =>
      /\s/.test(word.value ?? "")
        ? throughText({ via: "sh -c", text: word, language: "posix" }, argv, inner, step)
        : step([word, ...argv.slice(at + 1)], inner),
    );
  if (tried.length > MAX_GUESSES) found.push(opaque(argv, inner, "too many words may be the program"));
  return { ...NOTHING, perhaps: found.flatMap(({ effective, perhaps }) => [...effective, ...perhaps]) };
}

/** What of a word may be a program or a text: all of it, or the value that is attached to an option. */
function guessedWord(word: Word): Word | undefined {
  const { value } = word;
  if (value === null || value === "") return undefined;
  if (!value.startsWith("-")) return word;
  const option = /^--[\w-]+=(?=.)/.exec(value)?.[0] ?? /^-[A-Za-z](?=\S+\s)/.exec(value)?.[0];
  return option === undefined ? undefined : attachedWord(word, option.length);
}
