/**
 * What `find` does to what it finds: it removes, moves, or changes modes and owners, by itself or by what it runs.
 *
 * Each thing that it does is judged by the tests that must hold before it is reached (`find-expression.ts`), so that a
 * harmless `-delete` of `*.tmp` does not hide the `chmod` behind it.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { targetOf } from "../../danger-paths.ts";
import type { Refusal } from "../../finding.ts";
import { placesBelow } from "../../protected-folders.ts";
import { block, type DangerCall, type DangerJudge, undecided, worst } from "../call.ts";
import { removal } from "../targets.ts";
import { type Field, knownText, UNKNOWN } from "../values/fields.ts";
import { effectsOf } from "./effects.ts";
import { type FindAction, readFind, startFields } from "./find-expression.ts";
import { type Narrowing, weakest } from "./name-patterns.ts";
import { narrowest, type Reach } from "./reach.ts";

/** The judges of this file, by program. */
export const SEARCH_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["find", judgeFind],
  ["gfind", judgeFind],
];

/** Something that a search does to what it finds. */
export interface SearchAction {
  readonly removes: boolean;
  readonly moves: boolean;
  readonly changesModes: boolean;
  readonly reach: Reach;
  /** True where a folder goes only once it is empty: `-delete`. */
  readonly sparesStart: boolean;
}

function judgeFind(call: DangerCall): Refusal | undefined {
  const { argv, actions, starts } = readSearch(call);
  const runs = new Runs(actions, argv, call);
  const found = actions.map((action) => searchAction(action, runs.of(action)));
  return judgeSearch("`find`", found, starts, call);
}

/** A call of `find` with the values that the line gives to its words. */
export interface Search {
  readonly argv: readonly Word[];
  readonly actions: readonly FindAction[];
  readonly starts: readonly Field[];
}

/** Reads a call of `find`. */
export function readSearch(call: DangerCall): Search {
  const argv = [...call.command.argv.slice(0, 1), ...call.args.flatMap((word) => known(word, call))];
  let given: readonly Field[] = [];
  const { startsInFile, actions } = readFind(argv, {
    places: (starts) => {
      given = [...starts.flatMap((word) => call.fieldsOf(word)), ...(call.added ?? [])];
      return placesBelow(startFields(given), call.folder);
    },
  });
  return { argv, actions, starts: startFields(startsInFile ? [...given, [UNKNOWN]] : given) };
}

/** A word as it is when its value is known: `F=-delete; find / $F`. */
function known(word: Word, call: DangerCall): readonly Word[] {
  if (word.value !== null || word.expansions.glob || word.expansions.input) return [word];
  const texts = call.fieldsOf(word).map(knownText);
  const read = texts.flatMap((text): Word[] =>
    text === undefined ? [] : [{ ...word, value: text, text, display: text, leading: text, splits: false }],
  );
  return read.length === texts.length && read.length > 0 ? read : [word];
}

/** What a search does in all, from some starts. */
export function judgeSearch(
  program: string,
  actions: readonly SearchAction[],
  starts: readonly Field[],
  call: Pick<DangerCall, "folder">,
): Refusal | undefined {
  const least = (chosen: readonly SearchAction[], of: (action: SearchAction) => Narrowing): Narrowing =>
    chosen.length === 0 ? "yes" : weakest(chosen.map(of));
  const removed = least(
    actions.filter(({ removes }) => removes),
    leftByRemoval,
  );
  const changed = least(
    actions.filter(({ changesModes }) => changesModes),
    ({ reach }) => narrowest(reach),
  );
  const moved = least(
    actions.filter(({ moves }) => moves),
    ({ reach }) => weakest([reach.start, reach.folders]),
  );
  const targets = starts.map((field) => ({ field, target: targetOf(field, call.folder) }));
  const main = targets.map(({ target }) => target.certain).find((each) => each?.kind === "main");
  return worst([
    ...targets.map(({ field, target }) => {
      if (removed === "yes") return undefined;
      if (removed === "no" || target.certain === undefined) {
        return removal(`${program} that removes everything`, field, target);
      }
      return undecided(`${program} that removes what is not named from ${target.certain.name}`);
    }),
    changed === "no" && main !== undefined
      ? block("modes-of-system", `change of modes or owners of everything in ${main.name}`)
      : undefined,
    moved === "no" && main !== undefined ? block("move-system", `${program} that moves ${main.name}`) : undefined,
  ]);
}

function leftByRemoval({ reach, sparesStart }: SearchAction): Narrowing {
  return sparesStart ? weakest([reach.folders, reach.contents]) : narrowest(reach);
}

function searchAction({ predicate, reach }: FindAction, commands: readonly Run[]): SearchAction {
  const effects = effectsOf(commands);
  const deletes = predicate === "-delete";
  return { ...effects, removes: effects.removes || deletes, reach, sparesStart: deletes };
}

type Run = Pick<EffectiveCommand, "argv" | "unresolved">;

/** What `find` runs by its actions, through whatever that is wrapped in. */
class Runs {
  readonly #argv: readonly Word[];
  /** Where the words of the actions that run something begin, in order. */
  readonly #starts: readonly number[];
  readonly #found: ReadonlyMap<number, readonly Run[]>;

  constructor(actions: readonly FindAction[], argv: readonly Word[], call: DangerCall) {
    this.#argv = argv;
    this.#starts = actions.filter(({ predicate }) => RUNS.test(predicate)).map(({ at }) => at);
    const found = new Map<number, Run[]>();
    for (const command of call.beside) {
      if (!command.via.some((each) => /^find -(?:exec|ok)/.test(each))) continue;
      const at = this.#startBefore(command.span.start);
      const known = at === undefined ? undefined : found.get(at);
      if (known !== undefined) known.push(command);
      else if (at !== undefined) found.set(at, [command]);
    }
    this.#found = found;
  }

  of({ predicate, at }: FindAction): readonly Run[] {
    if (!RUNS.test(predicate)) return [];
    // Where the search was not looked through, the words stand as they are.
    const next = this.#starts[this.#starts.indexOf(at) + 1];
    return this.#found.get(at) ?? [{ argv: this.#argv.slice(at + 1, next) }];
  }

  /** The last action whose words begin at or before a place. */
  #startBefore(place: number): number | undefined {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#argv[this.#starts[middle] ?? 0]?.span.start ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return this.#starts[low - 1];
  }
}

const RUNS = /^-(?:exec|ok)(?:dir)?$/;
