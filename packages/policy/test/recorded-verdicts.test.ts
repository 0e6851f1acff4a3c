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
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verdictText } from "./support/verdict-text.ts";

const FOLDER = new URL("verdicts/", import.meta.url);
const NAMES = readdirSync(FOLDER).toSorted();

function linesOf(recorded: string): readonly string[] {
  return recorded.split("\n").filter((row) => row !== "" && !row.startsWith("    "));
}

function record(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n    ${verdictText(line.replaceAll("⏎", "\n"))}\n`).join("");
}

describe("a recorded verdict", () => {
  it.each(NAMES)("still holds: %s", async (name) => {
    const path = fileURLToPath(new URL(name, FOLDER));
    const lines = linesOf(readFileSync(path, "utf8"));

    expect(lines.length).toBeGreaterThan(0);
    await expect(record(lines)).toMatchFileSnapshot(path);
  });
});
