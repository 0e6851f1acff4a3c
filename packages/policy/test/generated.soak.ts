/** Twenty thousand mutated command lines, and five thousand each of random syntax and of commands inside of expansions, with real bash as the judge; run with `vitest run --mode soak`. */
import { describe, expect, it } from "vitest";
import { generateExpansions } from "./support/expansion-generator.ts";
import { generateLines } from "./support/generator.ts";
import { judgeGenerated } from "./support/judge-generated.ts";
import { scratchFolder } from "./support/scratch.ts";
import { generateSyntax } from "./support/syntax-generator.ts";

const folder = scratchFolder();
const LINES = 20_000;
const SYNTAX_LINES = 5_000;
/** Lines of one round: folders and logs of a round are on the disk at the same time. */
const ROUND = 500;

describe("many generated lines", () => {
  it.each(Array.from({ length: LINES / ROUND }, (_, round) => round))(
    "of round %i execute nothing that was not found, and are read-only only when they change nothing",
    (round) => {
      const found = judgeGenerated(generateLines(ROUND, round + 1), folder, ROUND);

      expect(found.unpredicted).toEqual([]);
      expect(found.wronglyReadOnly).toEqual([]);
      expect(found.readonly).toBeGreaterThan(0);
    },
  );
});

describe("many lines of random syntax", () => {
  it.each(Array.from({ length: SYNTAX_LINES / ROUND }, (_, round) => round))(
    "of round %i execute nothing that was not found, and are read-only only when they change nothing",
    (round) => {
      const found = judgeGenerated(generateSyntax(ROUND, round + 1), folder, ROUND);

      expect(found.unpredicted).toEqual([]);
      expect(found.wronglyReadOnly).toEqual([]);
      expect(found.executed).toBeGreaterThan(0);
    },
  );
});

describe("many lines with commands deep inside of expansions", () => {
  it.each(Array.from({ length: SYNTAX_LINES / ROUND }, (_, round) => round))(
    "of round %i execute nothing that was not found",
    (round) => {
      const found = judgeGenerated(generateExpansions(ROUND, round + 1), folder, ROUND);

      expect(found.unpredicted).toEqual([]);
      expect(found.wronglyReadOnly).toEqual([]);
      expect(found.executed).toBeGreaterThan(0);
    },
  );
});
