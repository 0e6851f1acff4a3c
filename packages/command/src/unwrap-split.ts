/**
 * Looks through `env -S 'rm x'`: the text is split into words, which are read in the place of the option.
 */
import { splitString } from "./split-string.ts";
import { TOO_LARGE } from "./unwrap-shell.ts";
import { type Guess, opaque, type State, type Step, together, type Unwrapped } from "./unwrap-state.ts";
import { literalWord, type Word } from "./word.ts";

/** Longest text that is split, in UTF-16 units; each may hold the next. */
const MAX_SPLIT_CHARS = 4_096;

/** A call with a text that is split. */
export interface SplitCall {
  readonly argv: readonly Word[];
  readonly text: Word | undefined;
  /** Index of the first word behind the option. */
  readonly end: number;
}

/** The call with the words of its text. */
export function throughSplitText(call: SplitCall, state: State, step: Step, guess: Guess): Unwrapped {
  const { argv, end } = call;
  const [program] = argv;
  const text = call.text?.value ?? null;
  if (program === undefined || text === null) return splitUnknown(argv, state, guess);
  if (text.length > MAX_SPLIT_CHARS) return opaque(argv, state, TOO_LARGE);
  const words = splitString(text, { span: call.text?.span ?? program.span, context: state.simple.context });
  if (words === undefined) return splitUnknown(argv, state, guess);
  const inner = step([program, ...words, ...argv.slice(end)], { ...state, privileged: true });
  if (!/["'\\$#]/.test(text)) return inner;
  // Other programs of this name may read quotes, escapes and variables otherwise: as blanks, for instance.
  const blanks = text.replaceAll(/\\[fnrtv]/g, " ");
  const other = blanks === text ? [] : [guess([program, literalWord(blanks, program.span)], state)];
  return together([opaque(argv, state, "a text is split into words"), inner, ...other]);
}

/** A text that is not known, or that env refuses. */
export function splitUnknown(argv: readonly Word[], state: State, guess: Guess): Unwrapped {
  return together([opaque(argv, state, "a text is split into words"), guess(argv, state)]);
}
