/**
 * Readings on record: what the policy takes some hundred lines to mean, before it judges them. A verdict rarely shows
 * that a value, a folder or a text was worked out wrongly; a reading does. They are written again as the recorded verdicts
 * are (`recorded-verdicts.test.ts`), with this file's name.
 *
 * A file has a command line, `⏎` for a newline, and below it, indented, the rows of `readingText`.
 */
import { describe, it } from "vitest";
import { readingText } from "./support/reading-text.ts";
import { expectRecorded, recordsIn } from "./support/recorded.ts";

const FOLDER = new URL("readings/", import.meta.url);

describe("a recorded reading", () => {
  it.each(recordsIn(FOLDER))("still holds: %s", async (name) => {
    await expectRecorded(FOLDER, name, readingText);
  });
});
