/** Generated command lines, with real bash as the judge. `generated.soak.ts` does the same with many more. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { runForReal } from "./support/bash-judge.ts";
import { ACTING_LINES, READING_LINES } from "./support/corpus.ts";
import { generateExpansions } from "./support/expansion-generator.ts";
import { generateLines } from "./support/generator.ts";
import { judgeGenerated } from "./support/judge-generated.ts";
import { scratchFolder } from "./support/scratch.ts";
import { generateSyntax } from "./support/syntax-generator.ts";

const folder = scratchFolder();

describe("the corpus", () => {
  it.each(READING_LINES)("is read-only: %s", (line) => {
    expect(classify(line)).toMatchObject({ class: "readonly", findings: [] });
  });

  it.each(ACTING_LINES)("is not read-only: %s", (line) => {
    expect(classify(line).class).toBe("not-readonly");
  });

  // The judge needs GNU `timeout`, and the corpus GNU `find`, `sort` and `sed`.
  it.skipIf(process.platform !== "linux")("tells true and false apart: what acts does act, what reads does not", () => {
    const acting = runForReal(ACTING_LINES, `${folder}/acting`);
    const reading = runForReal(READING_LINES, `${folder}/reading`);

    // An alias and a trap of `touch` act later or elsewhere.
    expect(acting.filter(({ changed }) => !changed).map(({ line }) => line)).toEqual(["alias t='touch PWNED'"]);
    expect(reading.filter(({ changed }) => changed)).toEqual([]);
  });
});

describe("generated lines", () => {
  // As above.
  it.skipIf(process.platform !== "linux")(
    "execute nothing that was not found, and are read-only only when they change nothing",
    () => {
      const lines = generateLines(300, 20_260);

      const found = judgeGenerated(lines, folder, 40);

      expect(found.unpredicted).toEqual([]);
      expect(found.wronglyReadOnly).toEqual([]);
      // The judge must have had something to judge.
      expect(found.understood).toBeGreaterThan(200);
      expect(found.readonly).toBeGreaterThan(25);
      expect(found.executed).toBeGreaterThan(300);
    },
  );
});

describe("lines of random syntax", () => {
  // As above.
  it.skipIf(process.platform !== "linux")("execute nothing that was not found", () => {
    const found = judgeGenerated(generateSyntax(150, 20_261), folder, 20);

    expect(found.unpredicted).toEqual([]);
    expect(found.wronglyReadOnly).toEqual([]);
    expect(found.executed).toBeGreaterThan(50);
  });
});

describe("lines with commands deep inside of expansions", () => {
  // As above.
  it.skipIf(process.platform !== "linux")("execute nothing that was not found", () => {
    const found = judgeGenerated(generateExpansions(600, 20_261), folder, 40);

    expect(found.unpredicted).toEqual([]);
    expect(found.wronglyReadOnly).toEqual([]);
    expect(found.understood).toBeGreaterThan(200);
    expect(found.executed).toBeGreaterThan(400);
  });
});
