/**
 * The places of a line that give a variable a value: assignments, builtins, loops and expansions.
 */
import type {
  Assignment,
  CommandAnalysis,
  CommandContext,
  Construct,
  EffectiveCommand,
  SimpleCommand,
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
  isFilled,
  joinedFields,
  knownText,
  LAST_ARGUMENT,
  textField,
  UNKNOWN,
  type Values,
} from "./fields.ts";
import { formatted, upToNul } from "./formatted-texts.ts";
import { Pipelines } from "./pipelines.ts";
import { readFrom } from "./read-sources.ts";
import type { Assigned, Source, Surroundings, Use } from "./source.ts";

/** Runs once, in the shell itself, before what is behind it. */
export function isPlain(context: CommandContext): boolean {
  const { conditional, loop, functionName, subshell, substitution, background, stage } = context;
  return !(conditional || loop || functionName !== undefined || subshell || substitution || background || stage);
}

/** `functionName`: the function that a variable of the shell is set in. */
type Found = readonly [name: string, source: Source, functionName?: string | undefined];

/** Every place of a line that sets a variable, by name and in order. */
export function collectSources(analysis: CommandAnalysis, bindings: Surroundings): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  const integers = integerNames(analysis);
  const calls = callsByName(analysis);
  for (const [name, given, functionName] of [...byCommands(analysis, bindings), ...byConstructs(analysis, bindings)]) {
    const source = integers.has(name) ? computed(given, bindings) : given;
    const known = sources.get(name) ?? [];
    known.push(source);
    // What a function sets is set where it is called.
    for (const start of calls.get(functionName ?? "")?.slice(0, MAX_CALLS) ?? []) {
      known.push({ ...source, start, always: false });
    }
    sources.set(name, known);
  }
  for (const list of sources.values()) list.sort((a, b) => a.start - b.start);
  return sources;
}

function byCommands(analysis: CommandAnalysis, bindings: Surroundings): readonly Found[] {
  const pipelines = new Pipelines(analysis);
  const nested = new Set(analysis.nestedCommands);
  const assigned = [...analysis.commands, ...analysis.nestedCommands].flatMap((command): readonly Found[] => {
    const always = isPlain(command.context) && !nested.has(command);
    const assignments = command.argv.length > 0 ? [] : command.assignments;
    const { functionName } = command.context;
    return assignments.map((each) => [each.name, fromAssignment(each, command, always, bindings), functionName]);
  });
  const given = analysis.effective.flatMap((command): readonly Found[] => {
    const { context, span } = command.simple;
    const always = isPlain(context) && command.simple === command.written;
    const functionName = GIVES_ATTRIBUTES.has(firstValue(command.argv)) ? undefined : context.functionName;
    return assignedBy(command, bindings, pipelines).map(([name, values, local = false]) => [
      name,
      { start: span.start, always, values, local },
      functionName,
    ]);
  });
  return [...assigned, ...given];
}

function byConstructs({ constructs }: CommandAnalysis, bindings: Surroundings): readonly Found[] {
  return constructs.flatMap((construct, at) => fromConstruct(construct, constructs[at - 1], bindings));
}

/** Calls of a function that are looked at for what it sets. */
const MAX_CALLS = 64;

/** Where commands are called by name, outside of functions. */
function callsByName({ effective }: CommandAnalysis): ReadonlyMap<string, readonly number[]> {
  const calls = new Map<string, number[]>();
  for (const { argv, simple } of effective) {
    if (simple.context.functionName !== undefined || firstValue(argv) === "") continue;
    const known = calls.get(firstValue(argv));
    if (known === undefined) calls.set(firstValue(argv), [simple.span.start]);
    else known.push(simple.span.start);
  }
  return calls;
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
  // Each element of an array is one value of several.
  if (arrayElements(given) !== undefined) return { start: span.start, always: false, values };
  // What a loop adds in one of its rounds is looked at alone as well.
  const before = { command: undefined, start: span.start - 1, context: undefined };
  const longer = (): readonly Field[] => joinedFields(bindings.use(before).variable(name), values());
  return { start: span.start, always, values: always ? longer : () => [...values(), ...longer()] };
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
  const earlier = { ...use, start: span.start - 1 };
  const values = (): readonly Field[] =>
    isFilled(piece.name, bindings.use(earlier)) ? [] : expandOperand(piece.operand ?? [], bindings.use(use));
  return [[piece.name, { start: span.start, always: false, values }]];
}
