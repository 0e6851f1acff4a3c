/**
 * Reads the expression of `find`: where it starts, what it does, and whether a test narrows that to some files.
 *
 * `! -name keep` and `-name a -o` narrow nothing: what counts are the tests that must hold before an action is reached.
 */
import type { Word } from "@pi-bash/command";

/** `yes` for a name; `weak` for a test such as an age, which may hold for everything. */
export type Narrowing = "no" | "weak" | "yes";

/** Something `find` does to what it finds. */
export interface FindAction {
  readonly predicate: string;
  /** Index of the predicate among the words. */
  readonly at: number;
  readonly narrowed: Narrowing;
}

/** A call of `find`. */
export interface FindCall {
  /** Empty: it starts in the current folder. */
  readonly starts: readonly Word[];
  readonly actions: readonly FindAction[];
  /** What its output names: everything below the starts, some of it, or something else. */
  readonly prints: "everything" | "narrowed" | "perhaps-narrowed" | "other";
}

/** Reads the words of a call, the program first. */
export function readFind(argv: readonly Word[]): FindCall {
  let first = 1;
  while (/^-(?:[HLP]|D|O\d)$/.test(argv[first]?.value ?? "")) first += argv[first]?.value === "-D" ? 2 : 1;
  let end = first;
  while (end < argv.length && !/^(?:-.|[(),!]$)/.test(argv[end]?.value ?? argv[end]?.leading ?? "")) end++;
  const reader = new Reader(argv, end);
  const whole = reader.read();
  return { starts: argv.slice(first, end), actions: reader.actions, prints: printed(reader.actions, whole) };
}

function printed(actions: readonly FindAction[], whole: Narrowing): FindCall["prints"] {
  const acting = actions.filter(({ predicate }) => !/^-print0?$/.test(predicate));
  if (acting.length > 0) return "other";
  const narrowed = actions.length === 0 ? whole : weakest(actions.map((action) => action.narrowed));
  return narrowed === "yes" ? "narrowed" : narrowed === "no" ? "everything" : "perhaps-narrowed";
}

const STRENGTH: readonly Narrowing[] = ["no", "weak", "yes"];

function strongest(list: readonly Narrowing[]): Narrowing {
  return STRENGTH.findLast((each) => list.includes(each)) ?? "no";
}

function weakest(list: readonly Narrowing[]): Narrowing {
  return STRENGTH.find((each) => list.includes(each)) ?? "no";
}

const NAME_TESTS = /^-(?:i?name|i?path|i?wholename|i?regex|samefile|inum)$/;
const WEAK_TESTS = /^-(?:[amc](?:time|min)|[ac]?newer|newer[aBcm][aBcmt]|empty|used)$/;
const ONE_ARGUMENT =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|samefile|x?type|user|group|uid|gid|size|perm|[ac]?newer|newer\w\w|[amc](?:time|min)|links|inum|fstype|used|maxdepth|mindepth|printf|fprint0?|fls|context|regextype|files0-from)$/;
const RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const ACTS = /^-(?:delete|print0?|printf|fprint0?|fprintf|fls|ls)$/;

/** Levels of parentheses that are read; deeper ones narrow nothing. */
const MAX_DEPTH = 64;

class Reader {
  readonly actions: FindAction[] = [];
  readonly #argv: readonly Word[];
  #at: number;
  #depth = 0;

  constructor(argv: readonly Word[], at: number) {
    this.#argv = argv;
    this.#at = at;
  }

  /** Alternatives up to a closing parenthesis: they narrow as much as the least of them. */
  read(outer: Narrowing = "no"): Narrowing {
    const branches: Narrowing[] = [];
    do {
      branches.push(this.#all(outer));
    } while (this.#skip(/^(?:-o|-or|,)$/));
    return weakest(branches);
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
  #all(outer: Narrowing): Narrowing {
    let narrowed = outer;
    for (let word = this.#word(); word !== undefined; word = this.#word()) {
      if (/^(?:-o|-or|,|\))$/.test(word)) break;
      if (!this.#skip(/^(?:-a|-and)$/)) narrowed = strongest([narrowed, this.#one(narrowed)]);
    }
    return narrowed;
  }

  #one(outer: Narrowing): Narrowing {
    if (this.#skip(/^(?:!|-not)$/)) {
      if (this.#word() !== undefined && !/^(?:-o|-or|,|\))$/.test(this.#word() ?? "")) this.#one(outer);
      return "no";
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

  #primary(narrowed: Narrowing): Narrowing {
    const predicate = this.#word() ?? "";
    const at = this.#at++;
    if (RUNS.test(predicate)) {
      this.actions.push({ predicate, at, narrowed });
      while (this.#at < this.#argv.length && !this.#endsCommand()) this.#at++;
      this.#at++;
      return "no";
    }
    if (ACTS.test(predicate)) this.actions.push({ predicate, at, narrowed });
    const argument = this.#argv[this.#at];
    if (predicate === "-fprintf") this.#at += 2;
    else if (ONE_ARGUMENT.test(predicate)) this.#at++;
    if (predicate === "-false") return "yes";
    if (WEAK_TESTS.test(predicate)) return "weak";
    return NAME_TESTS.test(predicate) ? narrowingOf(predicate, argument) : "no";
  }

  #endsCommand(): boolean {
    const word = this.#argv[this.#at]?.value;
    return word === ";" || (word === "+" && this.#argv[this.#at - 1]?.value === "{}");
  }
}

/** Folders that hold nothing of the system. */
const OPEN_PATH = /^\/(?:tmp|var\/tmp|(?:opt|srv|mnt|media)\/[^*?[/]|(?:home|Users)\/[^*?[/]+\/[^*?[/])/;
const SYSTEM_NAME = /^(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var)$/;

function narrowingOf(predicate: string, argument: Word | undefined): Narrowing {
  if (/^-(?:samefile|inum)$/.test(predicate)) return "weak";
  const text = argument?.value ?? undefined;
  if (text === undefined) return "weak";
  // A pattern without a letter of its own, such as `*`, `?*` or `[!x]*`, matches about everything.
  if (!/\w/.test(text.replaceAll(/\[[^\]]*\]/g, "").replaceAll(/\\[.*]|\.[*+]/g, ""))) return "no";
  if (text.startsWith("/") && !OPEN_PATH.test(text)) return "no";
  return /name$/.test(predicate) && SYSTEM_NAME.test(text) ? "no" : "yes";
}
