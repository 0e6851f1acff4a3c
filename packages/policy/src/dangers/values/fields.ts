/**
 * What a word may become: the fields that a program receives, as far as the text of the line tells.
 *
 * A field is a list of parts: known text, patterns, and what is not known. A word has several possible fields where
 * braces, loops or several assignments give it several values; each of them counts. Where the values of variables come
 * from is in `bindings.ts`, what commands print in `outputs.ts`.
 */
import type { Word } from "@pi-bash/command";
import { type ParameterPiece, type WordPiece, wordPieces } from "@pi-bash/command/internal";

/** A part of a field. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  /** A pattern that matches any characters of one path component. */
  | { readonly kind: "star" }
  /** A pattern that matches one character. */
  | { readonly kind: "char" }
  /** Nothing is known, but what the flags exclude. */
  | { readonly kind: "unknown"; readonly mayBeEmpty: boolean; readonly mayBeAbsolute: boolean };

/** One argument, as far as it is known. */
export type Field = readonly Part[];

/** Where the values of variables and the outputs of substitutions come from. */
export interface Values {
  /** Possible values of a variable where it is used. */
  variable(name: string): readonly Field[];
  /** True where the line surely has given a variable a value. Absent: it is not known. */
  isSet?(name: string): boolean;
  /** Possible words in what a command prints. */
  output(script: string): readonly Field[];
  /** Possible values of an arithmetic expression. */
  computed(expression: string): readonly Field[];
  /** The home directory. */
  readonly home: string;
  /** Characters besides blanks that separate words in an unquoted value: what the line sets `IFS` to. Absent: none. */
  readonly separators?: string;
  /** Counts fields that a word became; false where the line has had its share. Absent: they are not counted. */
  spend?(fields: number): boolean;
}

/** Anything at all. */
export const UNKNOWN: Part = { kind: "unknown", mayBeEmpty: true, mayBeAbsolute: true };
/** The name of a file in the current folder or below it. */
export const UNKNOWN_RELATIVE: Part = { kind: "unknown", mayBeEmpty: false, mayBeAbsolute: false };

/** The name by which `Values` know the last one of `$@`. */
export const LAST_ARGUMENT = "@last";

/** A field of known text. */
export function textField(text: string): Field {
  return [{ kind: "text", text }];
}

/** The text of a field of which all is known; undefined for others. */
export function knownText(field: Field): string | undefined {
  return field.every((part) => part.kind === "text")
    ? field.map((part) => (part.kind === "text" ? part.text : "")).join("")
    : undefined;
}

/** Most fields that one word is expanded to; more are taken for anything. */
const MAX_FIELDS = 64;

/** Everything a word may become. */
export function expandWord(word: Word, values: Values): readonly Field[] {
  if (word.value !== null) return [textField(word.value)];
  // What a wrapper fills in is not known here.
  return word.expansions.input ? [[UNKNOWN]] : expandText(word.text, values);
}

/** As `expandWord`, for the source text of a word. */
export function expandText(text: string, values: Values): readonly Field[] {
  const pieces = wordPieces(text);
  if (pieces === undefined) return [[UNKNOWN]];
  const fields = pieces.words.flatMap((each) => fieldsOf(each, values));
  return capped(pieces.complete ? fields : [...fields, [UNKNOWN]]);
}

/** At most as many as are looked at; the rest is anything. */
export function capped(fields: readonly Field[]): readonly Field[] {
  return fields.length <= MAX_FIELDS ? fields : [...fields.slice(0, MAX_FIELDS), [UNKNOWN]];
}

/** `null` separates the words that an unquoted expansion makes. */
type Alternative = readonly (Part | null)[];

function fieldsOf(pieces: readonly WordPiece[], values: Values): Field[] {
  const fields = product(pieces, values).flatMap(split);
  // A line whose variables grow by themselves (`X=$X$X`, again and again) would cost more with each word.
  return values.spend?.(fields.length) === false ? [[UNKNOWN]] : fields;
}

function product(pieces: readonly WordPiece[], values: Values): Alternative[] {
  let done: Alternative[] = [[]];
  for (const piece of pieces) {
    const found = alternatives(piece, values);
    // Where a piece becomes nothing, what stands around it is still there: `/$(echo)` is the root folder.
    done = combined(done, found.length === 0 ? [[]] : found);
  }
  return done;
}

/** What `${x:=a b}` gives to the variable: nothing in it is split. */
export function expandOperand(pieces: readonly WordPiece[], values: Values): readonly Field[] {
  return product(pieces.map(unsplit), values).map((parts) => parts.filter((part) => part !== null));
}

function unsplit(piece: WordPiece): WordPiece {
  if (piece.kind === "text") return { kind: "text", text: piece.text };
  if (piece.kind !== "parameter") return "quoted" in piece ? { ...piece, quoted: true } : piece;
  const { operand } = piece;
  return { ...piece, quoted: true, ...(operand === undefined ? {} : { operand: operand.map(unsplit) }) };
}

/** Each head with each tail, as many as are looked at. */
function combined(heads: readonly Alternative[], tails: readonly Alternative[]): Alternative[] {
  const all: Alternative[] = [];
  for (const head of heads) {
    for (const tail of tails) {
      if (all.length >= MAX_FIELDS) return [...all, [UNKNOWN]];
      all.push(head.length === 0 ? bounded(tail) : bounded(joined(head, tail)));
    }
  }
  return all;
}

/** Each of some values with each of others behind it: `x+=y`. */
export function joinedFields(heads: readonly Field[], tails: readonly Field[]): readonly Field[] {
  return combined(heads, tails).map((parts) => parts.filter((part) => part !== null));
}

/** Parts of one alternative that are looked at. */
const MAX_PARTS = 256;
/** Longest text of one part, in UTF-16 units: that of the longest line. */
const MAX_PART_CHARS = 65_536;

function joined(head: Alternative, tail: Alternative): Alternative {
  const [first, ...rest] = tail;
  const last = head.at(-1);
  if (first == null || last == null) return [...head, ...tail];
  const merged = mergedParts(last, first);
  return merged === undefined ? [...head, ...tail] : [...head.slice(0, -1), merged, ...rest];
}

/** Two parts as one, where that says the same. */
function mergedParts(a: Part, b: Part): Part | undefined {
  if (a.kind === "text" && b.kind === "text") {
    return a.text.length + b.text.length <= MAX_PART_CHARS ? { kind: "text", text: a.text + b.text } : UNKNOWN;
  }
  if (a.kind !== "unknown" || b.kind !== "unknown") return undefined;
  const mayBeAbsolute = a.mayBeAbsolute || (a.mayBeEmpty && b.mayBeAbsolute);
  return { kind: "unknown", mayBeEmpty: a.mayBeEmpty && b.mayBeEmpty, mayBeAbsolute };
}

/** What is beyond the bound is anything: the rest of a word, and words behind it. */
function bounded(parts: Alternative): Alternative {
  return parts.length <= MAX_PARTS ? parts : [...parts.slice(0, MAX_PARTS), UNKNOWN, null, UNKNOWN];
}

function split(alternative: Alternative): Field[] {
  const fields: Part[][] = [[]];
  for (const part of alternative) {
    if (part === null) fields.push([]);
    else fields.at(-1)?.push(part);
  }
  return fields.filter((field) => field.length > 0);
}

function alternatives(piece: WordPiece, values: Values): readonly Alternative[] {
  switch (piece.kind) {
    case "text":
      return piece.splits === true ? readings(textField(piece.text), values) : [textField(piece.text)];
    case "glob":
      return [[{ kind: piece.any || piece.text.startsWith("*") ? "star" : "char" }]];
    case "tilde":
      // `~+` and `~-` are the present and the last folder.
      return /^[+-]$/.test(piece.user) ? [[UNKNOWN]] : [textField(homeOf(piece.user, values))];
    case "parameter":
      return parameter(piece, values);
    case "substitution":
      return valuesAsWritten(values.output(piece.script), piece, values);
    case "arithmetic":
      return values.computed(piece.expression);
    case "other":
      return [[UNKNOWN]];
  }
}

function homeOf(user: string, values: Values): string {
  if (user === "") return values.home;
  return user === "root" ? "/root" : `/home/${user}`;
}

function valuesAsWritten(
  fields: readonly Field[],
  { quoted }: { readonly quoted: boolean },
  values: Values,
): readonly Alternative[] {
  return quoted ? fields : fields.flatMap((field) => readings(field, values));
}

/** An unquoted value, split at blanks, and, where the line sets `IFS`, also as that splits it. */
function readings(field: Field, { separators = "" }: Values): readonly Alternative[] {
  const plain = unquoted(field);
  if (separators === "") return [plain];
  const spaced = field.map((part): Part => {
    if (part.kind !== "text") return part;
    return { kind: "text", text: [...part.text].map((each) => (separators.includes(each) ? " " : each)).join("") };
  });
  return [plain, unquoted(spaced)];
}

/** Unquoted, blanks in a value separate words and its patterns match files. */
function unquoted(field: Field): Alternative {
  return field.flatMap((part): Alternative => {
    if (part.kind !== "text" || !/[\s*?[]/.test(part.text)) return [part];
    const tokens = part.text.match(/\s+|\*|\?|\[[^\]\s]*\]|[^\s*?[]+|\[/g) ?? [];
    return tokens.map((token) => {
      if (/^\s/.test(token)) return null;
      if (token === "*") return { kind: "star" };
      return /^[?[]./.test(token) || token === "?" ? { kind: "char" } : { kind: "text", text: token };
    });
  });
}

function parameter(piece: ParameterPiece, values: Values): readonly Alternative[] {
  const { name, prefix, operator = "", operand = [] } = piece;
  if (prefix === "!") return valuesAsWritten(indirect(name, values), piece, values);
  if (prefix === "#" || /^[#?$!]$/.test(name)) return [[{ ...UNKNOWN_RELATIVE }]];
  const instead = (): readonly Alternative[] => product(operand, values);
  const own = values.variable(name);
  if (/^:?\+$/.test(operator)) return instead();
  if (/^:?[-=]$/.test(operator)) {
    const kept = valuesAsWritten(own.map(filled), piece, values);
    return isFilled(name, values) ? kept : [...kept, ...instead()];
  }
  return valuesAsWritten(operator === "" ? own : operated(piece, own, values), piece, values);
}

/** True for a variable that surely has some value, which `${x:-y}` leaves as it is. */
export function isFilled(name: string, values: Values): boolean {
  return values.isSet?.(name) === true && values.variable(name).every((field) => (knownText(field) ?? "") !== "");
}

/** `${!x}`: the variable that `x` names; `${!#}` is the last argument. */
function indirect(name: string, values: Values): readonly Field[] {
  if (name === "#") return values.variable(LAST_ARGUMENT);
  return values.variable(name).flatMap((field) => {
    const target = knownText(field);
    return target !== undefined && /^\w+$/.test(target) ? values.variable(target) : [[UNKNOWN]];
  });
}

function operated(piece: ParameterPiece, own: readonly Field[], values: Values): readonly Field[] {
  const { name, operator = "" } = piece;
  if (operator === ":") return /^[@*]$/.test(name) ? slicedArguments(piece, own, values) : sliced(piece, own, values);
  switch (operator.at(-1)) {
    case "?":
      return own.map(filled);
    case "%":
      return capped([...own, ...own.map(beginning)]);
    default:
      // Something else of the same text: what it was is one possibility, anything another.
      return capped([...own, [UNKNOWN]]);
  }
}

/** `${@:2}`: calls with other arguments may be among them. `${@:$#}` and `${@: -1}` are the last one. */
function slicedArguments({ offset = "" }: ParameterPiece, own: readonly Field[], values: Values): readonly Field[] {
  const bare = offset.replaceAll(/[\s(){}$[\]]/g, "");
  if (bare === "#" || bare === "-1") return values.variable(LAST_ARGUMENT);
  const start = numberOf(offset, values);
  return start === undefined || start < 1 ? [[UNKNOWN]] : [...own.slice(start - 1), [UNKNOWN]];
}

/** `${x:offset:length}`; negative numbers count from the end. */
function sliced(
  { offset = "", length, subscript }: ParameterPiece,
  own: readonly Field[],
  values: Values,
): readonly Field[] {
  const start = numberOf(offset, values);
  const count = length === undefined ? Number.MAX_SAFE_INTEGER : numberOf(length, values);
  if (start === undefined || count === undefined || subscript !== undefined) return [[UNKNOWN]];
  return own.map((field) => {
    const text = knownText(field)?.slice(start);
    return text === undefined ? [UNKNOWN] : textField(text.slice(0, count));
  });
}

/** The one number that an expression comes to. */
function numberOf(expression: string, values: Values): number | undefined {
  const [field, ...others] = values.computed(expression);
  const text = others.length > 0 || field === undefined ? undefined : knownText(field);
  return text === undefined ? undefined : Number(text);
}

/** With `:-` and `:?` an empty value never gets through. */
function filled(field: Field): Field {
  return field.map((part) => (part.kind === "unknown" ? { ...part, mayBeEmpty: false } : part));
}

/** What is left when the end is taken away: a relative path stays one. */
function beginning(field: Field): Field {
  const [first] = field;
  const absolute =
    first?.kind === "text" ? first.text.startsWith("/") : first?.kind === "unknown" && first.mayBeAbsolute;
  return absolute ? [UNKNOWN] : [UNKNOWN_RELATIVE];
}
