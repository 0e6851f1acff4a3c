/**
 * Where what a terminal sent can be cut so that no key is halved: a read may end in the middle of a key's sequence or of a
 * paste. Who reads keeps the rest back until more comes, and for a short time only, because a lone Esc has no rest.
 */

const ESC = "\x1b";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** An Esc at the end with what may be the beginning of a sequence behind it. */
const OPEN_SEQUENCE = new RegExp(`${ESC}(?:\\[[0-9:;<?]*|O)?$`);

/** Time the rest of a key's sequence has to come, in milliseconds; a terminal sends it in one write. */
const KEY_REST_MS = 40;
/** The same for the rest of a paste, which may be large. */
const PASTE_REST_MS = 2_000;

/** Length of the part that ends with a whole key, in UTF-16 units. */
export function wholeKeysLength(text: string): number {
  const paste = text.lastIndexOf(PASTE_START);
  if (paste >= 0 && text.indexOf(PASTE_END, paste) < 0) return paste;
  return OPEN_SEQUENCE.exec(text)?.index ?? text.length;
}

/** How long the rest of a text that was kept back may take, in milliseconds. After that it is taken as it is. */
export function keyRestMs(held: string): number {
  return held.startsWith(PASTE_START) ? PASTE_REST_MS : KEY_REST_MS;
}
