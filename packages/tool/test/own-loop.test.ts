/** A loop of a host's own: it compiles without a cast, and no tool tells it anything after its answer. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BashToolUpdate } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { type AnyTool, toolsForModel } from "../src/tasks/task-tools.ts";
import { jobs, scene, until } from "./support/session.ts";

/** What a model has asked for. */
interface Call {
  name: string;
  input: unknown;
}

/** The loop's one step: what goes back to the model. */
async function step(tools: readonly AnyTool[], call: Call, onUpdate: (update: BashToolUpdate) => void) {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) throw new Error(`no tool ${call.name}`);
  const { content, isError = false, details } = await tool.execute("id", call.input, undefined, onUpdate);
  const blocks: { type: "text"; text: string }[] = content;
  const facts: object | undefined = details;
  return { blocks, isError, facts };
}

async function agent() {
  const asyncJobManager = await jobs();
  const { session, folder } = scene({}, { asyncJobManager });
  return { tools: [createBashTool(session), ...toolsForModel(session)], folder, asyncJobManager };
}

const WAITS = "echo begun; until [ -e go ]; do sleep 0.02; done; echo done";
const background = { kind: "bash", timeout_secs: 60, display_name: "x", run_in_background: true };

describe("a loop of a host's own", () => {
  it("takes updates and answers of any tool as they are", async () => {
    const { tools } = await agent();
    const seen: string[] = [];

    const { blocks, isError } = await step(tools, { name: "bash", input: { command: "echo out; exit 3" } }, (update) =>
      seen.push(...update.content.map(({ text }) => text)),
    );

    expect(blocks[0]?.text).toMatch(/^out\n/);
    expect(isError).toBe(true);
    expect(seen.join("")).toContain("out");
  });

  it("hears nothing of a task after the answer to the call that started it", async () => {
    const { tools, folder, asyncJobManager } = await agent();
    const late: BashToolUpdate[] = [];
    let isOver = false;

    await step(tools, { name: "task", input: { ...background, script: WAITS } }, (update) => {
      if (isOver) late.push(update);
    });
    isOver = true;
    writeFileSync(join(folder, "go"), "");
    await until(() => asyncJobManager.list("agent-1").every((job) => job.endedAtMs !== undefined), "the task's end");
    const awaited = await step(tools, { name: "task_await", input: { task_ids: ["bash:bg_1"] } }, () => undefined);

    expect(awaited.blocks[0]?.text).toContain("done");
    expect(late).toEqual([]);
  });

  it("reads how a task ended that was terminated before it wrote anything", async () => {
    const { tools } = await agent();
    await step(tools, { name: "task", input: { ...background, script: "sleep 300" } }, () => undefined);
    await step(tools, { name: "task_terminate", input: { task_ids: ["bash:bg_1"] } }, () => undefined);

    const { blocks } = await step(tools, { name: "task_await", input: { task_ids: ["bash:bg_1"] } }, () => undefined);

    expect(blocks[0]?.text).toMatch(/^### Bash task: bash:bg_1 \(x\)\nstatus: killed\n/);
    expect(blocks[0]?.text).not.toMatch(/ENOENT|cannot be read/);
  });
});
