/**
 * Looks through `find -exec x {} \;`.
 *
 * The search itself stays listed for its other predicates; each command that it runs is one of its own, in which the names
 * that the search fills in are words without a value. What such a name begins with is known where the search's starting
 * points are: `find src -exec cat {} +` hands `cat` no option.
 */
import { FIND_RUNS, findValues } from "./find-predicates.ts";
import { emit, type Guess, opaque, type State, type Step, together, type Unwrapped } from "./unwrap-state.ts";
import { type Filling, filledWord, type Word } from "./word.ts";

/** Searches inside of searches that are looked through: each has the words of all further ones. */
const MAX_SEARCHES = 4;
/** Starting points whose names are distinguished; with more, nothing is known of what a name begins with. */
const MAX_STARTS = 4;

/** `find`: each `-exec … ;` or `-exec … +` is a command of its own. */
export function throughFind(argv: readonly Word[], state: State, step: Step, guess: Guess): Unwrapped {
  if (state.via.filter((wrapper) => wrapper.startsWith("find ")).length >= MAX_SEARCHES) {
    return opaque(argv, state, "too many searches in searches");
  }
  const parts = [emit(argv, state)];
  // Inside of another search or wrapper names are not distinguished: each would multiply the commands of the one before.
  const points = startingPoints(argv);
  const runsMany = argv.filter((word) => FIND_RUNS.has(word.value ?? "")).length > MAX_STARTS;
  const starts = points.length > 1 && (state.via.length > 0 || runsMany) ? [""] : points;
  let doubtful = false;
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index];
    const predicate = word?.value ?? "";
    // A word that may become `-exec` hides where commands begin.
    if (word?.value === null && !beginsHarmlessly(word)) doubtful = true;
    if (!FIND_RUNS.has(predicate)) {
      index += findValues(predicate);
      continue;
    }
    let end = index + 1;
    while (end < argv.length && argv[end]?.value !== ";" && !isPlus(argv, end)) end++;
    const command = argv.slice(index + 1, end);
    parts.push(...runs(predicate, command, isPlus(argv, end), starts, state, step));
    index = end;
  }
  if (doubtful) parts.push(guess(argv, state));
  return together(parts);
}

function beginsHarmlessly(word: Word): boolean {
  return !word.splits && !word.expansions.brace && (/^~/.test(word.text) || /^[^-(!]/.test(word.leading));
}

/** `+` ends `-exec` only directly after `{}`; elsewhere it is an argument. */
function isPlus(argv: readonly Word[], at: number): boolean {
  return argv[at]?.value === "+" && argv[at - 1]?.value === "{}";
}

/** The command once for each thing that its names may begin with. */
function runs(
  predicate: string,
  command: readonly Word[],
  several: boolean,
  starts: readonly string[],
  state: State,
  step: Step,
): Unwrapped[] {
  const moves = predicate.endsWith("dir");
  const fills = command.some((word) => word.value?.includes("{}") ?? true);
  const inner: State = {
    ...state,
    via: [...state.via, `find ${predicate}`],
    argvComplete: state.argvComplete && !fills,
    elsewhere: state.elsewhere || moves,
    noisy: true,
  };
  // In the folder of the file its name stands alone, with or without `./`.
  const beginnings = !fills || moves ? [""] : starts;
  return beginnings.map((leading) =>
    step(
      command.map((word) => filled(word, { splits: leading === "", leading }, several)),
      inner,
    ),
  );
}

/** One name is one word; `{} +` makes several, which begin as the one does, like those of a pattern. */
function filled(word: Word, filling: Filling, several: boolean): Word {
  const done = filledWord(word, "{}", { ...filling, splits: several && filling.splits });
  return done === word || !several ? done : { ...done, expansions: { ...done.expansions, glob: true } };
}

/** What the names begin with: the literal starting points, `.` without one, or nothing that is known. */
function startingPoints(argv: readonly Word[]): readonly string[] {
  const starts = argv.slice(firstStart(argv));
  // As find tells them: a dash with more, or `(`, `!`, `)`, `,` alone.
  const end = starts.findIndex((word) => /^(?:-.|[(!),]$)/s.test(word.value ?? word.leading));
  const points = end === -1 ? starts : starts.slice(0, end);
  if (points.length === 0) return ["."];
  const unknown = points.some((word) => word.value === null && (word.splits || word.leading === ""));
  return unknown || points.length > MAX_STARTS ? [""] : points.map((word) => word.value ?? word.leading);
}

/** Index of the first word that is none of the options before the starting points. */
function firstStart(argv: readonly Word[]): number {
  let index = 1;
  for (let text = argv[index]?.value ?? ""; /^-(?:[HLPD-]|O\d?)$/.test(text); text = argv[index]?.value ?? "") {
    index += text === "-D" ? 2 : 1;
  }
  return index;
}
