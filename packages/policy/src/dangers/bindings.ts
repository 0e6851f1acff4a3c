/**
 * Which values the variables of a line may have where they are used.
 *
 * Every place that gives a variable a value counts: assignments, `export`, `read <<<`, `printf -v`, loops, `set --`,
 * `${x:=…}`, the arguments of functions and of `sh -c`. Where the order is plain, a later assignment replaces an earlier
 * one; elsewhere all of them are possible. A variable that the line does not set may be anything.
 */
import {
  arrayElements,
  type CommandAnalysis,
  type CommandContext,
  type Construct,
  type EffectiveCommand,
  type SimpleCommand,
  type Span,
  type Word,
  wordPieces,
} from "@pi-bash/command";
import { capped, expandText, expandWord, type Field, knownText, textField, UNKNOWN, type Values } from "./fields.ts";
import type { Outputs } from "./outputs.ts";

/** One place that gives a variable a value. */
interface Source {
  readonly start: number;
  /** Inside this range the value is surely this one: the body of a loop. */
  readonly within?: Span;
  /** Happens before everything behind it. */
  readonly always: boolean;
  readonly values: (at: Use) => readonly Field[];
  /** The values depend on where the variable is used. */
  readonly local?: boolean;
  /** Set while it is worked out: `x=$x/..`. */
  open?: boolean;
  known?: readonly Field[];
}

/** Where a variable is used. */
export interface Use {
  readonly command: EffectiveCommand | undefined;
  readonly start: number;
  readonly context: CommandContext | undefined;
}

/** Values looked at for one use; beyond that it may be anything. */
const MAX_SOURCES = 64;
/** Variables inside the values of variables. */
const MAX_DEPTH = 8;
/** Variables looked up for one line: each may be made of others, many times over. */
const MAX_LOOKUPS = 2_000;

/** The variables of one line. */
export class Bindings {
  readonly #analysis: CommandAnalysis;
  readonly #home: string;
  readonly #folder: string | undefined;
  readonly #outputs: Outputs;
  #sources: Map<string, Source[]> | undefined;
  #depth = 0;
  #lookups = 0;

  constructor(analysis: CommandAnalysis, place: { home: string; cwd: string | undefined }, outputs: Outputs) {
    this.#analysis = analysis;
    this.#home = place.home;
    this.#folder = place.cwd;
    this.#outputs = outputs;
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
      output: (script) => this.#outputs.ofScript(script, this.use(use)),
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
      return capped(this.#lookUp(/^(?:[1-9@*]|\d\d+)$/.test(name) ? "@" : name, use));
    } finally {
      this.#depth--;
    }
  }

  #lookUp(name: string, use: Use): readonly Field[] {
    this.#sources ??= collect(this.#analysis, this);
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
    if (name === "@") return this.#arguments(command);
    if (name === "HOME") return [textField(this.#home)];
    if (name === "PWD" && this.#folder !== undefined) return [textField(this.#folder)];
    return [[UNKNOWN]];
  }

  /** What `$1` is in a function and in the text of `sh -c`. */
  #arguments(command: EffectiveCommand | undefined): readonly Field[] {
    const name = command?.simple.context.functionName;
    if (name !== undefined) {
      const calls = this.#analysis.effective.filter((each) => each !== command && each.argv[0]?.value === name);
      return calls.slice(0, 8).flatMap((call) => this.#words(call.argv.slice(1), call));
    }
    if (command === undefined || command.simple === command.written) return [[UNKNOWN]];
    const { argv } = command.written;
    const text = argv.findLastIndex(({ span }) => span.start === command.simple.span.start);
    return text === -1 ? [[UNKNOWN]] : this.#words(argv.slice(text + 1), undefined);
  }

  #words(words: readonly Word[], call: EffectiveCommand | undefined): readonly Field[] {
    const values = this.use(outside(call));
    // The names that `find -exec` fills in are judged with `find`.
    return words.flatMap((word) => (word.text.includes("{}") ? [] : expandWord(word, values)));
  }
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

/** Runs once, in the shell itself, before what is behind it. */
function isPlain(context: CommandContext): boolean {
  const { conditional, loop, functionName, subshell, substitution, background, stage } = context;
  return !(conditional || loop || functionName !== undefined || subshell || substitution || background || stage);
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

function collect(analysis: CommandAnalysis, bindings: Bindings): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  const add = (name: string, source: Source): void => {
    const known = sources.get(name);
    if (known === undefined) sources.set(name, [source]);
    else known.push(source);
  };
  const nested = new Set(analysis.nestedCommands);
  for (const command of [...analysis.commands, ...analysis.nestedCommands]) {
    if (command.argv.length > 0) continue;
    for (const each of command.assignments) {
      const always = isPlain(command.context) && !nested.has(command) && !each.append;
      add(each.name, fromText(valueText(each.text), command, always, bindings));
    }
  }
  for (const command of analysis.effective) {
    for (const [name, values] of assignedBy(command, bindings)) {
      const always = isPlain(command.simple.context) && command.simple === command.written;
      add(name, { start: command.simple.span.start, always, values });
    }
  }
  for (const [at, construct] of analysis.constructs.entries()) {
    const found = fromConstruct(construct, analysis.constructs[at - 1], bindings);
    if (found !== undefined) add(...found);
  }
  for (const list of sources.values()) list.sort((a, b) => a.start - b.start);
  return sources;
}

function valueText(assignment: string): string {
  return assignment.slice(assignment.indexOf("=") + 1);
}

/** A value as written behind `name=`. */
function fromText(text: string, { span, context }: SimpleCommand, always: boolean, bindings: Bindings): Source {
  const use = { command: undefined, start: span.start, context };
  return { start: span.start, always, values: () => expandSource(text, bindings.use(use)) };
}

/** The fields of a value: an array, or a word that is not split. */
function expandSource(text: string, values: Values): readonly Field[] {
  const elements = arrayElements(text);
  return elements === undefined ? expandPlain(text, values) : elements.flatMap((each) => expandPlain(each, values));
}

function expandPlain(text: string, values: Values): readonly Field[] {
  return text === "" ? [textField("")] : expandText(text, values);
}

type Assigned = readonly [name: string, values: (use: Use) => readonly Field[]];

const DECLARES = /^(?:export|declare|typeset|local|readonly)$/;

/** The variables that a builtin sets. */
function assignedBy(command: EffectiveCommand, bindings: Bindings): Assigned[] {
  const name = command.argv[0]?.value ?? "";
  const words = command.argv.slice(1);
  const values = (): Values => bindings.at(command);
  if (DECLARES.test(name)) {
    return words.flatMap((word): Assigned[] => {
      const variable = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word.text)?.[1];
      return variable === undefined ? [] : [[variable, () => expandSource(valueText(word.text), values())]];
    });
  }
  if (name === "set") return setArguments(words, values);
  if (name === "printf") return printed(words, values);
  if (name === "unset") return words.map((word): Assigned => [word.value ?? "", () => [textField("")]]);
  if (name === "read" || name === "mapfile" || name === "readarray") return readFrom(command, bindings);
  return [];
}

function setArguments(words: readonly Word[], values: () => Values): Assigned[] {
  const end = words.findIndex((word) => word.value === "--" || !/^[-+]/.test(word.value ?? "x"));
  if (end === -1) return [];
  const given = words.slice(words[end]?.value === "--" ? end + 1 : end);
  return [["@", () => given.flatMap((word) => expandWord(word, values()))]];
}

function printed(words: readonly Word[], values: () => Values): Assigned[] {
  const [first, second] = words;
  const attached = /^-v(.+)$/.exec(first?.value ?? "")?.[1];
  const name = attached ?? (first?.value === "-v" ? second?.value : undefined);
  if (name == null) return [];
  const rest = words.slice(attached === undefined ? 2 : 1);
  return [
    [
      name.replace(/\[.*$/, ""),
      () => (rest.length === 1 ? rest : rest.slice(1)).flatMap((word) => expandWord(word, values())),
    ],
  ];
}

function readFrom(command: EffectiveCommand, bindings: Bindings): Assigned[] {
  const names = command.argv.slice(1).flatMap(({ value }) => (/^[A-Za-z_]\w*$/.test(value ?? "") ? [value ?? ""] : []));
  const here = command.simple.redirections.find(({ operator }) => operator === "<<<")?.target;
  const input = (): readonly Field[] => {
    if (here != null) return expandWord(here, bindings.at(command)).flatMap(blankSeparated);
    return bindings.inputOf(command);
  };
  return [...names, "REPLY", "MAPFILE"].map((each): Assigned => [each, input]);
}

function blankSeparated(field: Field): readonly Field[] {
  const text = knownText(field);
  return text === undefined ? [field] : [field, ...text.split(/\s+/).map(textField)];
}

function fromConstruct(
  construct: Construct,
  before: Construct | undefined,
  bindings: Bindings,
): readonly [string, Source] | undefined {
  const { span, context } = construct;
  const use = { command: undefined, start: span.start, context };
  if (construct.kind === "for" || construct.kind === "select") {
    const words = before?.kind === "word-list" && before.span.start === span.start ? before.words : undefined;
    const values = (at: Use): readonly Field[] =>
      words === undefined
        ? bindings.use(at).variable("@")
        : words.flatMap((word) => expandWord(word, bindings.use(use)));
    return [construct.name, { start: span.start, within: span, always: false, local: words === undefined, values }];
  }
  if (construct.kind !== "parameter" || construct.acts !== "assign") return undefined;
  const [piece] = wordPieces(construct.text)?.words[0] ?? [];
  if (piece?.kind !== "parameter") return undefined;
  const values = (): readonly Field[] => expandPlain(piece.operand ?? "", bindings.use(use));
  return [piece.name, { start: span.start, always: false, values }];
}
