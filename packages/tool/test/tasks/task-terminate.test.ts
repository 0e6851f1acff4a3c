/**
 * `task_terminate`: commands go with their whole tree, agents with everything below them (seed 004, 1.5, 2.6).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TaskTerminateEntry } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { cleanUpWorkspace } from "../../src/tasks/clean-up.ts";
import { textOf, until } from "../support/session.ts";
import { PlayedAgents, taskScene, waitFor } from "../support/tasks.ts";

/** Whether a process lives; a zombie does not. */
function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Starts a child, one in a session of its own, and one that ignores SIGTERM; their ids go to files. */
const TREE = [
  "sleep 300 & echo $! > child",
  "setsid bash -c 'echo $$ > detached; exec sleep 300' &",
  "bash -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 300; done' &",
  "until [ -s detached ] && [ -s stubborn ]; do sleep 0.02; done; echo up",
].join("\n");

function pidsOf(folder: string): number[] {
  return ["child", "detached", "stubborn"].map((name) => Number(readFileSync(join(folder, name), "utf8")));
}

describe("ending a command", () => {
  it("ends its whole tree, also what left its group or ignores SIGTERM", async () => {
    const { start, await: awaitTasks, terminate, folder } = await taskScene();
    const id = await start(`${TREE}\nsleep 300`);
    await awaitTasks({ task_ids: [id] });
    const pids = pidsOf(folder);
    expect(pids.every(lives)).toBe(true);

    const results = await terminate(id);

    expect(results).toEqual([{ status: "terminated", taskId: id, terminatedTaskIds: [id] }]);
    expect(TaskTerminateEntry.array().parse(results)).toEqual(results);
    await until(() => !pids.some(lives), "the tree to be gone");
  });

  it("that has ended ends what it left running", async () => {
    const { start, await: awaitTasks, terminate, folder } = await taskScene();
    const id = await start(TREE);
    expect(await awaitTasks({ task_ids: [id], min_completed: 1 })).toMatchObject([
      { status: "completed", exitCode: 0 },
    ]);
    const pids = pidsOf(folder);
    expect(pids.every(lives)).toBe(true);

    expect(await terminate(id)).toMatchObject([{ status: "terminated" }]);

    await until(() => !pids.some(lives), "the tree to be gone");
  });

  it("that went to the background leaves the shell of the session as it was", async () => {
    const { run, terminate } = await taskScene({ "task.blockingBudgetMs": 200 });
    await run("answer=42");
    const { details } = await run("true; sleep 300");

    expect(await terminate(details.taskId ?? "")).toMatchObject([{ status: "terminated" }]);

    expect(textOf(await run("echo $answer"))).toMatch(/^42\n/);
  });

  it("is fine twice, and tells what is not there beside what is", async () => {
    const { start, terminate, tools } = await taskScene();
    const id = await start("sleep 300");

    const results = await terminate(id, id, "bash:bg_77", "bash:", "no one");

    expect(results).toMatchObject([
      { status: "terminated", taskId: id },
      { status: "not_found", taskId: "bash:bg_77", activeTaskIds: [] },
      { status: "error", error: "Invalid bash taskId." },
      { status: "not_found", taskId: "no one" },
    ]);
    expect(await terminate(id)).toMatchObject([{ status: "terminated" }]);
    expect(textOf(await tools.task_terminate.execute("call", { task_ids: [id, "no one"] }))).toBe(
      `Task ${id} is ended.\nTask not found: no one`,
    );
  });

  it("of a hundred ends all at the same time", async () => {
    const { start, terminate, list } = await taskScene();
    const ids = await Promise.all(Array.from({ length: 100 }, () => start("sleep 300")));

    const results = await terminate(...ids);

    expect(results.map(({ status }) => status)).toEqual(Array(100).fill("terminated"));
    expect(await list()).toEqual([]);
  }, 120_000);
});

describe("ending an agent", () => {
  it("ends all below it, and the commands and shells of their workspaces, and nothing else", async () => {
    const agentTasks = new PlayedAgents();
    agentTasks.add("child", "root");
    agentTasks.add("grandchild", "child");
    agentTasks.add("sibling", "root");
    const root = await taskScene({}, { agentTasks, getSessionId: () => "root" });
    const kept = [await root.start(waitFor("go")), await root.as("sibling").start(waitFor("go"))];
    const gone = [await root.as("child").start("sleep 300"), await root.as("grandchild").start("sleep 300")];
    await root.as("child").run("setsid sleep 300 & echo $! > left");
    const left = Number(readFileSync(join(root.folder, "left"), "utf8"));
    expect(lives(left)).toBe(true);

    const [entry] = await root.terminate("child");

    expect(entry).toEqual({
      status: "terminated",
      taskId: "child",
      terminatedTaskIds: ["child", "grandchild", ...gone],
    });
    await until(() => !lives(left), "what the agent's shell had started to be gone");
    expect((await root.list()).map(({ taskId }) => taskId).sort()).toEqual(["sibling", ...kept].sort());
    root.touch("go");
  });

  it("whose host cannot end it is reported, with the reason", async () => {
    const agentTasks = new PlayedAgents();
    agentTasks.add("child", "root");
    agentTasks.terminate = () => Promise.reject(new Error("it is busy"));
    const root = await taskScene({}, { agentTasks, getSessionId: () => "root" });

    expect(await root.terminate("child")).toEqual([{ status: "error", taskId: "child", error: "it is busy" }]);
  });
});

describe("cleaning up a workspace", () => {
  it("ends its commands and its shell, any number of times", async () => {
    const { run, start, session, list, folder } = await taskScene();
    await start("sleep 300");
    await run("sleep 300 & echo $! > left");
    const left = Number(readFileSync(join(folder, "left"), "utf8"));

    expect(await cleanUpWorkspace(session, "agent-1")).toEqual([]);
    expect(await cleanUpWorkspace(session, "agent-1")).toEqual([]);

    await until(() => !lives(left), "what the shell had started to be gone");
    expect(await list()).toEqual([]);
  });
});
