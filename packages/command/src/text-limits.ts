/**
 * Texts that are not parsed at all: such as no parser should see, and such as would keep it busy.
 *
 * The limits are far from anything people or models write; what is beyond them is reported, not guessed.
 */
import type { SyntaxProblem } from "./syntax.ts";

/** Longest command line that is analysed, in bytes of UTF-8; a longer one is reported as not understood. */
export const MAX_COMMAND_BYTES = 64 * 1024;

/** What keeps a text from being parsed; bash drops NUL silently, and a lone surrogate has no bytes at all. */
export function findTextProblem(command: string): SyntaxProblem | undefined {
  const nul = command.indexOf("\0");
  if (nul !== -1) return { message: "contains a NUL byte", offset: nul };
  const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.exec(command);
  if (lone !== null) return { message: "contains a lone surrogate", offset: lone.index };
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return { message: `is longer than ${MAX_COMMAND_BYTES} bytes`, offset: 0 };
  }
  return isTooDeep(command) ? { message: "nested too deeply", offset: 0 } : undefined;
}

/** Levels of parentheses or braces in a text that is parsed at all. */
const MAX_OPEN = 64;

/**
 * True for a text whose parentheses or braces nest beyond reason, quotes not considered. The parser reads a text once
 * a level, so that 64 KiB of `$(` would keep it busy for seconds.
 */
function isTooDeep(command: string): boolean {
  let parens = 0;
  let braces = 0;
  for (const char of command) {
    if (char === "(") parens++;
    else if (char === ")") parens = Math.max(0, parens - 1);
    else if (char === "{") braces++;
    else if (char === "}") braces = Math.max(0, braces - 1);
    if (parens > MAX_OPEN || braces > MAX_OPEN) return true;
  }
  return false;
}
