/**
 * Verdicts on record: what the policy says of some thousand lines, whole. Whoever changes the policy sees here which
 * lines it judges otherwise. `npx vitest run packages/policy/test/recorded-verdicts.test.ts -u` writes the files again (in
 * front of the file `-u` takes it for its value, and every test runs); each line that changed is then a decision to look
 * at, and to name in the commit.
 *
 * Most lines are those of other tests, chosen so that small changes of the policy show. For `generated.txt` they were
 * changed at random until one showed: many of them make no sense to a person.
 *
 * A file has a command line, `⏎` for a newline, and below it, indented, what `verdictText` says.
 */
import { describe, it } from "vitest";
import { expectRecorded, recordsIn } from "./support/recorded.ts";
import { verdictText } from "./support/verdict-text.ts";

const FOLDER = new URL("verdicts/", import.meta.url);

describe("a recorded verdict", () => {
  it.each(recordsIn(FOLDER))("still holds: %s", async (name) => {
    await expectRecorded(FOLDER, name, (line) => [verdictText(line)]);
  });
});
