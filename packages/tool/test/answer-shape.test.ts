/**
 * The form of an answer: one block of text, no cap on lines, what an update says about a job, and what became of a call
 * that someone else ended (seeds 000 section "Result shaping", 001 "Outputs").
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BashToolUpdate } from "@pi-bash/contract";
import { createConsole } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { ToolError } from "../src/tool-error.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

describe("the form of an answer", () => {
  it("is a single block of text", async () => {
    const result = await scene().bash({ command: "echo a; echo b >&2; (exit 2)" });

    expect(result.content).toHaveLength(1);
    expect(result.content[0]?.type).toBe("text");
  });

  it("has no bound on lines, only on bytes", async () => {
    const result = await scene().bash({ command: "seq 1 9000" });

    expect(textOf(result).split("\n\nWall")[0]?.split("\n")).toHaveLength(9_000);
    expect(result.details).not.toHaveProperty("meta");
  });

  it("is a failure, not an abort, where someone else ended the command", async () => {
    const { bash, folder, session } = scene();
    const call = thrown(bash({ command: "echo before; touch begun; sleep 300" }));
    await until(() => existsSync(join(folder, "begun")), "the command runs");

    await session.executor.closeSession("agent-1");

    const error = await call;
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^\[Command cancelled\]\nbefore\n\n/);
  });

  it("is text also where every port of the context is missing", async () => {
    const { session } = scene();

    const result = await createBashTool(session).execute("1", { command: "echo x" }, undefined, undefined, undefined);

    expect(textOf(result)).toMatch(/^x\n/);
  });
});

describe("the updates of a call", () => {
  it("name no job before there is one, and its state from then on", async () => {
    const settings = { "bash.autoBackground.enabled": true, "bash.autoBackground.thresholdMs": 400 };
    const { bash, folder } = scene(settings, { asyncJobManager: await jobs() });
    const updates: BashToolUpdate[] = [];

    const result = await bash(
      { command: "echo early; until [ -e go ]; do sleep 0.02; done; echo late; exit 3" },
      { updates },
    );
    const before = updates.length;
    expect(updates.every(({ details }) => details?.async === undefined)).toBe(true);
    expect(result.details?.async).toEqual({ state: "running", jobId: "bg_1", type: "bash" });
    writeFileSync(join(folder, "go"), "");

    const last = (): BashToolUpdate | undefined => updates.at(-1);
    await until(() => last()?.details?.async?.state === "failed", "the end");
    expect(updates.slice(before).every(({ details }) => details?.async?.jobId === "bg_1")).toBe(true);
    expect(textOf(last() ?? { content: [] })).toMatch(/^early\nlate\n(.|\n)*Command exited with code 3$/);
  });

  it("are none on the console, which its window shows", async () => {
    const { bash } = scene({}, { pty: createConsole() });
    const updates: BashToolUpdate[] = [];

    const result = await bash(
      { command: "echo one; sleep 0.3; echo two", pty: true },
      { updates, context: { hasUI: true, ui: {} } },
    );

    expect(textOf(result)).toMatch(/^one\ntwo\n/);
    expect(updates).toEqual([]);
  });
});
