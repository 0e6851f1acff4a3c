/** The text of a process substitution that a command reads. */

/** The text inside `<(…)`; undefined for other words. */
export function scriptOf(text: string): string | undefined {
  return text.startsWith("<(") && text.endsWith(")") ? text.slice(2, -1) : undefined;
}
