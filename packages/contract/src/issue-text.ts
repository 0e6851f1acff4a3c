/**
 * What is wrong with a value, for whoever wrote it: which field, what it is to be, what it is, and what to write instead.
 *
 * zod's own words are those of a type checker and leave the field for the end; these are read by people and by models
 * that have one line to mend.
 */
import type * as z from "zod";
import { headUnits } from "./text.ts";

/** Longest name or value that is repeated, in UTF-16 units: it is the caller's, who knows it. */
const MAX_SHOWN_UNITS = 40;

/** What is expected, in words. */
const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  symbol: "a symbol",
  bigint: "a bigint",
  function: "a function",
};

/** What a value that is too short or too long is counted in. */
const UNITS: Readonly<Record<string, string>> = { string: "character", array: "entry" };

/**
 * One issue in a line, e.g. "`timeoutMs` is a number, not a string (write 5 without quotes)".
 *
 * @param value - What was parsed.
 * @param whole - What the value is called where no field of it is meant, e.g. `a request`.
 * @param fields - The fields that there can be, for a value that has others.
 */
export function issueText(issue: z.core.$ZodIssue, value: unknown, whole: string, fields: readonly string[]): string {
  const found = issue.path.reduce<unknown>(fieldOf, value);
  const name = issue.path.length === 0 ? whole : quoted(issue.path.map(String).join("."));
  switch (issue.code) {
    case "invalid_type":
      return typeText(name, [issue.expected], found);
    case "invalid_union":
      return unionText(name, issue, found);
    case "invalid_value":
      return wordText(name, issue.values.map(String), found);
    case "invalid_key":
      return `${name} has a name that is not a string`;
    case "unrecognized_keys":
      return unknownText(issue, fields);
    case "too_small":
      return lengthText(name, issue, `at least ${issue.minimum}`, found) ?? smallText(name, issue, found);
    case "too_big":
      return (
        lengthText(name, issue, `at most ${issue.maximum}`, found) ??
        `${name} is at most ${issue.maximum}, not ${shown(found)}`
      );
    default:
      return `${name}: ${issue.message}`;
  }
}

/** One line of a text that is not ours, at most 40 characters of it, without what is not seen in it or steers a terminal. */
export function shortLine(text: string): string {
  const line = headUnits(text, MAX_SHOWN_UNITS).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  return text.length > MAX_SHOWN_UNITS ? `${line}…` : line;
}

/** Fields that no one knows. `fields` are those of the whole: of a value inside it others would be named. */
function unknownText({ keys, path }: z.core.$ZodIssueUnrecognizedKeys, fields: readonly string[]): string {
  const names = keys.slice(0, 3).map((key) => quoted([...path, key].map(String).join(".")));
  const unknown = `there is no field ${names.join(", ")}`;
  if (path.length > 0) return unknown;
  return `${unknown}; there are ${fields.length === 0 ? "none" : listed(fields)}`;
}

function smallText(name: string, { inclusive, minimum }: z.core.$ZodIssueTooSmall, found: unknown): string {
  return `${name} is ${inclusive ? "at least" : "above"} ${minimum}, not ${shown(found)}`;
}

/** Of what has a length: how long it is to be, in its units; undefined: it has none. */
function lengthText(name: string, { origin }: { origin: string }, bound: string, found: unknown): string | undefined {
  const unit = UNITS[origin];
  if (unit === undefined) return undefined;
  const length = typeof found === "string" || Array.isArray(found) ? found.length : 0;
  const units = bound.endsWith(" 1") ? unit : unit.replace(/y$/, "ie").concat("s");
  return `${name} has ${bound} ${units}, not ${length}`;
}

/** A word that is none of those there are, or a value of none of several types. */
function unionText(name: string, issue: z.core.$ZodIssueInvalidUnion, found: unknown): string {
  const { options } = issue as { options?: unknown };
  if (Array.isArray(options)) return wordText(name, options.map(String), found);
  const expected = issue.errors.flat().flatMap((each) => (each.code === "invalid_type" ? [each.expected] : []));
  return typeText(name, expected, found);
}

function wordText(name: string, words: readonly string[], found: unknown): string {
  const expected = words.length === 1 ? listed(words) : `one of ${listed(words)}`;
  return found === undefined ? `${name} is missing: it is ${expected}` : `${name} is ${expected}, not ${shown(found)}`;
}

function typeText(name: string, expected: readonly string[], found: unknown): string {
  const nouns = expected.map((each) => NOUNS[each] ?? each).join(" or ");
  if (found === undefined) return `${name} is missing: it is ${nouns}`;
  return `${name} is ${nouns}, not ${otherThan(nouns, found)}${remedy(expected[0], found)}`;
}

/** What a value is that is not `nouns`: where it goes by the same noun, what sets it apart. */
function otherThan(nouns: string, found: unknown): string {
  const noun = nounOf(found);
  if (typeof found === "number") return nouns === NOUNS["int"] ? String(found) : noun;
  return noun === nouns ? "an instance of a class" : noun;
}

/** What to write, where someone has put quotes where there are none, none where there are some, or left out a list. */
function remedy(expected: string | undefined, found: unknown): string {
  if (expected === "string" && (typeof found === "number" || typeof found === "boolean"))
    return ` (write ${shown(String(found))})`;
  if (typeof found !== "string") return "";
  if (expected === "number" && isNumeral(found)) return ` (write ${found} without quotes)`;
  if (expected === "boolean" && /^(?:true|false)$/.test(found)) return ` (write ${found} without quotes)`;
  if (/^(?:array|object|record)$/.test(`${expected}`) && /^\s{0,9}[[{]/.test(found))
    return " (write it without quotes)";
  const isPlain = found.length <= MAX_SHOWN_UNITS && shortLine(found) === found;
  return expected === "array" && isPlain ? ` (write [${JSON.stringify(found)}])` : "";
}

function isNumeral(found: string): boolean {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(found);
}

function nounOf(found: unknown): string {
  if (found === null) return "null";
  if (Array.isArray(found)) return "an array";
  if (typeof found === "number" && !Number.isFinite(found)) return String(found);
  return typeof found === "boolean" ? String(found) : (NOUNS[typeof found] ?? typeof found);
}

function fieldOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function listed(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}

function quoted(name: string): string {
  return `\`${shortLine(name)}\``;
}

function shown(value: unknown): string {
  // Cut before it is written with escapes: it may have megabytes.
  if (typeof value === "string") return shortLine(JSON.stringify(value.slice(0, MAX_SHOWN_UNITS + 1)));
  return typeof value === "number" || typeof value === "boolean" ? String(value) : nounOf(value);
}
