/**
 * A command, or any text that came with one, as a person or a model is shown it: nothing in it hides.
 *
 * The one place that knows which characters are not seen or move others, and how they are written out. The sets come
 * from the Unicode data of the regular expression engine, so that a new version of Unicode needs no change here. What
 * such a character means for a decision is the policy's matter.
 */

/** What no text has that needs a second look. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Default-ignorable, bidirectional and format characters, controls, line and paragraph separators, blanks other than
 * U+0020, halves of characters; and U+2800, a blank that no property calls one.
 */
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2800]|(?![\t\n])\p{Cc}|(?! )\p{Zs}/gu;

/** Lines without anything to see in them that are shown as they are; more of them are counted instead. */
const MAX_EMPTY_LINES = 4;
const EMPTY_LINES = new RegExp(String.raw`(^|\n)((?:[ \t]*\n){${MAX_EMPTY_LINES + 1},})`, "g");

/** Blanks in a row that are shown as they are; more of them are counted instead. */
const MAX_BLANKS = 40;
const BLANKS = new RegExp(String.raw`[ \t]{${MAX_BLANKS + 1},}`, "g");

/** Says of a hidden character whether it does honest work where it stands, as a joiner in an emoji does. */
export type KeepsCharacter = (character: string, offset: number, whole: string) => boolean;

/**
 * The text with every character that is not seen, or that reorders others, written as `\u{202e}`. Tabs and newlines
 * stay. `keeps` lets some of them through; by default none.
 */
export function writeOutHidden(text: string, keeps?: KeepsCharacter): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(HIDDEN, (character, offset: number, whole: string) => {
    if (keeps?.(character, offset, whole) === true) return character;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/**
 * What to show where a person approves a command or reads it back: hidden characters are written out, and what would
 * push the rest out of sight is counted instead: `… 597 empty lines …`, `… 200 blanks …`. Everything else is there.
 */
export function displayText(text: string): string {
  return writeOutHidden(text)
    .replaceAll(EMPTY_LINES, (_, before: string, lines: string) => {
      return `${before}… ${lines.split("\n").length - 1} empty lines …\n`;
    })
    .replaceAll(BLANKS, ({ length }) => ` … ${length} blanks … `);
}

/** The same on one line, for a list or a sentence: every run of blanks and newlines is one blank. */
export function displayLine(text: string): string {
  return writeOutHidden(text).replaceAll(/\s+/g, " ").trim();
}
