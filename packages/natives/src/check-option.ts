/**
 * The checks that an option passes before it may cross into the addon, each error naming the option and the remedy.
 */
import { isAbsolute } from "node:path";
import { invalidOption, ShellError } from "./shell-error.ts";

/** Whether an option was left out. `null` counts: JSON has no other way to say it. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** A plain object of options. */
export function checkObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidOption(name, "is no object");
  }
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
  const strings: Record<string, string> = {};
  for (const [key, text] of Object.entries(value as Record<string, unknown>)) {
    if (text === undefined) continue;
    if (typeof text !== "string") {
      throw new ShellError("PI_INVALID_ENV", `environment variable \`${key}\` is ${kindOf(text)}; give a string`);
    }
    strings[key] = text;
  }
  return strings;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "missing";
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}
