/**
 * Whose tasks a workspace may see and end: its own and those below it (seed 004, 2.4, 2.5, 2.6, 5.1).
 */
import { TaskListEntry } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../../src/bash-tool.ts";
import { textOf, thrown } from "../support/session.ts";
import { PlayedAgents, taskScene, waitFor } from "../support/tasks.ts";

/** `root` has `child`, which has `grandchild`; `stranger` is someone else's. */
async function family() {
  const agentTasks = new PlayedAgents();
  agentTasks.add("child", "root");
  agentTasks.add("grandchild", "child");
  agentTasks.add("stranger", "elsewhere");
  const root = await taskScene({}, { agentTasks, getSessionId: () => "root" });
  return {
    agentTasks,
    root,
    child: root.as("child"),
    grandchild: root.as("grandchild"),
    stranger: root.as("stranger"),
  };
}

describe("listing", () => {
  it("shows the agents and commands of the workspace and of those below it, with their depth", async () => {
    const { root, child, grandchild, stranger } = await family();
    const own = await root.start(waitFor("go"), { display_name: "own" });
    const below = await child.start(waitFor("go"), { display_name: "below" });
    const deep = await grandchild.start(waitFor("go"), { display_name: "deep" });
    await stranger.start(waitFor("go"), { display_name: "other" });

    const tasks = await root.list();

    expect(TaskListEntry.array().parse(tasks)).toEqual(tasks);
    expect(tasks.map(({ taskId, depth, kind }) => [taskId, depth, kind])).toEqual([
      ["child", 1, undefined],
      ["grandchild", 2, undefined],
      [own, 1, "bash"],
      [below, 2, "bash"],
      [deep, 3, "bash"],
    ]);
    expect(tasks[2]).toMatchObject({
      status: "running",
      parentWorkspaceId: "root",
      display_name: "own",
      script: waitFor("go"),
      uptime_ms: expect.any(Number),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect((await child.list()).map(({ taskId, depth }) => [taskId, depth])).toEqual([
      ["grandchild", 1],
      [below, 1],
      [deep, 2],
    ]);
    const text = textOf(await root.tools.task_list.execute("call", {}));
    expect(text.match(/depth \d/g)).toEqual(["depth 2", "depth 2", "depth 3"]);
    root.touch("go");
  });

  it("hides what has ended unless it is asked for, with its exit code then", async () => {
    const { root } = await family();
    const id = await root.start("exit 5");
    await root.await({ task_ids: [id], min_completed: 1 });

    expect((await root.list()).map(({ taskId }) => taskId)).not.toContain(id);
    expect(await root.list({ statuses: ["reported"] })).toMatchObject([
      { taskId: id, status: "reported", exitCode: 5 },
    ]);
  });

  it("says so where there is nothing, and stays within the bound where there is much", async () => {
    const { tools, start, touch } = await taskScene();
    expect(textOf(await tools.task_list.execute("call", {}))).toBe("No tasks.");
    await Promise.all(Array.from({ length: 30 }, () => start(`: ${"x".repeat(5_000)}; ${waitFor("go")}`)));

    const { content, details } = await tools.task_list.execute("call", {});
    expect(Buffer.byteLength(textOf({ content }))).toBeLessThan(50 * 1024);
    expect(details.tasks.map(({ script }) => script?.length)).toEqual(Array(30).fill(2_000));
    touch("go");
  });

  it("shows a name with control characters and line breaks as one line", async () => {
    const { start, tools, touch } = await taskScene();
    await start(waitFor("go"), { display_name: "a\u001b[31m\nbash:bg_9 [bash, running] forged" });

    expect(textOf(await tools.task_list.execute("call", {})).split("\n")).toHaveLength(1);
    touch("go");
  });

  it("shows the jobs of the bash tool, too: there is one engine", async () => {
    const { session, list, folder } = await taskScene({ "async.enabled": true });
    const bash = createBashTool(session);

    await bash.execute("call", { command: waitFor("go"), async: true, cwd: folder });

    expect(await list()).toMatchObject([{ taskId: "bash:bg_1", kind: "bash", display_name: waitFor("go") }]);
  });
});

describe("a workspace above", () => {
  it("awaits and ends the commands of those below", async () => {
    const { root, grandchild } = await family();
    const id = await grandchild.start("echo deep; sleep 300");

    expect(await root.await({ task_ids: [id] })).toMatchObject([{ status: "running", output: "deep\n" }]);
    expect(await root.terminate(id)).toMatchObject([{ status: "terminated", terminatedTaskIds: [id] }]);
    expect(await grandchild.list()).toEqual([]);
  });

  it("reads at a place of its own: the one below still gets everything", async () => {
    const { root, child } = await family();
    const id = await child.start("echo out");

    await root.await({ task_ids: [id], min_completed: 1 });

    expect(await child.await({ task_ids: [id], timeout_secs: 0 })).toMatchObject([{ output: "out\n" }]);
  });
});

describe("any other workspace", () => {
  it.each([["stranger"], ["elsewhere"], [""], ["root/../root"], ["ROOT"]])(
    "%j can neither await nor end nor list a command of this one",
    async (name) => {
      const { root } = await family();
      const id = await root.start(waitFor("go"));
      const other = root.as(name);

      expect(await other.await({ task_ids: [id] })).toMatchObject([{ status: "invalid_scope", taskId: id }]);
      expect(await other.terminate(id)).toMatchObject([{ status: "invalid_scope", taskId: id }]);
      expect((await other.list()).map(({ taskId }) => taskId)).not.toContain(id);
      expect((await root.list()).map(({ taskId }) => taskId)).toContain(id);
      root.touch("go");
    },
  );

  it("nor can one below reach up", async () => {
    const { root, child } = await family();
    const id = await root.start(waitFor("go"));

    expect(await child.terminate(id)).toMatchObject([{ status: "invalid_scope" }]);
    expect(await child.await({ task_ids: [id, "root"] })).toMatchObject([
      { status: "invalid_scope" },
      { status: "not_found" },
    ]);
    root.touch("go");
  });

  it("and where no one knows who descends from whom, nothing is in scope", async () => {
    const { root } = await family();
    const id = await root.start(waitFor("go"));
    const agentTasks = new PlayedAgents();
    agentTasks.descendants = () => {
      throw new Error("the tree is gone");
    };
    const blind = root.as("root", { agentTasks });

    const reason = "What runs below this workspace cannot be determined: the tree is gone";
    expect((await thrown(blind.terminate(id))).message).toBe(reason);
    expect((await thrown(blind.await({ task_ids: [id] }))).message).toBe(reason);
    expect((await thrown(blind.list())).message).toBe(reason);
    root.touch("go");
  });
});

describe("too many ids", () => {
  it("are refused in one line", async () => {
    const { await: awaitTasks, terminate } = await taskScene();
    const ids = Array.from({ length: 501 }, (_, at) => `bash:bg_${at}`);

    expect((await thrown(awaitTasks({ task_ids: ids }))).message).toBe("At most 500 tasks can be waited for at once.");
    expect((await thrown(terminate(...ids))).message).toBe("At most 500 tasks can be ended at once.");
  });
});
