/** What `npm run mutants` does by itself: the draw, its allowance, the lines of a change, the reports of both tools. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { changedLines, isChanged } from "../../scripts/mutants/changed.mjs";
import { mutantKey } from "../../scripts/mutants/checker.mjs";
import { holds, linesOfOtherSystems } from "../../scripts/mutants/other-systems.mjs";
import { outcomes } from "../../scripts/mutants/rust.mjs";
import { allowed, draw } from "../../scripts/mutants/sample.mjs";
import { TARGETS, targetOf } from "../../scripts/mutants/targets.mjs";
import { listTypescript, verdicts } from "../../scripts/mutants/typescript.mjs";

const items = Array.from({ length: 1_000 }, (_, at) => `item ${at}`);
const drawnBy = (seed: string, count: number): string[] => draw(items, (item) => item, { seed, count });

describe("a draw of mutants", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    expect(drawnBy("one", 20)).toEqual(drawnBy("one", 20));
    expect(drawnBy("one", 20)).not.toEqual(drawnBy("two", 20));
  });

  it("is the beginning of a larger draw by the same seed, and never has one twice", () => {
    expect(drawnBy("one", 300).slice(0, 20)).toEqual(drawnBy("one", 20));
    expect(new Set(drawnBy("one", 5_000)).size).toBe(items.length);
  });
});

describe("the floor", () => {
  it("holds to the letter from 300 judged mutants on", () => {
    expect(allowed(300, 0.1)).toBe(30);
    expect(allowed(599, 0.1)).toBe(59);
  });

  // Quantiles of the binomial distribution, as `qbinom(0.99, n, p)` of R has them.
  it.each([
    [12, 0.1, 4],
    [20, 0.3, 11],
    [100, 0.1, 18],
    [1, 0.1, 1],
    [0, 0.1, 0],
  ])("allows %i mutants at a share of %f what chance alone may give: %i", (judged, share, most) => {
    expect(allowed(judged, share)).toBe(most);
  });

  it("is given for the parts that hold a command, and may only be a share", () => {
    expect(TARGETS.map(({ name }) => name)).toEqual(["pi-shell", "pi-supervisor", "policy", "executor", "tool"]);
    for (const { survivors } of TARGETS) expect(survivors > 0 && survivors < 0.5).toBe(true);
    expect(targetOf("packages/policy").name).toBe("policy");
    expect(() => targetOf("renderer")).toThrow("`renderer` is not a target; choose from pi-shell,");
  });
});

describe("code for other systems", () => {
  it.each([
    ["windows", false],
    ["unix", true],
    ["not(windows)", true],
    ['target_os = "macos"', false],
    ['not(target_os = "linux")', false],
    ['any(windows, target_os = "linux")', true],
    ['all(unix, not(any(target_os = "linux", target_os = "android")))', false],
    ['target_arch = "aarch64"', true],
    ["test", true],
  ])("is what `cfg(%s)` says: compiled on Linux: %s", (predicate, is) => {
    expect(holds(predicate)).toBe(is);
  });

  it("is found by the attribute, up to the end of its item", () => {
    const source = [
      "#[cfg(windows)]",
      "const A: u8 =",
      "    1;",
      "fn b() {",
      "    #[cfg(not(unix))]",
      "    {",
      "        c();",
      "    }",
      "    d();",
      "}",
      "#[cfg(windows)]",
      "#[must_use]",
      "fn e(",
      "    f: u8,",
      ") -> u8 {",
      "    f",
      "}",
      "#[cfg(unix)]",
      "fn g() {}",
      "#[cfg(windows)]",
      "fn h() {}",
      "fn i() {}",
    ].join("\n");

    expect(linesOfOtherSystems(source)).toEqual([
      { first: 1, last: 3 },
      { first: 5, last: 8 },
      { first: 11, last: 17 },
      { first: 20, last: 21 },
    ]);
  });
});

describe("the lines of a change", () => {
  const diff = [
    "diff --git a/src/a.ts b/src/a.ts",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -3 +3,2 @@ function f() {",
    "@@ -9,2 +10,0 @@",
    "@@ -20,0 +20 @@",
    "--- a/gone.ts",
    "+++ /dev/null",
    "@@ -1,5 +0,0 @@",
  ].join("\n");

  it("are read from a diff without context; lines that are gone have none", () => {
    expect([...changedLines(diff)]).toEqual([
      [
        "src/a.ts",
        [
          [3, 4],
          [20, 20],
        ],
      ],
    ]);
  });

  it("concern what touches them", () => {
    const changed = changedLines(diff);
    const at = (first: number, last: number): boolean => isChanged(changed, { file: "src/a.ts", first, last });

    expect([at(1, 2), at(1, 3), at(4, 9), at(5, 19), at(15, 30)]).toEqual([false, true, true, false, true]);
    expect(isChanged(changed, { file: "src/b.ts", first: 3, last: 3 })).toBe(false);
  });
});

describe("the reports", () => {
  it("of Stryker are read by place and replacement; what no test reaches survived", () => {
    const at = { start: { line: 5, column: 3 }, end: { line: 5, column: 9 } };
    const of = (replacement: string, status: string) => ({ location: at, mutatorName: "M", replacement, status });
    const statuses = ["Killed", "Timeout", "Survived", "NoCoverage", "Ignored", "CompileError", "RuntimeError"];
    const found = verdicts({ files: { "a.ts": { mutants: statuses.map((status) => of(status, status)) } } });
    const location = { start: { line: 4, column: 2 }, end: { line: 4, column: 8 } };
    const verdict = (replacement: string) => found.get(mutantKey("a.ts", { location, mutatorName: "M", replacement }));

    expect(statuses.map(verdict)).toEqual([
      ...["noticed", "noticed", "survived", "survived"],
      ...["not judged", "not judged", "not judged"],
    ]);
  });

  it("of cargo-mutants are read by name, without the build that has no mutant", () => {
    const of = (name: string, summary: string) => ({ scenario: { Mutant: { name } }, summary });
    const report = [
      { scenario: "Baseline", summary: "Success" },
      of("a", "CaughtMutant"),
      of("b", "MissedMutant"),
      of("c", "Timeout"),
      of("d", "Unviable"),
    ];

    expect([...outcomes(JSON.stringify({ outcomes: report }))]).toEqual([
      ["a", "noticed"],
      ["b", "survived"],
      ["c", "noticed"],
      ["d", "not judged"],
    ]);
  });
});

describe("the list of a package's mutants", () => {
  it("names file, line and both texts, each mutant once", async () => {
    const all = await listTypescript({
      name: "terminal",
      tool: "stryker",
      folder: "packages/terminal",
      survivors: 0.3,
    });
    const keys = all.map(({ key }: { key: string }) => key);
    const one = all.find(({ file }: { file: string }) => file === "packages/terminal/src/waiting.ts");
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const lines = readFileSync(`${root}packages/terminal/src/waiting.ts`, "utf8").split("\n");

    expect(all.length).toBeGreaterThan(300);
    expect(new Set(keys).size).toBe(keys.length);
    if (one === undefined) throw new Error("no mutant of that file");
    expect(one.name).toMatch(/^packages\/terminal\/src\/waiting\.ts:\d+:\d+: ".*" becomes ".*"$/);
    expect(lines[one.first - 1]).toContain(JSON.parse(/: (".*") becomes/.exec(one.name)?.[1] ?? '""').slice(0, 10));
  });
});
