/** Lines that a filter wants are the same whether a block is looked at as a whole or line by line, and plain or made plain. */
import { describe, expect, it } from "vitest";
import { linePattern } from "../src/artifacts/line-pattern.ts";
import { type LogFilter, logFilter } from "../src/jobs/log-reader.ts";
import { wantedLines } from "../src/jobs/wanted-lines.ts";

const PATTERNS = [
  "ERROR",
  "^ERROR",
  "ERROR$",
  "^$",
  "\\AERROR",
  "ERROR\\z",
  "(?-m)^ERROR$",
  "(?i)error|x",
  "\\bERR",
  "[^a]b",
  "a.b",
  "(a+)+$",
];
const PIECES = ["ERROR", "error", "a", "b", " ", "\t", "é", "\u001b[31m", "\u001b[0m", "\r", "\0", "\u007f", "~", "😀"];

/** A filter that is never asked about a whole block. */
function oneByOne(pattern: string, isExcluding: boolean): LogFilter {
  return { ...logFilter(pattern, isExcluding), mayBeIn: () => true };
}

/** Lines of pieces, by a generator that gives the same ones each time. */
function linesFrom(seed: number, pieces: readonly string[]): string {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const line = (): string => Array.from({ length: next(6) }, () => pieces[next(pieces.length)]).join("");
  return Array.from({ length: 1 + next(5) }, line).join("\n");
}

describe("the lines that a filter wants", () => {
  it.each(PATTERNS)("with /%s/ are those of each line by itself", async (pattern) => {
    const texts = Array.from({ length: 200 }, (_, seed) =>
      linesFrom(seed, seed % 2 === 0 ? PIECES : PIECES.slice(0, 6)),
    );
    let found = 0;
    for (const text of texts) {
      for (const isExcluding of [false, true]) {
        const raw = Buffer.from(text);
        const all = await wantedLines(raw, logFilter(pattern, isExcluding));
        expect(all, JSON.stringify(text)).toEqual(await wantedLines(raw, oneByOne(pattern, isExcluding)));
        if (!isExcluding) found += all.wanted.length;
      }
    }
    expect(found).toBeGreaterThan(0);
  });

  it("are read wherever a block begins in memory, with every character that is not plain", async () => {
    const memory = Buffer.alloc(64);
    for (let ahead = 0; ahead < 4; ahead += 1) {
      for (let code = 0; code < 256; code += 1) {
        for (let at = 0; at < 7; at += 1) {
          const block = memory.subarray(ahead, ahead + 12);
          block.write("abcdefg\nhij\n", "latin1");
          block[at] = code;
          const { count, wanted } = await wantedLines(block, logFilter("", false));
          const isPlain = code === 9 || code === 10 || (code >= 32 && code < 127);
          expect(count).toBe(code === 10 ? 3 : 2);
          if (isPlain) expect(wanted.map(({ text }) => text).join("\n")).toBe(block.toString("latin1", 0, 11));
          else expect(wanted.map(({ text }) => text).join("")).not.toContain(String.fromCharCode(code));
        }
      }
    }
  });

  it("are not looked for one by one in a block that has none", () => {
    for (const pattern of ["ERROR", "ERR[A-Z]+", "^ERROR$"])
      expect(linePattern(pattern).mayBeIn("fine\nfine\n")).toBe(false);
  });
});
