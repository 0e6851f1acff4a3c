/**
 * Regular expressions that come from settings and rule files, matched in linear time.
 *
 * A backtracking engine can be hung by one careless pattern (`(a+)+b`) and a command line of a few dozen characters;
 * these patterns are matched on every call, on the thread that serves everyone. RE2 has no backtracking, and refuses
 * what needs it (back-references, look-around) when the pattern is compiled.
 */
import { RE2JS } from "re2js";

/** Longest pattern that is compiled, in UTF-16 units; RE2's automaton grows with it. */
const MAX_PATTERN_LENGTH = 4_096;

/** A compiled pattern. Matching has no state: flags `g` and `y` have no effect. */
export interface LinearPattern {
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** Why a pattern cannot be used, or the pattern. */
export type CompiledPattern =
  | { readonly ok: true; readonly pattern: LinearPattern }
  | { readonly ok: false; readonly problem: string };

/** Compiles a pattern in JavaScript's notation. Flags: `i`, `m`, `s`, and `g`, `y`, `u`, `v`, `d` without effect. */
export function compilePattern(source: string, flags = ""): CompiledPattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { ok: false, problem: `pattern is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  const unknown = /[^imsgyuvd]/.exec(flags);
  if (unknown !== null) return { ok: false, problem: `unknown flag \`${unknown[0]}\`` };
  const bits =
    (flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes("m") ? RE2JS.MULTILINE : 0) |
    (flags.includes("s") ? RE2JS.DOTALL : 0);
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), bits);
    return { ok: true, pattern: { test: (text) => compiled.test(text) } };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
