/**
 * The checks that an option passes before it may cross into the addon, each error naming the option and the remedy.
 */
import { isAbsolute } from "node:path";
import { meantText, unknownOption } from "@pi-bash/contract/internal/unknown-option";
import { invalidOption, ShellError } from "./shell-error.ts";

/** Whether an option was left out. `null` counts: JSON has no other way to say it. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Refuses a callback that is not a function. */
export function checkFunction(name: string, value: unknown): void {
  if (!absent(value) && typeof value !== "function") throw invalidOption(name, "is not a function");
}

/** A plain object of options. */
export function checkObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidOption(name, "is not an object");
  }
}

/**
 * What `read` makes of options. What they throw themselves (a getter, a proxy) is an error of ours too, and names `name`.
 */
export function reading<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShellError) throw error;
    throw new ShellError("PI_INVALID_OPTION", `option \`${name}\` cannot be read`, { cause: error });
  }
}

/** Refuses options that no one reads. `name` stands for the object in errors. */
export function checkKnown(name: string, options: object, known: readonly string[]): void {
  const unknown = reading(name, () => unknownOption(options, known));
  if (unknown === undefined) return;
  const option = name === "options" ? unknown.option : `${name}.${unknown.option}`;
  throw invalidOption(option, `does not exist${meantText(unknown.nearest)}`);
}

/** The options named by `keys`, each read once: one that changes its mind is still one value. */
export function readOnce<T extends object>(name: string, options: T, keys: readonly (keyof T & string)[]): T {
  checkObject(name, options);
  const values: Partial<T> = {};
  for (const key of keys) {
    const value = reading(name === "options" ? key : `${name}.${key}`, () => options[key]);
    if (!absent(value)) values[key] = value;
  }
  return values as T;
}

/** Text. A NUL byte is refused unless the core has its own word for it. */
export function checkText(name: string, value: unknown, allow?: { nul: boolean }): string {
  if (typeof value !== "string") throw invalidOption(name, `is ${kindOf(value)}; give a string`);
  if (!allow?.nul && value.includes("\0")) throw invalidOption(name, "contains a NUL byte; remove it");
  return value;
}

/** The path of a file that may not depend on the process's directory, which any thread can change. */
export function checkAbsolutePath(name: string, value: unknown): string {
  const path = checkText(name, value);
  if (!isAbsolute(path)) throw invalidOption(name, `is \`${path}\`; give an absolute path`);
  return path;
}

/** A whole number from `least` to `most`. */
export function checkWhole(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  const given = typeof value === "number" ? String(value) : kindOf(value);
  throw invalidOption(name, `is ${given}; give a whole number from ${least} to ${most}`);
}

/** Variables of an environment. Values that are left out are left out. */
export function checkStrings(name: string, value: unknown): Record<string, string> {
  checkObject(name, value);
  // A `Map` has no entries that anyone would see.
  if (reading(name, () => Symbol.iterator in Object(value))) {
    throw invalidOption(name, "is a collection; give an object with a string for each name");
  }
  const strings: [string, string][] = [];
  for (const [key, text] of reading(name, () => Object.entries(value as Record<string, unknown>))) {
    if (text === undefined) continue;
    if (typeof text !== "string") {
      throw new ShellError("PI_INVALID_ENV", `environment variable \`${key}\` is ${kindOf(text)}; give a string`);
    }
    // The addon would not find it again.
    if (LONE_SURROGATE.test(key)) {
      throw new ShellError("PI_INVALID_ENV", `environment variable \`${key}\` is not a variable name`);
    }
    strings.push([key, text]);
  }
  // Not by assignment, which `__proto__` would be lost in.
  return Object.fromEntries(strings);
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  return typeof value === "object" || typeof value === "function" ? kindOf(value) : String(value);
}

/** Half of a character: no text in UTF-8 has it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "missing";
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}
