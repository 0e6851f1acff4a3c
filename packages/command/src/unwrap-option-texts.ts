/**
 * Looks through what `option-texts.ts` finds: command lines in options of programs that do something else.
 */
import { codeInputTexts } from "./code-input.ts";
import { type OptionText, optionTexts } from "./option-texts.ts";
import { givenInput, TOO_LARGE, throughText, wrapperName } from "./unwrap-shell.ts";
import { type EffectiveCommand, opaque, type State, type Step, unresolved } from "./unwrap-state.ts";
import type { Word } from "./word.ts";

/** Readings of one command, those of texts inside texts multiplied; with more it is not known what runs. */
const MAX_READINGS = 64;

/** What the options of a call may start. */
export function throughOptionTexts(
  name: string,
  argv: readonly Word[],
  state: State,
  step: Step,
): readonly EffectiveCommand[] {
  const texts = [...optionTexts(name, argv), ...givenInput(state).flatMap((code) => codeInputTexts(name, argv, code))];
  if (texts.length === 0) return [];
  const readings = state.readings * texts.length;
  const around: State = { ...state, privileged: true, readings };
  if (readings > MAX_READINGS) return opaque(argv, around, TOO_LARGE).effective;
  return texts.flatMap((each) => throughOne(each, argv, around, step));
}

function throughOne(
  { text, split, remote, rest, inCode }: OptionText,
  argv: readonly Word[],
  state: State,
  step: Step,
): readonly EffectiveCommand[] {
  const name = wrapperName(argv);
  const via = remote ? name : `${name} -c`;
  const inner = { ...state, via: [...state.via, via] };
  // `rsync -e "ssh -i $KEY"`: whatever the variable holds, `ssh` runs.
  if (split && text.value === null && /^\s*[\w./+-]+\s/.test(text.leading)) {
    return unresolved(argv, inner, `the text for \`${via}\` expands`).effective;
  }
  const { effective, perhaps } =
    rest.length === 0 ? throughText({ via, text, language: "posix" }, argv, state, step) : step([text, ...rest], inner);
  // What is not known in code is the program's own, which is not known anyway.
  return [...effective, ...perhaps].filter((command) => !isAlone(command) && !(inCode && command.unresolved));
}

/** `ProxyCommand='ssh -W %h:%p x'`: nothing of the line is the input of what such a text starts. */
function isAlone({ unresolved: why = "" }: EffectiveCommand): boolean {
  return / starts a shell$/.test(why);
}
