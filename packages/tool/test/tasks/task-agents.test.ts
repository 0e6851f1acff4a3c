/**
 * Agents as tasks: started, waited for and reported by the host's port (seed 004, 1.1, 1.3, review of `timeout_secs: 0`).
 */
import { TaskResult } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolAbortError } from "../../src/tool-error.ts";
import { textOf, thrown, until } from "../support/session.ts";
import { PlayedAgents, taskScene, waitFor } from "../support/tasks.ts";

const PROMPT = { subagent_type: "explore", prompt: "look", title: "looking" };

async function withAgents(ports: object = {}) {
  const agentTasks = new PlayedAgents();
  const scene = await taskScene({}, { agentTasks, getSessionId: () => "root", ...ports });
  return {
    ...scene,
    agentTasks,
    agent: (params: object = {}, signal?: AbortSignal) =>
      scene.tools.task.execute("call", { ...PROMPT, ...params }, signal),
  };
}

describe("starting an agent", () => {
  it("waits for its report in the foreground", async () => {
    const { agent, agentTasks } = await withAgents();
    const running = agent();
    await until(() => agentTasks.started.length === 1, "the start");

    agentTasks.finish("agent-of-root", "# Found it");

    const { content, details } = await running;
    expect(agentTasks.started).toStrictEqual([{ ...PROMPT, workspaceId: "root" }]);
    expect(details).toStrictEqual({ status: "completed", taskId: "agent-of-root", reportMarkdown: "# Found it" });
    expect(TaskResult.parse(details)).toEqual(details);
    expect(textOf({ content })).toBe("# Found it");
  });

  it("answers at once in the background", async () => {
    const { agent } = await withAgents();

    expect((await agent({ run_in_background: true })).details).toStrictEqual({
      status: "running",
      taskId: "agent-of-root",
    });
  });

  it("goes on in the background when a message is queued, and when its call is aborted", async () => {
    const message = new AbortController();
    const queued = await withAgents({ queuedMessage: () => message.signal });
    const running = queued.agent();
    message.abort();
    expect((await running).details).toMatchObject({ status: "running", taskId: "agent-of-root" });

    const { agent, agentTasks } = await withAgents();
    const controller = new AbortController();
    const aborted = thrown(agent({}, controller.signal));
    await until(() => agentTasks.started.length === 1, "the start");
    controller.abort();
    expect(await aborted).toBeInstanceOf(ToolAbortError);
    expect((await aborted).message).toBe("Waiting was aborted; task agent-of-root goes on.");
    expect(agentTasks.terminated).toEqual([]);
  });

  it("is refused below the depth where agents may start some, while commands still run", async () => {
    const { as, agentTasks, tools } = await withAgents();
    agentTasks.add("child", "root");
    const child = as("child");

    const error = await thrown(child.tools.task.execute("call", PROMPT));

    expect(error.message).toMatch(/^Agents cannot be started at depth 1 \(task\.maxDepth is 1\)\..*kind: "bash"/);
    expect((await child.run("echo out")).details).toMatchObject({ status: "completed", exitCode: 0 });
    expect(child.tools.task.description).toContain("Agents cannot be started from here");
    expect(tools.task.description).toContain("`subagent_type`");
  });

  it("is no parameter where there are none", async () => {
    const { tools } = await taskScene();
    const withSome = await withAgents();

    expect((await thrown(tools.task.execute("call", PROMPT))).message).toMatch(/^Invalid task parameters/);
    expect(JSON.stringify(z.toJSONSchema(tools.task.parameters))).not.toContain("subagent_type");
    const schema = z.toJSONSchema(withSome.tools.task.parameters);
    expect(JSON.stringify(schema)).toContain("subagent_type");
    expect(schema).toMatchObject({
      type: "object",
      anyOf: [{ type: "object" }, { type: "object" }, { type: "object" }],
    });
  });

  it("that fails is reported with the host's reason", async () => {
    const { agent, agentTasks } = await withAgents();
    agentTasks.start = () => Promise.reject(new Error("no such agent type"));

    expect((await thrown(agent())).message).toBe("no such agent type");
  });
});

describe("awaiting an agent", () => {
  it("gives its report, also later and again", async () => {
    const { await: awaitTasks, agentTasks } = await withAgents();
    const id = agentTasks.add("child", "root");
    const waiting = awaitTasks({ task_ids: [id] });
    agentTasks.finish(id, "# Report");

    const report = { status: "completed", taskId: id, reportMarkdown: "# Report", title: "title of child" };
    expect(await waiting).toMatchObject([report]);
    expect(await awaitTasks({ task_ids: [id], timeout_secs: 0 })).toMatchObject([report]);
  });

  it("with 0 seconds never waits, though its host would", async () => {
    const { await: awaitTasks, agentTasks } = await withAgents();
    const id = agentTasks.add("child", "root");
    let asked = 0;
    agentTasks.waitForReport = () => {
      asked += 1;
      return new Promise(() => undefined);
    };

    expect(await awaitTasks({ task_ids: [id], timeout_secs: 0 })).toMatchObject([{ status: "running", taskId: id }]);
    expect(asked).toBe(0);
  });

  it("with a time is bounded by it, whatever its host does", async () => {
    const { await: awaitTasks, agentTasks } = await withAgents();
    const id = agentTasks.add("child", "root", "awaiting_report");
    agentTasks.waitForReport = () => new Promise(() => undefined);

    expect(await awaitTasks({ task_ids: [id], timeout_secs: 0.05 })).toMatchObject([{ status: "awaiting_report" }]);
  });

  it("that will never report is an entry with the reason, and stops no one else", async () => {
    const { await: awaitTasks, agentTasks, start, touch } = await withAgents();
    const id = agentTasks.add("child", "root");
    agentTasks.waitForReport = () => Promise.reject(new Error("it crashed"));
    const command = await start(waitFor("go"));

    expect(await awaitTasks({ task_ids: [id, command] })).toMatchObject([
      { status: "error", taskId: id, error: "it crashed" },
      { status: "running", taskId: command },
    ]);
    touch("go");
  });

  it("with a report of megabytes answers within the bound, and keeps its beginning and its end", async () => {
    const { tools, agentTasks } = await withAgents();
    const id = agentTasks.add("child", "root");
    agentTasks.finish(id, `# Begin\n${"漢".repeat(2_000_000)}\nthe end`);

    const text = textOf(await tools.task_await.execute("call", { task_ids: [id] }));

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024);
    expect(text).toMatch(/^# Begin\n漢+\n\[… \d+ bytes and more left out …\]\n漢+\nthe end$/);
  });

  it("together with a command ends with whichever is first", async () => {
    const { await: awaitTasks, agentTasks, start, touch } = await withAgents();
    const id = agentTasks.add("child", "root");
    const command = await start(`${waitFor("go")}; echo out`);
    const waiting = awaitTasks();

    touch("go");

    const results = await waiting;
    expect(results.map(({ taskId }) => taskId)).toEqual([id, command]);
    expect(results[0]).toMatchObject({ status: "running" });
    expect(results[1]).toMatchObject({ output: "out\n" });
  });
});
