/** Ending tasks that do not go away in time, that are calls of the bash tool, or that the host does not end. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { foregroundCallsOf } from "../../src/foreground-calls.ts";
import { cleanUpWorkspace } from "../../src/tasks/clean-up.ts";
import { desk } from "../support/played-desk.ts";
import { until } from "../support/session.ts";

const LATE = "Termination timed out; cleanup continues in the background";

/** Has the clock stand still until `asked` holds and what follows it has begun, and then go on by the bound. */
async function passBound(begin: () => void, asked: Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  begin();
  await asked;
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
}

describe("a task that is not gone in time", () => {
  it("has a note on that, which its line has as well", async () => {
    const { play, terminate, text, manager } = await desk();
    play();
    vi.spyOn(manager, "terminate").mockResolvedValue(false);
    expect(await terminate("bash:bg_1")).toStrictEqual([
      { status: "terminated", taskId: "bash:bg_1", terminatedTaskIds: ["bash:bg_1"], note: LATE },
    ]);
    expect(await text("task_terminate", { task_ids: ["bash:bg_1"] })).toBe(`Task bash:bg_1 is ended. ${LATE}`);
  });

  it("may be a command of an agent that is gone itself", async () => {
    const { play, terminate, manager, agentTasks } = await desk();
    agentTasks.add("child", "agent-1");
    agentTasks.add("deep", "child");
    play({ owner: "deep" });
    const reap = vi.spyOn(manager, "cancelAndReap");
    reap.mockImplementation(async (owner) => (owner === "deep" ? ["bg_1"] : []));
    expect((await terminate("child"))[0]).toMatchObject({ note: LATE });
    agentTasks.add("child", "agent-1");
    expect((await terminate("child"))[0]).not.toHaveProperty("note");
  });

  it("may be an agent whose host does not answer: its commands are ended all the same", async () => {
    const { play, terminate, manager, agentTasks } = await desk();
    agentTasks.add("child", "agent-1");
    const { id } = play({ owner: "child" });
    let ending: ReturnType<typeof terminate> | undefined;
    const asked = new Promise<void>((resolve) => {
      agentTasks.terminate = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    await passBound(() => {
      ending = terminate("child");
    }, asked);
    expect(await ending).toStrictEqual([
      { status: "terminated", taskId: "child", terminatedTaskIds: ["child", `bash:${id}`], note: LATE },
    ]);
    expect(manager.find(id)?.job.state).toBe("cancelled");
  });
});

describe("an agent that its host cannot end", () => {
  it("is reported with the reason, and its commands go on", async () => {
    const { play, terminate, manager, agentTasks } = await desk();
    agentTasks.add("child", "agent-1");
    const { id } = play({ owner: "child" });
    agentTasks.terminate = () => Promise.reject("it is busy");
    expect(await terminate("child")).toStrictEqual([{ status: "error", taskId: "child", error: "it is busy" }]);
    expect(manager.find(id)?.job.state).toBe("running");
  });

  it("ends no command of the session itself, nor one that no one owns", async () => {
    const { play, terminate, manager, agentTasks, session } = await desk();
    Object.assign(session, { getSessionId: undefined });
    agentTasks.descendants = () => [{ taskId: "child", workspaceId: "child", status: "running", depth: 1 }];
    const own = manager.start({
      command: "x",
      work: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ text: "" }))),
    });
    const below = play({ owner: "child" });
    agentTasks.terminate = async () => ["child"];
    expect(await terminate("child")).toMatchObject([{ terminatedTaskIds: ["child", `bash:${below.id}`] }]);
    expect(manager.find(own.id)?.job.state).toBe("running");
  });
});

describe("a call of the bash tool", () => {
  it("is ended by its name, which waits until it is over", async () => {
    const { session, terminate } = await desk();
    const call = foregroundCallsOf(session).begin("make");
    const ending = terminate(" call_1 ");
    await until(() => call.stopped.aborted, "its end");
    call.end();
    expect(await ending).toStrictEqual([{ status: "terminated", taskId: "call_1", terminatedTaskIds: ["call_1"] }]);
    expect(await terminate("call_1")).toMatchObject([{ status: "not_found" }]);
  });

  it("that does not end in time has a note on that", async () => {
    const { session, terminate } = await desk();
    const call = foregroundCallsOf(session).begin("make");
    let ending: ReturnType<typeof terminate> | undefined;
    const asked = new Promise<void>((resolve) => call.stopped.addEventListener("abort", () => resolve()));
    await passBound(() => {
      ending = terminate("call_1");
    }, asked);
    expect(await ending).toMatchObject([{ status: "terminated", note: LATE }]);
  });
});

it("fifty active tasks at most are named to whom asks for another's", async () => {
  const { play, terminate, agentTasks } = await desk();
  play({ owner: "elsewhere" });
  for (let at = 0; at < 60; at += 1) agentTasks.add(`agent ${at}`, "agent-1");
  const [entry] = await terminate("bash:bg_1");
  expect(entry?.status === "invalid_scope" && entry.activeTaskIds).toHaveLength(50);
});

it("what is left of a workspace is ended once more only where it left processes", async () => {
  const { session, play, manager } = await desk();
  await play({ owner: "gone" }).end();
  const survivors = [{ pid: 2 ** 30, command: "x", startedAtMs: 1 }];
  await play({ owner: "gone" }).end({ survivors, stopSurvivors: async () => undefined });
  const terminate = vi.spyOn(manager, "terminate");
  await cleanUpWorkspace(session, "gone", 1_000);
  expect(terminate.mock.calls).toEqual([["bg_2", 1_000]]);
});
