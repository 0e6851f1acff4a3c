/**
 * The text of an answer at its limits: whatever there is to say, it fits, and the status stands last.
 */
import { DEFAULT_MAX_BYTES, Settings } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { describe, expect, it } from "vitest";
import { describeResult, type FinishedRun } from "../src/describe-result.ts";
import { clampTimeout } from "../src/timeout.ts";
import { ToolError } from "../src/tool-error.ts";

const LONG = "ä ".repeat(500);

/** A run with everything to say that there is, each as long as can be. */
function loadedRun(result: Partial<FinishedRun["result"]>): FinishedRun {
  return {
    backend: "executor",
    keptNotice: "`| tail -3` read 5000 lines (23.3KB), kept in artifact://abc",
    call: {
      original: "x",
      command: "x",
      env: {},
      cwd: "/",
      timeout: clampTimeout(99_999),
      hasOwnFolder: false,
      mayOverlap: false,
      reading: undefined,
      judge: () => Promise.reject(new Error("not judged again")),
      isAsync: false,
      wantsPty: false,
      settings: Settings.parse({}),
      applied: [],
      rewriteNotices: [],
    },
    result: {
      output: "é".repeat(DEFAULT_MAX_BYTES / 2),
      cancelled: false,
      truncated: true,
      totalLines: 9_999_999,
      totalBytes: 99_999_999_999,
      outputLines: 1,
      outputBytes: DEFAULT_MAX_BYTES,
      shownRange: { startLine: 9_999_998, endLine: 9_999_999 },
      artifactError: LONG,
      survivors: Array.from({ length: 50 }, (_, at) => ({ pid: 4_000_000 + at, command: LONG, startedAtMs: 1 })),
      sessionReset: true,
      workingDir: `/${LONG}`,
      withheldNames: Array.from({ length: 50 }, () => "A".repeat(200)),
      notices: [{ kind: "snapshot", text: LONG }],
      wallTimeMs: 1_234,
      ...result,
    },
  };
}

describe("an answer with much to say", () => {
  it("fits the inline budget and ends in the status", () => {
    const answer = describeResult(loadedRun({ exitCode: 9 }), undefined);

    const text = answer.content[0]?.text ?? "";
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES);
    expect(text).toMatch(/\nWall time: 1\.23 seconds\nTimeout clamped to 3600s .*\nCommand exited with code 9$/);
    expect(text).not.toContain("\uFFFD");
    expect(text.indexOf("kept in artifact")).toBeLessThan(text.indexOf("[Showing lines 9999998-9999999"));
    expect(text.indexOf("[Showing lines")).toBeLessThan(text.indexOf("Still running: "));
    expect(text.indexOf("Still running: ")).toBeLessThan(text.indexOf("The shell was replaced"));
  });

  it("keeps the line that says how it was stopped", () => {
    const output = `[Command timed out after 3600 seconds]\n${"x".repeat(DEFAULT_MAX_BYTES)}`;
    const run = loadedRun({
      output,
      cancelled: true,
      timedOut: true,
      notices: [],
      withheldNames: [],
      artifactError: "x",
    });

    expect(() => describeResult(run, undefined)).toThrow(ToolError);
    expect(() => describeResult(run, undefined)).toThrow(/^\[Command timed out after 3600 seconds\]\n/);
  });
});

it("names the limits that were met", () => {
  const run = loadedRun({ exitCode: 137, limitsMet: ["memory", "processes"] });

  const text = describeResult(run, undefined).content[0]?.text ?? "";

  expect(text).toMatch(/^killed: memory limit$/m);
  expect(text).toMatch(/^refused: processes limit$/m);
});
