/**
 * What the policy says of some thousand lines, on record:
 *
 * - `verdicts`: the whole verdict, in a few settings
 * - `readings`: what a line is taken to mean before it is judged; a verdict rarely shows that a value, a folder or a text
 *   was worked out wrongly
 * - `rules`: what rules of all kinds make of it
 * - `decisions`: what becomes of it by mode, rules, and what holds it
 * - `places`: what is found in it in folders, homes and workspaces of all kinds
 *
 * Whoever changes the policy sees here which lines it takes otherwise. `npx vitest run
 * packages/policy/test/recorded.test.ts -u` writes the files again (in front of the file `-u` takes it for its value, and
 * every test runs); each line that changed is then a decision to look at, and to name in the commit.
 *
 * Most lines are those of other tests, chosen so that small changes of the policy show. For `generated.txt` they were
 * changed at random until one showed: many of them make no sense to a person.
 *
 * A file has a command line, `⏎` for a newline, and below it, indented, what is on record.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decisionText } from "./support/decision-text.ts";
import { placeText } from "./support/place-text.ts";
import { readingText } from "./support/reading-text.ts";
import { ruleText } from "./support/rule-text.ts";
import { verdictText } from "./support/verdict-text.ts";

const INDENT = "    ";

const KINDS: readonly (readonly [string, (line: string) => readonly string[]])[] = [
  ["verdicts", (line) => [verdictText(line)]],
  ["readings", readingText],
  ["rules", ruleText],
  ["decisions", decisionText],
  ["places", placeText],
];

function linesOf(recorded: string): readonly string[] {
  return recorded.split("\n").filter((row) => row !== "" && !row.startsWith(INDENT));
}

describe.each(KINDS)("what is on record of %s", (kind, rowsOf) => {
  const folder = new URL(`recorded/${kind}/`, import.meta.url);

  it.each(readdirSync(folder).toSorted())("still holds: %s", async (name) => {
    const path = fileURLToPath(new URL(name, folder));
    const lines = linesOf(readFileSync(path, "utf8"));
    const rows = lines.flatMap((line) => [line, ...rowsOf(line.replaceAll("⏎", "\n")).map((row) => INDENT + row)]);

    expect(lines.length).toBeGreaterThan(0);
    await expect(rows.map((row) => `${row}\n`).join("")).toMatchFileSnapshot(path);
  });
});
