/**
 * Options that no one reads: in JavaScript a misspelt one would be as good as left out, and no one would know.
 *
 * Here is how one is found and reported. TypeScript refuses them itself; these checks are for callers without it. An option
 * whose value is `undefined` or `null` counts as left out, whatever its name.
 */
import { nearestNames } from "./nearest-names.ts";

/** The names of a type's properties; the compiler holds such an object to all of them. */
export type OptionNames<T> = Readonly<Record<keyof T & string, true>>;

/** An options object has a property that is not an option. */
export class UnknownOptionError extends TypeError {
  override readonly name = "UnknownOptionError";
  readonly code = "PI_UNKNOWN_OPTION";
  /** The property. */
  readonly option: string;
  /** Options that may have been meant, the nearest first. */
  readonly nearest: readonly string[];

  constructor(taker: string, { option, nearest }: UnknownOption) {
    super(`\`${taker}\` has no option \`${option}\`${meantText(nearest)}`);
    this.option = option;
    this.nearest = nearest;
  }
}

/** What was given as options, or as a session, is not an object. */
export class NotAnObjectError extends TypeError {
  override readonly name = "NotAnObjectError";
  readonly code = "PI_INVALID_OPTION";

  constructor(taker: string, given: unknown) {
    const kind = given === null ? "null" : Array.isArray(given) ? "an array" : typeof given;
    super(`\`${taker}\` takes an object, not ${kind}`);
  }
}

/** Refuses what is not an object with names. */
function requireObject(taker: string, given: unknown): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new NotAnObjectError(taker, given);
}

/** What was found, and what may have been meant. */
export interface UnknownOption {
  readonly option: string;
  readonly nearest: readonly string[];
}

/** The first own property of `given` that has a value and none of the names. What is not an object has none. */
export function unknownOption(given: unknown, known: readonly string[]): UnknownOption | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const values = given as Readonly<Record<string, unknown>>;
  // Known ones are not read here: an option may be a getter.
  const option = Object.keys(given).find((name) => !known.includes(name) && (values[name] ?? undefined) !== undefined);
  return option === undefined ? undefined : { option, nearest: nearestNames(option, known) };
}

/** The end of a message about an unknown option: what may have been meant, or nothing. */
export function meantText(nearest: readonly string[]): string {
  const names = nearest.map((name) => `\`${name}\``).join(", ");
  if (nearest.length === 0) return "";
  return nearest.length === 1 ? `; the nearest is ${names}` : `; the nearest are ${names}`;
}

/**
 * Refuses what is not an option of `taker`. `undefined`: nothing was given.
 *
 * @throws {UnknownOptionError} for the first such property
 * @throws {NotAnObjectError} for `null`, an array, a number and the like
 */
export function refuseUnknownOptions(taker: string, given: unknown, known: Readonly<Record<string, unknown>>): void {
  if (given === undefined) return;
  requireObject(taker, given);
  // Asked for every command: the list of names is only made where there is something to tell.
  if (Object.keys(given as object).every((name) => Object.hasOwn(known, name))) return;
  const unknown = unknownOption(given, Object.keys(known));
  if (unknown !== undefined) throw new UnknownOptionError(taker, unknown);
}

/**
 * Refuses what looks like a misspelt option of `taker`, in an object that may have properties of its owner's beside ours:
 * one that is near to an option which is not given.
 *
 * @throws {UnknownOptionError} for the first such property
 * @throws {NotAnObjectError} for what is not an object, `undefined` too
 */
export function refuseMisspeltOptions(taker: string, given: object, known: Readonly<Record<string, unknown>>): void {
  requireObject(taker, given);
  // An object with a class is someone's own, whatever it is called there.
  if (Object.getPrototypeOf(given) !== Object.prototype) return;
  const absent = Object.keys(known).filter((name) => !Object.hasOwn(given, name));
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const nearest = nearestNames(name, absent);
    if (nearest.length > 0) throw new UnknownOptionError(taker, { option: name, nearest });
  }
}
