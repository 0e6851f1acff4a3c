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

/** True for a problem that is a limit of ours: the text may be valid, and what it does was not looked at. */
export function isLimitProblem({ message }: SyntaxProblem): boolean {
  return /^(?:too many parts|nested too deeply|is longer than )/.test(message);
}

/** Levels of parentheses or braces in a text that is parsed at all. */
const MAX_OPEN = 64;
/** Signs between commands in the part of a text that is parsed: each stands for two syntax nodes or more. */
const MAX_SEPARATORS = 6_000;
/** `<<` in the part of a text that is parsed. */
const MAX_DOCUMENTS = 1_000;

/**
 * True for a text whose parentheses or braces nest beyond reason, quotes not considered. The parser reads a text once
 * a level, so that 64 KiB of `$(` would keep it busy for seconds.
 */
export function isTooDeep(text: string): boolean {
  let parens = 0;
  let braces = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x28) parens++;
    else if (char === 0x29) parens = Math.max(0, parens - 1);
    else if (char === 0x7b) braces++;
    else if (char === 0x7d) braces = Math.max(0, braces - 1);
    if (parens > MAX_OPEN || braces > MAX_OPEN) return true;
  }
  return false;
}

/**
 * How much of a text is parsed: all of it, but where it has thousands of `;`, `&`, `|`, `<<` or lines, quotes not
 * considered.
 *
 * Syntax that the walk would never get to costs the parser memory, and its collection more time than all judgement;
 * here-documents that wait for their text cost it time by their square. What is left out makes the text one that was
 * not understood.
 */
export function parsedLength(text: string): number {
  let separators = 0;
  let documents = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isSeparator(char)) separators++;
    else if (char === LESS && text.charCodeAt(at - 1) === LESS) documents++;
    else continue;
    if (separators > MAX_SEPARATORS || documents > MAX_DOCUMENTS) return at;
  }
  return text.length;
}

const LESS = 0x3c;

/** `;`, `&`, `|` or the end of a line. */
function isSeparator(char: number): boolean {
  return char === 0x3b || char === 0x26 || char === 0x7c || char === 0x0a;
}
