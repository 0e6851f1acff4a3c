/**
 * Makes characters visible that a person would not see, or that would show the others in another order.
 *
 * Bidirectional controls turn a line around, zero-width ones hide a difference, tag characters hide a text: in a command
 * that somebody is asked to approve, and in output that looks like a program's prompt, all of them are tricks. They are
 * written out as `<U+202E>`. Joiners stay where scripts and emoji need them. Source: Unicode TR36, TR55.
 */

import { isPlain, wellFormed } from "./width.ts";

const SUSPECT =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\u3164\uffa0]/gu;

const JOINERS = new Set(["\u200c", "\u200d"]);
// From the beginning of one character, not up to the end of a text: Node 26.10 finds no emoji by `[…]$`.
const JOINED_BEFORE = /^[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const JOINED_AFTER = /^[\p{L}\p{Extended_Pictographic}\u2640\u2642]/u;
const LATIN = /^\p{Script=Latin}/u;

/** The text with what would not be seen written out. */
export function visible(text: string): string {
  if (isPlain(text)) return text;
  SUSPECT.lastIndex = 0;
  if (!SUSPECT.test(text)) return wellFormed(text);
  return wellFormed(text).replaceAll(SUSPECT, (character: string, offset: number, whole: string) => {
    if (JOINERS.has(character) && isJoining(whole, offset)) return character;
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

function isJoining(whole: string, offset: number): boolean {
  const before = [...whole.slice(Math.max(0, offset - 2), offset)].at(-1) ?? "";
  return JOINED_BEFORE.test(before) && !LATIN.test(before) && JOINED_AFTER.test(whole.slice(offset + 1, offset + 3));
}
