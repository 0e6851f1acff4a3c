/**
 * What is wrong with a value, for whoever wrote it: which field, what it is to be, what it is, and what to write instead.
 *
 * zod's own words are those of a type checker and leave the field for the end; these are read by people and by models
 * that have one line to mend.
 */
import type * as z from "zod";

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
};

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
    case "unrecognized_keys":
      return `there is no field ${issue.keys.slice(0, 3).map(quoted).join(", ")}; there are ${listed(fields)}`;
    case "too_small":
      return `${name} is ${issue.inclusive ? "at least" : "above"} ${issue.minimum}, not ${shown(found)}`;
    case "too_big":
      return bigText(name, issue, found);
    default:
      return `${name}: ${issue.message}`;
  }
}

function bigText(name: string, { origin, maximum }: z.core.$ZodIssueTooBig, found: unknown): string {
  if (origin !== "string") return `${name} is at most ${maximum}, not ${shown(found)}`;
  const length = typeof found === "string" ? found.length : 0;
  return `${name} has at most ${maximum} characters, not ${length}`;
}

/** A word that is none of those there are, or a value of none of several types. */
function unionText(name: string, issue: z.core.$ZodIssueInvalidUnion, found: unknown): string {
  const { options } = issue as { options?: unknown };
  if (Array.isArray(options)) {
    const words = `one of ${listed(options.map(String))}`;
    return found === undefined ? `${name} is missing: it is ${words}` : `${name} is ${words}, not ${shown(found)}`;
  }
  const expected = issue.errors.flat().flatMap((each) => (each.code === "invalid_type" ? [each.expected] : []));
  return typeText(name, expected, found);
}

function typeText(name: string, expected: readonly string[], found: unknown): string {
  const nouns = expected.map((each) => NOUNS[each] ?? each).join(" or ");
  if (found === undefined) return `${name} is missing: it is ${nouns}`;
  return `${name} is ${nouns}, not ${nounOf(found)}${remedy(expected[0], found)}`;
}

/** What to write, where somebody has put quotes where there are none, or none where there are some. */
function remedy(expected: string | undefined, found: unknown): string {
  if (expected === "string" && (typeof found === "number" || typeof found === "boolean"))
    return ` (write ${shown(String(found))})`;
  const isPlain =
    expected === "number" ? isNumeral(found) : expected === "boolean" && /^(?:true|false)$/.test(`${found}`);
  return isPlain ? ` (write ${found} without quotes)` : "";
}

function isNumeral(found: unknown): boolean {
  return typeof found === "string" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(found);
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
  return `\`${short(name)}\``;
}

function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? nounOf(value) : short(JSON.stringify(value) ?? String(value));
}

/** One line, without what would not be seen in it. */
function short(text: string): string {
  const line = text.slice(0, MAX_SHOWN_UNITS).replaceAll(/\p{C}/gu, " ");
  return text.length > MAX_SHOWN_UNITS ? `${line}…` : line;
}
