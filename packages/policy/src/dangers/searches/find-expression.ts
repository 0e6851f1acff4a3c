/**
 * Reads the expression of `find`: where it starts, what it does, and whether a test narrows that to some files.
 *
 * `! -name keep` and `-name a -o` narrow nothing: what counts are the tests that must hold before an action is reached.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import { type Places, placesBelow } from "../../protected-folders.ts";
import { type Field, textField, UNKNOWN } from "../values/fields.ts";
import { type Narrowing, readGlob, readRegex } from "./name-patterns.ts";
import {
  allOf,
  FILES_LEFT,
  NOTHING_LEFT,
  narrowest,
  oneOf,
  type Reach,
  SOME_LEFT,
  testNames,
  testPaths,
  WHOLE,
} from "./reach.ts";

/** Something `find` does to what it finds. */
export interface FindAction {
  readonly predicate: string;
  /** Index of the predicate among the words. */
  readonly at: number;
  readonly narrowed: Narrowing;
  /** The same, by what it may meet. */
  readonly reach: Reach;
}

/** A call of `find`. */
export interface FindCall {
  /** Empty: it starts in the current folder. */
  readonly starts: readonly Word[];
  /** True where they stand in a file: `-files0-from`. */
  readonly startsInFile: boolean;
  readonly actions: readonly FindAction[];
  /** What its output names: everything below the starts, some of it, or something else. */
  readonly prints: "everything" | "narrowed" | "perhaps-narrowed" | "other";
  /** How far devices are kept out of that. */
  readonly devices: Narrowing;
}

/** What is known beside the words. */
export interface FindContext {
  /** The protected folders that a search from some starts may meet. */
  places(starts: readonly Word[]): Places;
}

/** Of the starts that are written out something is known in any case; relative ones may be anywhere. */
const BY_TEXT: FindContext = {
  places: (starts) => {
    const fields = starts.map(({ value }): Field => (value === null ? [UNKNOWN] : textField(value)));
    return placesBelow(startFields(fields), { lost: true });
  },
};

/** True for the program `find`, also as GNU's is called beside another one. */
export function isFind(program: Word | undefined): boolean {
  return /^g?find$/.test(programName(program?.value ?? ""));
}

/** Where a command starts that is a `find`; nothing for others. */
export function startsOf({ argv }: Pick<EffectiveCommand, "argv">): readonly Word[] {
  return isFind(argv[0]) ? readFind(argv).starts : [];
}

/** Without a start, a search begins in the folder where it runs. */
export function startFields(given: readonly Field[]): readonly Field[] {
  return given.length === 0 ? [textField(".")] : given;
}

/** Reads the words of a call, the program first. */
export function readFind(argv: readonly Word[], context: FindContext = BY_TEXT): FindCall {
  const { end, starts } = readStarts(argv);
  const reader = new Reader(argv, end, context.places(starts));
  const whole = reader.read();
  const { actions, startsInFile } = reader;
  const left = actions.length === 0 ? whole : oneOf(actions.map(({ reach }) => reach));
  return { starts, startsInFile, actions, prints: printed(actions, narrowest(left)), devices: left.devices };
}

interface Starts {
  readonly starts: readonly Word[];
  /** Index of the first word of the expression. */
  readonly end: number;
}

/** Options stand first; `--` ends them, and behind `-f` of the BSDs and of macOS stands a start. */
function readStarts(argv: readonly Word[]): Starts {
  const given: Word[] = [];
  let first = 1;
  for (let text = argv[first]?.value; text != null && OPTION.test(text); text = argv[first]?.value) {
    if (text === "-f") given.push(...argv.slice(first + 1, first + 2));
    first += /^-[Df]$/.test(text) ? 2 : 1;
    if (text === "--") break;
  }
  let end = first;
  while (end < argv.length && !/^(?:-.|[(),!]$)/.test(argv[end]?.value ?? argv[end]?.leading ?? "")) end++;
  return { starts: [...given, ...argv.slice(first, end)], end };
}

/** Sources: find(1) of GNU findutils 4.9, of FreeBSD and of macOS. */
const OPTION = /^-(?:-|[EHLPXdsx]+|D|O\d*|f)$/;

function printed(actions: readonly FindAction[], narrowed: Narrowing): FindCall["prints"] {
  const acting = actions.filter(({ predicate }) => !/^-print0?$/.test(predicate));
  if (acting.length > 0) return "other";
  return narrowed === "yes" ? "narrowed" : narrowed === "no" ? "everything" : "perhaps-narrowed";
}

const NAME_TESTS = /^-(?:i?name|i?path|i?wholename|i?regex)$/;
const WEAK_TESTS = /^-(?:samefile|inum|[amc](?:time|min)|[ac]?newer|newer[aBcm][aBcmt]|empty|used)$/;
const ONE_ARGUMENT =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|samefile|x?type|user|group|uid|gid|size|perm|[ac]?newer|newer\w\w|[amc](?:time|min)|links|inum|fstype|used|maxdepth|mindepth|printf|fprint0?|fls|context|regextype|files0-from)$/;
const RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const ACTS = /^-(?:delete|print0?|printf|fprint0?|fprintf|fls|ls)$/;

/** Levels of parentheses that are read; deeper ones narrow nothing. */
const MAX_DEPTH = 64;

class Reader {
  readonly actions: FindAction[] = [];
  startsInFile = false;
  readonly #argv: readonly Word[];
  readonly #places: Places;
  /** Whether only what lies directly in a start is looked at; as an option it holds wherever it stands. */
  readonly #shallow: boolean;
  #at: number;
  #depth = 0;

  constructor(argv: readonly Word[], at: number, places: Places) {
    this.#argv = argv;
    this.#at = at;
    this.#places = places;
    const depth = argv.findIndex(({ value }) => value === "-maxdepth");
    this.#shallow = depth !== -1 && argv[depth + 1]?.value === "1";
  }

  /** Alternatives up to a closing parenthesis: they narrow as much as the least of them. */
  read(outer: Reach = WHOLE): Reach {
    const branches: Reach[] = [];
    do {
      branches.push(this.#all(outer));
    } while (this.#skip(/^(?:-o|-or|,)$/));
    return oneOf(branches);
  }

  #word(): string | undefined {
    const word = this.#argv[this.#at];
    return word === undefined ? undefined : (word.value ?? word.display);
  }

  #skip(pattern: RegExp): boolean {
    const found = pattern.test(this.#word() ?? "");
    if (found) this.#at++;
    return found;
  }

  /** Tests that must all hold. */
  #all(outer: Reach): Reach {
    let narrowed = outer;
    for (let word = this.#word(); word !== undefined; word = this.#word()) {
      if (/^(?:-o|-or|,|\))$/.test(word)) break;
      if (!this.#skip(/^(?:-a|-and)$/)) narrowed = allOf([narrowed, this.#one(narrowed)]);
    }
    return narrowed;
  }

  #one(outer: Reach): Reach {
    if (this.#skip(/^(?:!|-not)$/)) {
      if (this.#word() !== undefined && !/^(?:-o|-or|,|\))$/.test(this.#word() ?? "")) this.#one(outer);
      return WHOLE;
    }
    if (this.#depth < MAX_DEPTH && this.#skip(/^\($/)) {
      this.#depth++;
      const inner = this.read(outer);
      this.#depth--;
      this.#skip(/^\)$/);
      return inner;
    }
    return this.#primary(outer);
  }

  #primary(reach: Reach): Reach {
    const predicate = this.#word() ?? "";
    const at = this.#at++;
    if (RUNS.test(predicate) || ACTS.test(predicate)) {
      this.actions.push({ predicate, at, narrowed: narrowest(reach), reach });
    }
    if (RUNS.test(predicate)) {
      while (this.#at < this.#argv.length && !this.#endsCommand()) this.#at++;
      this.#at++;
      return WHOLE;
    }
    const argument = this.#argv[this.#at];
    if (predicate === "-fprintf") this.#at += 2;
    else if (ONE_ARGUMENT.test(predicate)) this.#at++;
    return this.#tested(predicate, argument?.value ?? undefined);
  }

  /** What a test leaves; without an argument that is known, perhaps all of it. */
  #tested(predicate: string, argument: string | undefined): Reach {
    if (predicate === "-files0-from") this.startsInFile = true;
    if (!NAME_TESTS.test(predicate)) return leftByOther(predicate, argument ?? "");
    if (argument === undefined) return SOME_LEFT;
    const ignoresCase = predicate.startsWith("-i");
    if (/^-i?name$/.test(predicate)) {
      return testNames(readGlob(argument), this.#places, { ignoresCase, shallow: this.#shallow });
    }
    const pattern = predicate.endsWith("regex") ? readRegex(argument) : readGlob(argument);
    const left = testPaths(pattern, this.#places, ignoresCase);
    return argument.startsWith("/") && !OPEN_PATH.test(argument) ? { ...WHOLE, devices: left.devices } : left;
  }

  #endsCommand(): boolean {
    const word = this.#argv[this.#at]?.value;
    return word === ";" || (word === "+" && this.#argv[this.#at - 1]?.value === "{}");
  }
}

/** What a test leaves that is not one of names. */
function leftByOther(predicate: string, argument: string): Reach {
  if (predicate === "-false") return NOTHING_LEFT;
  if (WEAK_TESTS.test(predicate)) return SOME_LEFT;
  if (predicate === "-type" && /^[bcdpfls](?:,[bcdpfls])*$/.test(argument)) return typesLeft(argument);
  return predicate === "-mindepth" && /^[1-9]/.test(argument) ? { ...WHOLE, start: "yes" } : WHOLE;
}

/** What is not a folder takes nothing with it, and devices are of two types of their own. */
function typesLeft(types: string): Reach {
  const left = types.includes("d") ? WHOLE : FILES_LEFT;
  return { ...left, devices: /[bc]/.test(types) ? "no" : "yes" };
}

/** Folders that hold nothing of the system. */
const OPEN_PATH = /^\/(?:tmp|var\/tmp|(?:opt|srv|mnt|media)\/[^*?[/]|(?:home|Users)\/[^*?[/]+\/[^*?[/])/;
