/**
 * Writes a text so that bash reads exactly that text.
 *
 * Single quotes hold everything but themselves; nothing inside is expanded, whatever it is.
 */

/** One bash word with the value `text`. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
