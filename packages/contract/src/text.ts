/**
 * Cuts texts to a size, and never inside a character: the one place where that is done.
 *
 * Sizes are bytes of UTF-8 where a window or a file is meant, and UTF-16 units where a line for a reader is. No schema lives
 * here, and nothing is loaded.
 */

/** The beginning of `text`, at most `maxBytes` of UTF-8, ending with a whole character. */
export function headBytes(text: string, maxBytes: number): string {
  if (fitsSurely(text, maxBytes)) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = Math.max(0, maxBytes);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** The end of `text`, at most `maxBytes` of UTF-8, beginning with a whole character. */
export function tailBytes(text: string, maxBytes: number): string {
  if (fitsSurely(text, maxBytes)) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return bytes.toString("utf8", characterStart(bytes, bytes.length - Math.max(0, maxBytes)));
}

/** Where the first character begins at or after `from`, in bytes of UTF-8; their length where there is none. */
export function characterStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isContinuation(bytes[at])) at += 1;
  return at;
}

/** The beginning of `text`, at most `maxUnits` UTF-16 units, ending with a whole character. */
export function headUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const head = text.slice(0, Math.max(0, maxUnits));
  return isFirstHalf(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head;
}

/** The end of `text`, at most `maxUnits` UTF-16 units, beginning with a whole character. */
export function tailUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const start = text.length - Math.max(0, maxUnits);
  return text.slice(isSecondHalf(text.charCodeAt(start)) ? start + 1 : start);
}

/** At most `maxUnits` UTF-16 units: the text, or its beginning and `…`. */
export function clipped(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `${headUnits(text, maxUnits - 1)}…`;
}

/** At most `maxUnits` UTF-16 units: the text, or `…` and its end. */
export function clippedStart(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `…${tailUnits(text, maxUnits - 1)}`;
}

/** A UTF-16 unit takes at most 3 bytes: most texts need no look at their bytes. */
function fitsSurely(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes;
}

/** Whether a byte is inside a character of UTF-8: it begins with the bits 10. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
