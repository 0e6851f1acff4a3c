/**
 * Compiles a pattern that someone else wrote, so that matching takes time linear in the text (JB-07).
 *
 * JavaScript's own expressions backtrack: `(a+)+$` on forty letters takes minutes and stops the host. RE2 has no
 * backtracking; what it cannot express (lookaround, back references) is an error that says so.
 */
import { RE2JS } from "re2js";
import { ArtifactError } from "./address.ts";

/** Longest pattern, in characters: RE2 compiles in time and memory linear in it. */
const MAX_PATTERN_CHARS = 1024;
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/** Whether a line matches. */
export type LinePattern = (line: Buffer) => boolean;

/** A matcher for lines given as UTF-8. Throws `ArtifactError` for a pattern that is none. */
export function linePattern(pattern: string): LinePattern {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new ArtifactError("PI_ARTIFACT_PATTERN", `pattern is longer than ${MAX_PATTERN_CHARS} characters`);
  }
  if (!SPECIAL.test(pattern)) {
    const wanted = Buffer.from(pattern, "utf8");
    return (line) => line.includes(wanted);
  }
  const expression = compile(pattern);
  return (line) => expression.test(line.toString("utf8"));
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArtifactError("PI_ARTIFACT_PATTERN", `pattern \`${pattern}\` is not valid RE2 syntax: ${reason}`, error);
  }
}
