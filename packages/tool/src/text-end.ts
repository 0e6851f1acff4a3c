/**
 * The end of a text within a number of bytes: what is kept where both a window and a whole character count.
 */

/** The last bytes of a text, from a character's beginning. */
export function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  // A continuation byte begins with the bits 10.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}
