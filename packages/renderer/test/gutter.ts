/** Rows of a call without its gutter: for tests of what is said, not of where it stands. */

/** The gutter's columns, with their colour where there is one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour is an escape sequence
const GUTTER = /^(?:\x1b\[[\d;]*m)?(?: {2}[│└] | {2}(?=! )| {4})(?:\x1b\[0m)?/;

export function withoutGutter(rows: readonly string[]): string[] {
  return rows.map((row) => row.replace(GUTTER, ""));
}
