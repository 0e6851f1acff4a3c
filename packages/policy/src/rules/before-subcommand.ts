/**
 * Options between a program and its subcommand: a rule against `git push` also concerns `git -C . push`.
 *
 * Which word is the subcommand depends on which options take the next word for a value. Those of git are known; of other
 * programs both readings are tried, and then the rule may concern the line.
 */

/** Words behind which the subcommand may stand, that are looked at; past that it may be anywhere. */
const MAX_PLACES = 16;

/** Options of git that take the next word, before its subcommand: git(1). */
const VALUED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["git", new Set("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source".split(" "))],
]);

/** A place where the subcommand may stand. */
export interface SubcommandPlace {
  /** Index among the arguments. */
  readonly at: number;
  /** False where it depends on what an option takes. */
  readonly sure: boolean;
}

/** A word, as far as it is known. */
interface Known {
  readonly text: string | null;
  /** What one that expands begins with. */
  readonly leading: string;
  /** It may be several words, or none. */
  readonly several: boolean;
}

/**
 * Where the subcommand of a call may stand that has options before it; empty where it has none, `"anywhere"` where there are
 * too many places.
 */
export function subcommandPlaces(
  program: string | null,
  rest: readonly Known[],
): readonly SubcommandPlace[] | "anywhere" {
  const valued = VALUED.get(program ?? "");
  const places: SubcommandPlace[] = [];
  let sure = true;
  for (let at = 0; ; at++) {
    const option = optionOf(rest[at]);
    if (option === undefined) return places;
    if (option === "--") return [...places, { at: at + 1, sure }];
    const taking = takes(option, rest[at + 1], valued);
    if (taking === "perhaps") {
      sure = false;
      places.push({ at: at + 1, sure });
    }
    if (taking !== "no") at++;
    if (isOperand(rest[at + 1])) places.push({ at: at + 1, sure });
    if (places.length > MAX_PLACES) return "anywhere";
  }
}

/** Whether an option takes the next word. */
function takes(
  option: string,
  next: Known | undefined,
  valued: ReadonlySet<string> | undefined,
): "yes" | "no" | "perhaps" {
  if (valued !== undefined) return valued.has(option) ? "yes" : "no";
  return option.includes("=") || !isOperand(next) ? "no" : "perhaps";
}

function isOperand(word: Known | undefined): boolean {
  return word !== undefined && optionOf(word) === undefined;
}

/** What an option says, as far as it is known; undefined for another word. */
function optionOf(word: Known | undefined): string | undefined {
  if (word === undefined || (word.text === null && word.several)) return undefined;
  const text = word.text ?? word.leading;
  return /^-./.test(text) ? text : undefined;
}
