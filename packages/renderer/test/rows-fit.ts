/** What holds for every row, whatever is in it. */
import stringWidth from "string-width";
import { expect } from "vitest";

/** Rows of at most `width` columns, with no control character but those of colours and links. `what` names the case. */
export function expectFitting(rows: readonly string[], width: number, what: string): void {
  for (const row of rows) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for exactly those
    const rest = row.replaceAll(/\x1b\[[0-9;]*m|\x1b\]8;;[\x21-\x7e]*\x1b\\/g, "");
    expect(/\p{Cc}/u.test(rest), `${what}: ${JSON.stringify(row)}`).toBe(false);
    expect(stringWidth(rest), `${what}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
  }
}
