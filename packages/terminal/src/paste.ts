/**
 * Text that a person pastes, as a program is given it.
 *
 * A program that turned bracketed paste on takes what stands between two markers for text, never for keys. So a text that
 * holds the end marker itself must lose it, or the rest of it would be typed.
 */

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

/** Both markers, with the escape character and with its one-character form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: markers begin with a control character
const MARKER = /(?:\u001b\[|\u009b)20[01]~/g;

/**
 * Encodes pasted text: line ends become the Enter key, and with `bracketed` the text stands between the markers that the
 * program asked for. Markers inside of the text are removed in either case.
 */
export function encodePaste(text: string, bracketed: boolean): string {
  const typed = withoutMarkers(text).replaceAll(/\r?\n/g, "\r");
  return bracketed ? `${BEGIN}${typed}${END}` : typed;
}

function withoutMarkers(text: string): string {
  // What is left of two halves can be a marker again.
  for (let before = text; ; ) {
    const after = before.replaceAll(MARKER, "");
    if (after === before) return after;
    before = after;
  }
}
