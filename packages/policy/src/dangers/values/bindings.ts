/**
 * Which values the variables of a line may have where they are used.
 *
 * Every place that gives a variable a value counts: assignments, `export`, `read <<<`, `printf -v`, loops, `set --`,
 * `${x:=…}`, the arguments of functions and of `sh -c`. Where the order is plain, a later assignment replaces an earlier
 * one; elsewhere all of them are possible. A variable that the line does not set may be anything.
 */
import type { CommandAnalysis, EffectiveCommand, Span, Word } from "@pi-bash/command";
import type { Folder } from "../../danger-paths.ts";
import { computedFields } from "./computed-values.ts";
import { capped, expandWord, type Field, knownText, LAST_ARGUMENT, textField, UNKNOWN, type Values } from "./fields.ts";
import { letterCases, withLetterCase } from "./letter-cases.ts";
import type { Source, Use } from "./source.ts";
import { collectSources, isPlain } from "./sources.ts";

/** Values looked at for one use; beyond that it may be anything. */
const MAX_SOURCES = 64;
/** Variables inside the values of variables. */
const MAX_DEPTH = 8;
/** Variables looked up for one line: each may be made of others, many times over. */
const MAX_LOOKUPS = 2_000;
/** Calls of a function whose arguments are looked at; with more they may be anything as well. */
const MAX_CALLS = 64;
/** Fields that the words of one line may become, all together. */
const MAX_LINE_FIELDS = 16_384;

/** What commands print, for the values that are made of it. */
export interface Printing {
  /** What a substitution's text prints. */
  ofScript(script: string, values: Values): readonly Field[];
  /** What a command reads; undefined where that is not known. */
  feeding(command: EffectiveCommand, at: (command: EffectiveCommand) => Values): readonly Field[] | undefined;
}

/** Where a line stands. */
export interface BindingPlace {
  readonly home: string;
  readonly cwd: string | undefined;
  /** The variables of the line that the text stands in. */
  readonly outer: (name: string) => readonly Field[];
}

/** The variables of one line. */
export class Bindings {
  readonly #analysis: CommandAnalysis;
  readonly #home: string;
  readonly #folder: string | undefined;
  readonly #outputs: Printing;
  readonly #outer: BindingPlace["outer"];
  #sources: Map<string, Source[]> | undefined;
  #folders: ((command: EffectiveCommand) => Folder) | undefined;
  #depth = 0;
  #lookups = 0;
  #fields = 0;
  #separators: string | undefined;
  #cases: ReadonlyMap<string, string> | undefined;

  constructor(analysis: CommandAnalysis, place: BindingPlace, outputs: Printing) {
    this.#analysis = analysis;
    this.#home = place.home;
    this.#folder = place.cwd;
    this.#outputs = outputs;
    this.#outer = place.outer;
  }

  /** Says where commands run, which `$PWD` names; that is known only after the folders were followed. */
  follow(folders: (command: EffectiveCommand) => Folder): void {
    this.#folders = folders;
  }

  /** What words mean in a command. */
  at(command: EffectiveCommand): Values {
    return this.use({ command, start: command.simple.span.start, context: command.simple.context });
  }

  /** What words mean in a place. */
  use(use: Use): Values {
    return {
      home: this.#home,
      variable: (name) => this.#variable(name, use),
      isSet: (name) => this.#isSet(name, use),
      output: (script) => this.#outputs.ofScript(script, this.use(use)),
      computed: (expression) => computedFields(expression, this.use(use)),
      separators: this.#separatorsOf(),
      spend: (fields) => {
        this.#fields += fields;
        return this.#fields <= MAX_LINE_FIELDS;
      },
    };
  }

  /** The words that a command reads from its input. */
  inputOf(command: EffectiveCommand): readonly Field[] {
    return this.#outputs.feeding(command, (each) => this.at(each)) ?? [[UNKNOWN]];
  }

  #variable(name: string, use: Use): readonly Field[] {
    if (this.#depth >= MAX_DEPTH || ++this.#lookups > MAX_LOOKUPS) return [[UNKNOWN]];
    this.#depth++;
    try {
      this.#cases ??= letterCases(this.#analysis);
      return capped(withLetterCase(this.#lookUp(isArgument(name, use) ? "@" : name, use), this.#cases.get(name)));
    } finally {
      this.#depth--;
    }
  }

  /** What the line sets `IFS` to, but blanks. */
  #separatorsOf(): string {
    if (this.#separators !== undefined) return this.#separators;
    // Its own values are read without it.
    this.#separators = "";
    this.#sources ??= collectSources(this.#analysis, this);
    const use = { command: undefined, start: Number.MAX_SAFE_INTEGER, context: undefined };
    const fields = (this.#sources.get("IFS") ?? []).slice(0, MAX_SOURCES).flatMap((source) => resolve(source, use));
    this.#separators = fields
      .map((field) => knownText(field) ?? "")
      .join("")
      .replaceAll(/\s/g, "");
    return this.#separators;
  }

  /** In the shell of the line itself: a text for another one has what is exported. */
  #isSet(name: string, use: Use): boolean {
    this.#sources ??= collectSources(this.#analysis, this);
    const all = this.#sources.get(name) ?? [];
    return !isNested(use) && before(all, use.start, undefined).some(({ always }) => always);
  }

  #lookUp(name: string, use: Use): readonly Field[] {
    this.#sources ??= collectSources(this.#analysis, this);
    const all = this.#sources.get(name) ?? [];
    const { context } = use;
    const inner = innermost(all, use.start);
    const seen =
      context?.functionName === undefined && (inner !== undefined || context?.loop !== true)
        ? before(all, use.start, inner)
        : all;
    const found = seen.slice(0, MAX_SOURCES).flatMap((source) => resolve(source, use));
    if (seen.length > MAX_SOURCES) found.push([UNKNOWN]);
    const surelySet = seen.some((each) => each === inner || each.always) || (seen.length > 0 && isNested(use));
    return surelySet ? found : [...found, ...this.#initial(name, use)];
  }

  /** What a variable is before the line sets it. */
  #initial(name: string, { command }: Use): readonly Field[] {
    const given = command?.assignments.findLast((each) => each.name === name);
    if (given?.value != null) return expandWord(given.value, this.use(outside(command)));
    if (name === "@" || name === LAST_ARGUMENT) return this.#arguments(command, name);
    if (name === "HOME") return [textField(this.#home)];
    if (name !== "PWD") return this.#outer(name);
    const folder = command === undefined ? undefined : this.#folders?.(command);
    const here = folder === undefined ? this.#folder : folder.cwd;
    return here === undefined ? [[UNKNOWN]] : [textField(here)];
  }

  /** What `$1` is in a function and in the text of `sh -c`: all arguments, or the last of each call. */
  #arguments(command: EffectiveCommand | undefined, which: string): readonly Field[] {
    const picked = (words: readonly Word[]): readonly Word[] => (which === LAST_ARGUMENT ? words.slice(-1) : words);
    const name = command?.simple.context.functionName;
    if (name !== undefined) {
      const isCall = (each: EffectiveCommand): boolean => each !== command && each.argv[0]?.value === name;
      // A text that a launcher runs has its functions and their calls in itself.
      const calls = [...this.#analysis.effective.filter(isCall), ...this.#analysis.perhaps.filter(isCall)];
      const given = calls.slice(0, MAX_CALLS).flatMap((call) => this.#words(picked(call.argv.slice(1)), call));
      return calls.length > MAX_CALLS ? [[UNKNOWN], ...given] : given;
    }
    if (command === undefined || command.simple === command.written) return this.#outer(which);
    const { argv } = command.written;
    const text = argv.findLastIndex(({ span }) => span.start === command.simple.span.start);
    if (text === -1) return [[UNKNOWN]];
    const given = this.#words(picked(argv.slice(text + 1)), undefined);
    return command.via.includes("xargs") ? [...given, ...this.inputOf(command)] : given;
  }

  #words(words: readonly Word[], call: EffectiveCommand | undefined): readonly Field[] {
    const values = this.use(outside(call));
    // The names that `find -exec` fills in are judged with `find`.
    return words.flatMap((word) => (word.text.includes("{}") ? [] : expandWord(word, values)));
  }
}

/** `$1`, `$@`, and in the text of `sh -c` also `$0`. */
function isArgument(name: string, { command }: Use): boolean {
  if (name === "0") return command !== undefined && command.simple !== command.written;
  return /^(?:[1-9@*]|\d\d+)$/.test(name);
}

/** Index behind the sources that start at or before a place; they are in order. */
function countUpTo(all: readonly Source[], place: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.start ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The loop over a variable whose body a place is in. */
function innermost(all: readonly Source[], place: number): Source | undefined {
  for (let at = countUpTo(all, place) - 1, tries = 0; at >= 0 && tries < MAX_SOURCES; at--, tries++) {
    const source = all[at];
    if (source?.within !== undefined && isInside(place, source.within)) return source;
  }
  return undefined;
}

/** The sources that may have set a variable where it is used, the last that surely did first; more than are looked at. */
function before(all: readonly Source[], place: number, inner: Source | undefined): Source[] {
  const seen: Source[] = [];
  // A later round of the loop meets what its body sets behind the place.
  const end = inner === undefined ? place : (inner.within?.end ?? place);
  for (let at = countUpTo(all, end) - 1; at >= 0 && seen.length <= MAX_SOURCES; at--) {
    const source = all[at];
    if (source === undefined) break;
    seen.unshift(source);
    if (source === inner || (source.always && source.start < place)) break;
  }
  return seen;
}

/** A place in the line around a command; the values there do not depend on its own assignments. */
function outside(command: EffectiveCommand | undefined): Use {
  return { command: undefined, start: command?.span.start ?? Number.MAX_SAFE_INTEGER, context: undefined };
}

function isNested({ command, context }: Use): boolean {
  if (command !== undefined && command.simple !== command.written) return true;
  return context !== undefined && !isPlain(context);
}

function isInside(at: number, { start, end }: Span): boolean {
  return start <= at && at < end;
}

function resolve(source: Source, use: Use): readonly Field[] {
  if (source.known !== undefined) return source.known;
  if (source.open === true) return [[UNKNOWN]];
  source.open = true;
  try {
    const values = source.values(use);
    if (source.local !== true) source.known = values;
    return values;
  } finally {
    source.open = false;
  }
}
