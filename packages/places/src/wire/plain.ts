/**
 * Texts of the far side that reach a terminal, a model or an error, made plain: what a place is called, why something failed.
 *
 * The far side can be any program. Its words have no control characters and no end of their own choosing here; its paths are
 * absolute. Output of commands is text too, and is plain here as the sink makes it on an honest place.
 */
import { displayLine } from "@pi-bash/contract/internal";
import * as z from "zod";

/** Most characters of a word or sentence that are kept. */
const MAX_LINE_CHARS = 1_024;
/** Most characters of a path: four times what Linux takes. */
const MAX_PATH_CHARS = 16_384;
/** Most entries of a list that people read. */
const MAX_ENTRIES = 4_096;
/** Controls that no plain text has: every terminal sequence begins with one. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
/** What the path of a folder or program that a place names has not. */
const PLAIN_PATH = /^\/\P{Cc}*$/u;

/** Words on one line: hidden characters are written out, and what is too long is cut. */
export function plainLine(text: string): string {
  const shown = displayLine(text.slice(0, MAX_LINE_CHARS));
  const cut = shown.length > MAX_LINE_CHARS ? shown.slice(0, MAX_LINE_CHARS) : shown;
  return text.length > MAX_LINE_CHARS || cut.length < shown.length ? `${cut}…` : cut;
}

/** A command's output without what a terminal would obey. An honest place sends none of it. */
export function plainText(text: string): string {
  // A global expression keeps where it was: `search` does not.
  return text.search(CONTROLS) === -1 ? text : text.replaceAll(CONTROLS, "");
}

/** A word or sentence of the far side. */
export const line = z.string().transform(plainLine);

/** Whether a path of the far side is one that can be shown and given back to it. */
export function isPlainPath(path: unknown): path is string {
  return typeof path === "string" && path.length <= MAX_PATH_CHARS && PLAIN_PATH.test(path);
}

/** The path of a folder or a program over there: absolute, without control characters. */
export const path = z.string().refine(isPlainPath);

/** A list that people read; what is beyond its bound is left out. */
export function few<T extends z.ZodType>(entry: T) {
  return z
    .array(z.unknown())
    .transform((list) => list.slice(0, MAX_ENTRIES))
    .pipe(z.array(entry));
}
