/**
 * A command's output as a model or a person reads it: what is not seen, or reorders the rest, is written out.
 *
 * Bidirectional controls turn a line around, zero-width characters hide a difference, tags carry a text of their own that
 * only a model reads. Unlike in a command (`display-text.ts`) blanks of other scripts stay here, and so do joiners and
 * selectors where scripts and emoji need them. Source: Unicode TR36, TR55.
 */
import { writeOutHidden } from "./display-text.ts";

const JOINERS = new Set(["\u200c", "\u200d"]);
// From the beginning of one character, not up to the end of a text: Node 26.10 finds no emoji by `[…]$`.
const JOINED_BEFORE = /^[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const JOINED_AFTER = /^[\p{L}\p{Extended_Pictographic}\u2640\u2642]/u;
const LATIN = /^\p{Script=Latin}/u;
/** One behind the picture it chooses; several in a row carry data. */
const SELECTOR = /^\p{Variation_Selector}/u;
const SELECTED = /^[\p{Emoji}\p{L}\p{S}]/u;
/** Blanks and signs with a place of their own: spaces of typography, a cell of Braille, signs before Arabic numbers. */
const HAS_PLACE = /^[\p{Zs}\u2800\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

/** The output with hidden characters written as `\u{202e}`; control characters as well unless `keepsControls`. */
export function outputText(text: string, keepsControls = false): string {
  return writeOutHidden(text, (character, offset, whole) => {
    return (keepsControls && CONTROL.test(character)) || isAtWork(character, offset, whole);
  });
}

const CONTROL = /^\p{Cc}/u;

/** Says of a hidden character whether it does honest work where it stands. */
function isAtWork(character: string, offset: number, whole: string): boolean {
  if (HAS_PLACE.test(character)) return true;
  const before = [...whole.slice(Math.max(0, offset - 2), offset)].at(-1) ?? "";
  if (SELECTOR.test(character)) return SELECTED.test(before) && !LATIN.test(before);
  if (!JOINERS.has(character)) return false;
  // An emoji with its selector is joined like one without.
  const joined = SELECTOR.test(before) ? ([...whole.slice(Math.max(0, offset - 4), offset)].at(-2) ?? "") : before;
  return JOINED_BEFORE.test(joined) && !LATIN.test(joined) && JOINED_AFTER.test(whole.slice(offset + 1, offset + 3));
}
