/** Outcomes and results: each states one truth, and survives the way through JSON. */
import { describe, expect, it } from "vitest";
import { BashResult, BashToolResult, ExitOutcome, type StopReason } from "../src/index.ts";

/** Has no default case: a new kind of outcome must fail to compile here. */
function headline(outcome: ExitOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `exit ${outcome.code}`;
    case "signaled":
      return `killed by ${outcome.signal}`;
    case "stopped":
      return outcome.reason satisfies StopReason;
  }
}

describe("exit outcome", () => {
  it("is exactly one of exited, signaled and stopped", () => {
    const outcomes = [
      { kind: "exited", code: 3 },
      { kind: "signaled", signal: "SIGKILL" },
      { kind: "stopped", reason: "deadline" },
    ];

    expect(outcomes.map((outcome) => headline(ExitOutcome.parse(outcome)))).toEqual([
      "exit 3",
      "killed by SIGKILL",
      "deadline",
    ]);
  });

  it("has no code outside of what a shell can return", () => {
    expect(ExitOutcome.safeParse({ kind: "exited", code: 256 }).success).toBe(false);
    expect(ExitOutcome.safeParse({ kind: "exited", code: -1 }).success).toBe(false);
  });
});

describe("results", () => {
  it("come through JSON unchanged, absent fields included", () => {
    const result: BashResult = {
      output: "done\n",
      exitCode: 0,
      cancelled: false,
      truncated: true,
      totalLines: 9_000,
      totalBytes: 900_000,
      outputLines: 1,
      outputBytes: 5,
      shownRange: { startLine: 9_000, endLine: 9_000 },
      artifactId: "3",
      survivors: [{ pid: 42, command: "vite dev", startedAtMs: 1_700_000_000_000 }],
      wallTimeMs: 12.5,
    };

    expect(BashResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it("of a tool call carry text for the model and the same facts as data", () => {
    const result: BashToolResult = {
      content: [{ type: "text", text: "oops\n\nCommand exited with code 2" }],
      details: { timeoutSeconds: 300, exitCode: 2, wallTimeMs: 3 },
      isError: true,
    };

    expect(BashToolResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });
});
