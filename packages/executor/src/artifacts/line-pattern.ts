/**
 * Compiles a pattern that somebody else wrote, so that matching takes time linear in the text (JB-07).
 *
 * JavaScript's own expressions backtrack: `(a+)+$` on forty letters takes minutes and stops the host. RE2 has no
 * backtracking; what it cannot express (lookaround, back references) is an error that says so.
 */
import { RE2JS } from "re2js";
import { ArtifactError } from "./address.ts";

/** Longest pattern, in characters: RE2 compiles in time and memory linear in it. */
const MAX_PATTERN_CHARS = 1024;
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/** Anchors of the whole text, and flags that are switched off: a line's match is not one in a text of lines then. */
const OF_WHOLE_TEXT = /\\[Az]|\(\?[a-zA-Z]*-/;

/** A pattern for lines. */
export interface LinePattern {
  /** Whether a line matches. Bytes are UTF-8. */
  matches(line: Buffer | string): boolean;
  /** False: no line of this text matches. True: one may. Takes a fraction of the time that its lines take one by one. */
  mayBeIn(text: string): boolean;
}

/** A matcher for lines. Throws `ArtifactError` for a pattern that is none. */
export function linePattern(pattern: string): LinePattern {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new ArtifactError("PI_ARTIFACT_PATTERN", `pattern is longer than ${MAX_PATTERN_CHARS} characters`);
  }
  if (!SPECIAL.test(pattern)) {
    if (pattern.includes("\n")) {
      throw new ArtifactError(
        "PI_ARTIFACT_PATTERN",
        "pattern has a line break, and no line has one: give the text of one line",
      );
    }
    return { matches: (line) => line.includes(pattern), mayBeIn: (text) => text.includes(pattern) };
  }
  const expression = compile(pattern);
  return {
    matches: (line) => expression.test(typeof line === "string" ? line : line.toString("utf8")),
    mayBeIn: OF_WHOLE_TEXT.test(pattern) ? () => true : wholeTest(pattern),
  };
}

/** Whether the pattern is found where `^` and `$` are at each line's beginning and end: where a line matches, it is. */
function wholeTest(pattern: string): (text: string) => boolean {
  const expression = compile(pattern, RE2JS.MULTILINE);
  return (text) => expression.test(text);
}

function compile(pattern: string, flags = 0): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArtifactError("PI_ARTIFACT_PATTERN", `pattern \`${pattern}\` is not valid RE2 syntax: ${reason}`, error);
  }
}
