/**
 * Which tools a model is given, and the older names for background commands (seed 004, 3.1, 3.2).
 */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createLegacyTools } from "../../src/tasks/legacy-tools.ts";
import { fromBashTaskId, isBashTaskId, toBashTaskId } from "../../src/tasks/task-id.ts";
import { toolsForModel } from "../../src/tasks/task-tools.ts";
import { ToolError } from "../../src/tool-error.ts";
import { playJob } from "../support/played-jobs.ts";
import { textOf, thrown } from "../support/session.ts";
import { PlayedAgents, taskScene, waitFor } from "../support/tasks.ts";

describe("the tools of a model", () => {
  it("are the five task tools, and none of the older names", async () => {
    const { session } = await taskScene();

    expect(toolsForModel(session).map(({ name }) => name)).toStrictEqual([
      "task",
      "task_await",
      "task_list",
      "task_send",
      "task_terminate",
    ]);
  });

  it("are `bash` and `job` where a host prefers that family", async () => {
    const { session } = await taskScene();
    const names = (ports: object) =>
      toolsForModel({ ...session, ...ports }, { family: "bash" }).map(({ name }) => name);

    expect(names({})).toEqual(["bash", "job"]);
    expect(names({ asyncJobManager: undefined })).toEqual(["bash"]);
  });

  it("have the older names only where a host asks for them", async () => {
    const { session } = await taskScene();

    expect(
      toolsForModel(session, { withLegacy: true })
        .map(({ name }) => name)
        .slice(5),
    ).toEqual(["bash_output", "bash_background_list", "bash_background_terminate"]);
  });

  it("each say what they do and what they take", async () => {
    const { session } = await taskScene();

    for (const tool of toolsForModel(session, { withLegacy: true })) {
      expect(tool.description.length).toBeGreaterThan(20);
      expect(z.toJSONSchema(tool.parameters)).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.strict).toBe(true);
    }
  });
});

describe("an older tool", () => {
  it("reads, lists and ends the same commands", async () => {
    const { session, start, touch } = await taskScene();
    const tools = createLegacyTools(session);
    const id = (await start(`echo one; echo two; ${waitFor("go")}`)).slice("bash:".length);

    const output = await tools.bash_output.execute("call", { process_id: id, filter: "tw", timeout_secs: 10 });
    const list = await tools.bash_background_list.execute("call", {});
    const ended = await tools.bash_background_terminate.execute("call", { process_id: id });

    expect(output.details).toMatchObject({ status: "running", output: "two\n" });
    expect(list.details.processes).toMatchObject([{ taskId: `bash:${id}`, status: "running" }]);
    expect(textOf(list)).toBe(`${id} running a command`);
    expect(ended.details).toMatchObject({ status: "terminated" });
    touch("go");
  });

  it("lists commands and no agents", async () => {
    const agentTasks = new PlayedAgents();
    agentTasks.add("agent", "agent-1");
    const { session, manager } = await taskScene({}, { agentTasks });
    const { id } = playJob(manager);
    const list = await createLegacyTools(session).bash_background_list.execute("call", {});
    expect(list.details.processes.map(({ taskId }) => taskId)).toEqual([`bash:${id}`]);
  });

  it("says what to use instead, and what to do where a process is not there", async () => {
    const { session } = await taskScene();
    const tools = createLegacyTools(session);

    for (const tool of Object.values(tools)) expect(tool.description).toMatch(/^Deprecated: use task_/);
    expect(textOf(await tools.bash_background_list.execute("call", {}))).toBe("No background processes.");
    const message =
      "Process not found: bg_7. The process may have exited or the app was restarted. Do not retry - use bash_background_list to see active processes.";
    expect((await thrown(tools.bash_output.execute("call", { process_id: "bg_7" }))).message).toBe(message);
    expect((await thrown(tools.bash_background_terminate.execute("call", { process_id: "bg_7" }))).message).toBe(
      message,
    );
  });
});

describe("the id of a task", () => {
  it("says whether it is a command, and of which job", () => {
    expect(toBashTaskId("bg_3")).toBe("bash:bg_3");
    expect(fromBashTaskId(" bash:bg_3 ")).toBe("bg_3");
    expect(isBashTaskId("agent-3")).toBe(false);
    expect(fromBashTaskId("agent-3")).toBeUndefined();
  });

  it.each([[""], ["  "], ["bash:"], ["bash:  "], ["x".repeat(201)]])("%j is refused", (id) => {
    expect(() => fromBashTaskId(id)).toThrowError(ToolError);
  });
});
