/**
 * The places of a line that give a variable a value: assignments, builtins, loops and expansions.
 */
import type {
  Assignment,
  CommandAnalysis,
  CommandContext,
  Construct,
  EffectiveCommand,
  Redirection,
  SimpleCommand,
  Span,
  Word,
} from "@pi-bash/command";
import { arrayElements, firstValue, wordPieces } from "@pi-bash/command/internal";
import { DECLARES, GIVES_ATTRIBUTES } from "../../builtins.ts";
import { fromArithmetic, fromLet, integerNames } from "./arithmetic-sources.ts";
import { computedFields } from "./computed-values.ts";
import {
  expandOperand,
  expandText,
  expandWord,
  type Field,
  joinedFields,
  knownText,
  LAST_ARGUMENT,
  textField,
  UNKNOWN,
  type Values,
} from "./fields.ts";
import { formatted, upToNul } from "./formatted-texts.ts";
import { Pipelines } from "./pipelines.ts";
import { scriptOf } from "./process-substitution.ts";

/** One place that gives a variable a value. */
export interface Source {
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

/** What a source asks about the line around it. */
export interface Surroundings {
  at(command: EffectiveCommand): Values;
  use(use: Use): Values;
  inputOf(command: EffectiveCommand): readonly Field[];
}

/** Runs once, in the shell itself, before what is behind it. */
export function isPlain(context: CommandContext): boolean {
  const { conditional, loop, functionName, subshell, substitution, background, stage } = context;
  return !(conditional || loop || functionName !== undefined || subshell || substitution || background || stage);
}

/** Every place of a line that sets a variable, by name and in order. */
export function collectSources(analysis: CommandAnalysis, bindings: Surroundings): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  const pipelines = new Pipelines(analysis);
  const integers = integerNames(analysis);
  const add = (name: string, given: Source): void => {
    const source = integers.has(name) ? computed(given, bindings) : given;
    const known = sources.get(name);
    if (known === undefined) sources.set(name, [source]);
    else known.push(source);
  };
  const nested = new Set(analysis.nestedCommands);
  for (const command of [...analysis.commands, ...analysis.nestedCommands]) {
    if (command.argv.length > 0) continue;
    for (const each of command.assignments) {
      const always = isPlain(command.context) && !nested.has(command);
      add(each.name, fromAssignment(each, command, always, bindings));
    }
  }
  for (const command of analysis.effective) {
    for (const [name, values, local = false] of assignedBy(command, bindings, pipelines)) {
      const always = isPlain(command.simple.context) && command.simple === command.written;
      add(name, { start: command.simple.span.start, always, values, local });
    }
  }
  for (const [at, construct] of analysis.constructs.entries()) {
    const found = fromConstruct(construct, analysis.constructs[at - 1], bindings);
    for (const each of found) add(...each);
  }
  for (const list of sources.values()) list.sort((a, b) => a.start - b.start);
  return sources;
}

/** What an integer variable is given is computed. */
function computed(source: Source, bindings: Surroundings): Source {
  const values = (at: Use): readonly Field[] =>
    source.values(at).flatMap((field) => computedFields(knownText(field) ?? "?", bindings.use(at)));
  return { ...source, values };
}

function valueText(assignment: string): string {
  return assignment.slice(assignment.indexOf("=") + 1);
}

/** A value as written behind `name=`, or behind what the variable is already (`name+=`). */
function fromAssignment(
  { name, text, append }: Assignment,
  { span, context }: SimpleCommand,
  always: boolean,
  bindings: Surroundings,
): Source {
  const given = valueText(text);
  const use = { command: undefined, start: span.start, context };
  const values = (): readonly Field[] => expandSource(given, bindings.use(use));
  if (!append) return { start: span.start, always, values };
  // Each element of an array is one value of several, and so is what a loop adds in one of its rounds.
  if (!always || arrayElements(given) !== undefined) return { start: span.start, always: false, values };
  const before = { ...use, start: span.start - 1 };
  return { start: span.start, always, values: () => joinedFields(bindings.use(before).variable(name), values()) };
}

/** The fields of a value: an array, or a word that is not split. */
function expandSource(text: string, values: Values): readonly Field[] {
  const elements = arrayElements(text);
  return elements === undefined ? expandPlain(text, values) : elements.flatMap((each) => expandText(each, values));
}

/** A variable that is given nothing is empty. */
function expandPlain(text: string, values: Values): readonly Field[] {
  const fields = text === "" ? [] : expandText(isSingleExpansion(text) ? `"${text}"` : text, values);
  return fields.length === 0 ? [textField("")] : fields;
}

/** `$x` or `$(x)` alone: the value that it is assigned is not split at blanks. */
function isSingleExpansion(text: string): boolean {
  if (!/^[$`]/.test(text)) return false;
  const [pieces, ...more] = wordPieces(text)?.words ?? [];
  const [piece, ...others] = pieces ?? [];
  const expands = piece?.kind === "parameter" || piece?.kind === "substitution";
  return expands && !piece.quoted && others.length === 0 && more.length === 0;
}

/** `isReference`: the values are another variable's where this one is used. */
type Assigned = readonly [name: string, values: (use: Use) => readonly Field[], isReference?: boolean];

/** The variables that a builtin sets. */
function assignedBy(command: EffectiveCommand, bindings: Surroundings, pipelines: Pipelines): Assigned[] {
  const name = firstValue(command.argv);
  const words = command.argv.slice(1);
  const values = (): Values => bindings.at(command);
  if (DECLARES.has(name)) return declared(name, words, command, bindings);
  if (name === "let") return fromLet(words, values);
  if (name === "set") return setArguments(words, values);
  if (name === "printf") return printed(words, values);
  if (name === "unset") return words.map((word): Assigned => [word.value ?? "", () => [textField("")]]);
  if (name === "read" || name === "mapfile" || name === "readarray") return readFrom(command, bindings, pipelines);
  return [];
}

/**
 * `declare x=y`, and `declare -n x=y`, by which `x` is the variable `y`. All words are expanded before the first is
 * assigned: in `export x=1 y=$x` the second has what `x` was before.
 */
function declared(name: string, words: readonly Word[], command: EffectiveCommand, bindings: Surroundings): Assigned[] {
  const isReference = GIVES_ATTRIBUTES.has(name) && words.some(({ value }) => /^-[a-zA-Z]*n/.test(value ?? ""));
  const { span, context } = command.simple;
  const values = (): Values => bindings.use({ command, start: span.start - 1, context });
  return words.flatMap((word): Assigned[] => {
    const variable = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word.text)?.[1];
    if (variable === undefined) return [];
    const given = (): readonly Field[] => expandSource(valueText(word.text), values());
    return [
      isReference
        ? [variable, (use) => given().flatMap((field) => named(field, use, bindings)), true]
        : [variable, given],
    ];
  });
}

/** The values of the variable that a text names. */
function named(field: Field, use: Use, bindings: Surroundings): readonly Field[] {
  const name = knownText(field);
  return name !== undefined && /^[A-Za-z_]\w*$/.test(name) ? bindings.use(use).variable(name) : [[UNKNOWN]];
}

function setArguments(words: readonly Word[], values: () => Values): Assigned[] {
  const end = words.findIndex((word) => word.value === "--" || !/^[-+]/.test(word.value ?? "x"));
  if (end === -1) return [];
  const given = words.slice(words[end]?.value === "--" ? end + 1 : end);
  const fieldsOf = (some: readonly Word[]): readonly Field[] => some.flatMap((word) => expandWord(word, values()));
  return [
    ["@", () => fieldsOf(given)],
    [LAST_ARGUMENT, () => fieldsOf(given.slice(-1))],
  ];
}

function printed(words: readonly Word[], values: () => Values): Assigned[] {
  const [first, second] = words;
  const attached = /^-v(.+)$/.exec(first?.value ?? "")?.[1];
  const name = attached ?? (first?.value === "-v" ? second?.value : undefined);
  if (name == null) return [];
  const rest = words.slice(attached === undefined ? 2 : 1);
  return [[name.replace(/\[.*$/, ""), () => formatted(rest.map((word) => expandWord(word, values()))).map(upToNul)]];
}

/** What a `read` takes from its own redirections, from those of the block around it, or from the stage before. */
function readFrom(command: EffectiveCommand, bindings: Surroundings, pipelines: Pipelines): Assigned[] {
  const names = command.argv.slice(1).flatMap(({ value }) => (/^[A-Za-z_]\w*$/.test(value ?? "") ? [value ?? ""] : []));
  const input = (): readonly Field[] => {
    const values = bindings.at(command);
    const read = pipelines.inputsOf(command).map((redirection) => redirectedFields(redirection, values));
    const known = read.flatMap((fields) => fields ?? []);
    return known.length > 0 ? known : bindings.inputOf(command);
  };
  return [...names, "REPLY", "MAPFILE"].map((each): Assigned => [each, input]);
}

/** The words that a redirection of input has; undefined where that is a file. */
function redirectedFields({ operator, target, body, text }: Redirection, values: Values): readonly Field[] | undefined {
  if (body !== undefined) return linesOfBody(body, /['"\\]/.test(text), values);
  if (target === null) return undefined;
  if (operator === "<<<") return expandWord(target, values).flatMap(blankSeparated);
  const script = operator === "<" ? scriptOf(target.text) : undefined;
  return script === undefined ? undefined : values.output(script);
}

/** What a here-document expands has no quotes. */
function linesOfBody(body: string, isQuoted: boolean, values: Values): readonly Field[] {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const expand = (line: string): readonly Field[] => {
    if (isQuoted || !/[$`\\]/.test(line)) return [textField(line.trim())];
    return line.includes('"') ? [[UNKNOWN]] : expandText(`"${line.trim()}"`, values);
  };
  return lines.flatMap(expand).flatMap(blankSeparated);
}

/** The pieces at blanks and at what `IFS` is set to most. */
function blankSeparated(field: Field): readonly Field[] {
  const text = knownText(field);
  return text === undefined ? [field] : [field, ...text.split(/[\s:,;|]+/).map(textField)];
}

function fromConstruct(
  construct: Construct,
  before: Construct | undefined,
  bindings: Surroundings,
): readonly (readonly [string, Source])[] {
  const { span, context } = construct;
  const use = { command: undefined, start: span.start, context };
  if (construct.kind === "for" || construct.kind === "select") {
    const words = before?.kind === "word-list" && before.span.start === span.start ? before.words : undefined;
    // What the arguments are in a text for a shell depends on the command that is given the text.
    const local = words === undefined || words.some(({ text }) => /\$(?:\{?[\d@*])/.test(text));
    const values = (at: Use): readonly Field[] =>
      words === undefined
        ? bindings.use(at).variable("@")
        : words.flatMap((word) => expandWord(word, bindings.use(local ? { ...use, command: at.command } : use)));
    return [[construct.name, { start: span.start, within: span, always: false, local, values }]];
  }
  if (construct.kind === "arithmetic") return fromArithmetic(construct, isPlain(context), bindings);
  if (construct.kind !== "parameter" || construct.acts !== "assign") return [];
  const [piece] = wordPieces(construct.text)?.words[0] ?? [];
  if (piece?.kind !== "parameter") return [];
  const values = (): readonly Field[] => expandOperand(piece.operand ?? [], bindings.use(use));
  return [[piece.name, { start: span.start, always: false, values }]];
}
