/**
 * Text that a person pastes, as a program is given it.
 *
 * A program that turned bracketed paste on takes what stands between two markers for text, never for keys. So a text that
 * holds the end marker itself must lose it, or the rest of it would be typed.
 */

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

/** Both markers, with the escape character and with its one-character form. */
const MARKERS = [BEGIN, END, "\u009b200~", "\u009b201~"];

/** The last character of every marker. */
const LAST = "~".charCodeAt(0);

/**
 * Encodes pasted text: line ends become the Enter key, and with `bracketed` the text stands between the markers that the
 * program asked for. Markers inside of the text are removed in either case.
 */
export function encodePaste(text: string, bracketed: boolean): string {
  const typed = withoutMarkers(text).replaceAll(/\r?\n/g, "\r");
  return bracketed ? `${BEGIN}${typed}${END}` : typed;
}

/**
 * Takes markers out as their last character comes, so that what is left of two halves is a marker again and goes as well.
 * One pass: a hostile text may nest as many as it has room for.
 */
function withoutMarkers(text: string): string {
  const kept = Buffer.allocUnsafe(text.length * 2);
  let units = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    kept.writeUInt16LE(unit, units * 2);
    units += 1;
    if (unit === LAST) units -= markerLength(kept, units);
  }
  return kept.toString("utf16le", 0, units * 2);
}

/** Units of the marker that `kept` ends with; 0 for none. */
function markerLength(kept: Buffer, units: number): number {
  const marker = MARKERS.find(
    (one) => units >= one.length && kept.toString("utf16le", (units - one.length) * 2, units * 2) === one,
  );
  return marker?.length ?? 0;
}
