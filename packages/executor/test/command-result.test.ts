/** The result of a run: how each end reads, and which facts are in it. */
import { describe, expect, it } from "vitest";
import { countLines, lostResult, neverStarted, settledResult, unresponsiveResult } from "../src/command-result.ts";
import type { RunResult } from "../src/natives-port.ts";
import { ended } from "./support/fake-natives.ts";

const WANTED = { program: "sudo", pid: 7, ended: true } as NonNullable<RunResult["inputWanted"]>;
const OPTIONAL = [
  "timedOut",
  "exitCode",
  "signal",
  "workingDir",
  "sessionReset",
  "lostWithShell",
  "survivors",
  "sandbox",
  "readOnly",
  "limitsMet",
  "notices",
  "masked",
  "lateOutputBytes",
  "inputWanted",
  "usage",
] as const;

describe("a run that has ended", () => {
  it.each<[string, Partial<RunResult>, number, string]>([
    ["by itself", {}, 1_000, "text\n"],
    ["at its deadline", { timedOut: true, cancelled: true }, 300_000, "[Command timed out after 300 seconds]\ntext\n"],
    ["after one second", { timedOut: true }, 1_000, "[Command timed out after 1 second]\ntext\n"],
    ["after a part of a second", { timedOut: true }, 1_500, "[Command timed out after 1.5 seconds]\ntext\n"],
    ["by a cancellation", { cancelled: true }, 1_000, "[Command cancelled]\ntext\n"],
    ["by its place", { cancelled: true, endedByPlace: "node lost" }, 1_000, "[node lost]\ntext\n"],
    [
      "for want of a person",
      { cancelled: true, inputWanted: WANTED, wallTimeMs: 2_340 },
      1_000,
      "[Ended after 2.3 s: `sudo` (pid 7) waits for a person's input and this call has no terminal, so it has no one to answer.]\ntext\n",
    ],
    ["while a program that waited went on", { inputWanted: { ...WANTED, ended: false } }, 1_000, "text\n"],
  ])("%s says so before its text", (_, end, timeoutMs, output) => {
    expect(settledResult(ended({ text: "text\n" }, end), timeoutMs).output).toBe(output);
  });

  it("without a text is its annotation alone", () => {
    expect(settledResult(ended({}, { cancelled: true }), 1_000).output).toBe("[Command cancelled]");
    expect(settledResult(ended(), 1_000).output).toBe("");
  });

  it.each([
    ["neither stopped nor timed out", {}, { exitCode: 3, signal: "SIGINT", cancelled: false }],
    ["cancelled", { cancelled: true }, { cancelled: true }],
    ["timed out", { timedOut: true }, { cancelled: true, timedOut: true }],
  ])("has an exit code and a signal only where it was %s", (_, end, facts) => {
    const result = settledResult(ended({}, { exitCode: 3, signal: "SIGINT", ...end }), 1_000);
    const { exitCode, signal, cancelled, timedOut } = result;

    expect(JSON.parse(JSON.stringify({ exitCode, signal, cancelled, timedOut }))).toEqual(facts);
  });

  it("has every fact that the core reports, and none that it does not", () => {
    const survivor = { pid: 9, command: "daemon" } as RunResult["survivors"][number];
    const full = settledResult(
      ended(
        { text: "a\nb\n", lateOutputBytes: 5, masked: { count: 2, names: ["KEY"] } },
        {
          wallTimeMs: 12.6,
          workingDir: "/w",
          sessionReset: true,
          lostWithShell: ["jobs"],
          survivors: [survivor],
          limitsMet: ["memory"],
          placeNotice: "it was away",
        },
      ),
      1_000,
    );
    expect(full).toMatchObject({
      wallTimeMs: 13,
      workingDir: "/w",
      sessionReset: true,
      lostWithShell: ["jobs"],
      survivors: [survivor],
      limitsMet: ["memory"],
      notices: [{ kind: "place", text: "it was away" }],
      lateOutputBytes: 5,
      masked: { count: 2, names: ["KEY"] },
      totalLines: 2,
      totalBytes: 4,
      shownRange: { startLine: 1, endLine: 2 },
    });

    const plain = settledResult(ended({}, { exitCode: undefined } as never), 1_000);
    expect(OPTIONAL.filter((name) => name in plain)).toEqual([]);
  });
});

describe("a run whose end is not known", () => {
  const seen = { tail: "é\nend", bytes: 6, lines: 2 };
  const counts = { totalBytes: 6, totalLines: 2, outputBytes: 6, outputLines: 2, cancelled: true, sessionReset: true };

  it.each([
    ["deadline", "[Command timed out after 2 seconds; the shell backend did not respond, ", true],
    ["cancelled", "[Command cancelled; the shell backend did not respond, ", undefined],
  ] as const)("after its %s has the text that was last seen, and loses its session", (reason, begin, timedOut) => {
    const result = unresponsiveResult(reason, seen, { timeoutMs: 2_000, wallTimeMs: 7_000.4 });

    expect(result).toMatchObject({ ...counts, truncated: false, wallTimeMs: 7_000 });
    expect(result.output.startsWith(begin)).toBe(true);
    expect(result.output.endsWith("may be incomplete]\né\nend")).toBe(true);
    expect(result.timedOut).toBe(timedOut);
    expect(result).not.toHaveProperty("lost");
  });

  it("on a place says why, and is lost", () => {
    expect(lostResult("cut off", seen, 1.5)).toEqual({
      ...counts,
      output: "[cut off]\né\nend",
      lost: true,
      truncated: false,
      wallTimeMs: 2,
    });
  });

  it("is truncated where more was written than was last seen", () => {
    const more = { ...seen, bytes: 7 };

    expect(lostResult("cut off", more, 1).truncated).toBe(true);
    expect(unresponsiveResult("cancelled", more, { timeoutMs: 1, wallTimeMs: 1 }).truncated).toBe(true);
  });
});

it("a run that was never started is cancelled and has nothing", () => {
  expect(neverStarted()).toEqual({
    output: "[Command cancelled]",
    cancelled: true,
    truncated: false,
    totalLines: 0,
    totalBytes: 0,
    outputLines: 0,
    outputBytes: 0,
  });
});

it.each([
  ["", 0],
  ["a", 1],
  ["a\n", 1],
  ["\n", 1],
  ["a\nb", 2],
  ["a\n\n", 2],
])("%j has lines with a last one that is not ended: %i", (text, lines) => {
  expect(countLines(text)).toBe(lines);
});
