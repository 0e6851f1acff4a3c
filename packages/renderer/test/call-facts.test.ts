/** What is drawn of a call besides its command and its output: what it is for, where it went, why it was blocked. */
import type { BashDetails } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import type { CallAnswer } from "../src/call-state.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { type CallView, renderBashCall } from "../src/tool-call.ts";
import { withoutGutter } from "./gutter.ts";
import { expectFitting } from "./rows-fit.ts";

function draw(call: CallView, answer?: CallAnswer, options: { width?: number } = {}): string[] {
  return withoutGutter(renderBashCall(call, answer, { width: 80, theme: PLAIN_THEME, ...options }));
}

function answer(text: string, details: BashDetails = {}, isError = false): CallAnswer {
  return { content: [{ type: "text", text }], details, isError };
}

describe("a call", () => {
  it("is followed by what the call says it does, and by `Running` for as long as it runs", () => {
    const args = { command: "npm run build", description: "Build the\n project" };

    expect(draw({ args })).toEqual(["▸ $ npm run build", "Running: Build the project"]);
    expect(draw({ args }, { ...answer("tsc"), isPartial: true })[1]).toBe("Running: Build the project");
    expect(draw({ args }, answer("done"))[1]).toBe("Build the project");
    expect(draw({ argsText: '{"command":"npm run build","description":"Build' })[1]).toBe("Build");
    expect(draw({ args: { ...args, description: " " } })).toEqual(["▸ $ npm run build"]);
  });

  it("that went to the background says as what it goes on, with its output so far and where the rest is", () => {
    const details = { artifactId: "k3f9", async: { state: "running", jobId: "bg_1", type: "bash" } } as const;
    const args = { command: "npm test", description: "Run tests" };

    const started = "Background job bg_1 started: npm test\nIts result is delivered when it ends";
    expect(draw({ args }, answer(started, details), { width: 50 })).toEqual([
      "↗ $ npm test",
      "Run tests",
      "goes on as bg_1 · artifact k3f9",
    ]);
    expect(draw({ args }, answer(`one\ntwo\n\n${started}`, details)).slice(2, -1)).toEqual(["one", "two"]);
    expect(draw({ args }, answer("x", details)).slice(2, -1)).toEqual(["x"]);
    expectFitting(renderBashCall({ args }, answer("x", details), { width: 7 }), 7, "narrow");
  });

  it("that was blocked says why, and that it did not run", () => {
    const refusal = "Command contains blocked pattern: git push --force";

    const rows = draw({ args: { command: "git push --force" } }, answer(refusal, { suggestedTool: "x" }, true));

    expect(rows).toEqual(["⊘ $ git push --force", `! ${refusal}`, "not run"]);
    const better = "Blocked: Use the `read` tool instead.\nIt is better.\n\nOriginal command: cat x";
    expect(draw({ args: { command: "cat x" } }, answer(better, { suggestedTool: "read" }, true))).toEqual([
      "⊘ $ cat x",
      "! Use the `read` tool instead.",
      "It is better.",
      "not run",
    ]);
  });

  it("that ran read-only says so in its footer, with what was refused and what was approved", () => {
    const held = { enforced: true as const, degraded: [], stateDropped: false, refusals: [] };
    const refusals = [{ kind: "read-only-path" as const, evidence: "x: Permission denied" }];
    const footer = (readOnly: NonNullable<BashDetails["readOnly"]>) =>
      draw({ args: { command: "git status" } }, answer("x", { wallTimeMs: 10, readOnly })).at(-1);

    expect(footer(held)).toBe("0.01s · read-only");
    expect(footer({ ...held, refusals })).toBe("0.01s · read-only, 1 refused");
    expect(footer({ ...held, refusals, answer: "approved" })).toBe("0.01s · read-only first, then approved");
    expect(footer({ enforced: false, reason: "no Landlock" })).toBe("0.01s");
  });

  it("that ran on another machine says on which, and where its end is not known", () => {
    const footer = (details: BashDetails) => draw({ args: { command: "make" } }, answer("x", details)).at(-1);

    expect(footer({ place: "ssh:build7", wallTimeMs: 10 })).toBe("on ssh:build7 · 0.01s");
    expect(footer({ place: "ssh:a\u001b[2Jb", lost: true })).toBe("on ssh:a\\u{1b}[2Jb, connection lost");
  });
});
