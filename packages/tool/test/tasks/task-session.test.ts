/** What a task tool waits for and needs before it does anything: the workspace, jobs, a call that is still wanted. */
import { describe, expect, it } from "vitest";
import { maySpawnAgents, orStopped, runAgentTask } from "../../src/tasks/agent-task.ts";
import { jobsOf, type TaskSession, untilReady, workspaceOf } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";
import { desk } from "../support/played-desk.ts";
import { scene, textOf, thrown, until } from "../support/session.ts";

const session = (ports: Partial<TaskSession> = {}): TaskSession => ({ ...scene().session, ...ports });

describe("a workspace", () => {
  it("is ready where the session says nothing, or says so", async () => {
    const { ready: _, ...plain } = session();
    await untilReady(plain, undefined);
    const signals: unknown[] = [];
    const signal = new AbortController().signal;
    await untilReady(session({ ready: async (given) => void signals.push(given) }), signal);
    expect(signals).toEqual([signal]);
  });

  it("that cannot be made ready is an error, with the reason", async () => {
    for (const reason of [new Error("no disk"), "no disk"]) {
      const error = await thrown(untilReady(session({ ready: () => Promise.reject(reason) }), undefined));
      expect(error).toBeInstanceOf(ToolError);
      expect(error.message).toBe("The workspace is not ready: no disk");
      expect(error.cause).toBe(reason);
    }
  });

  it("is not waited for any longer once the call is given up", async () => {
    const never = session({ ready: () => new Promise(() => undefined) });
    expect(await thrown(untilReady(never, AbortSignal.abort()))).toBeInstanceOf(ToolAbortError);
    const aborted = new ToolAbortError("it was given up");
    expect(await thrown(untilReady(session({ ready: () => Promise.reject(aborted) }), undefined))).toBe(aborted);
  });

  it("is waited for by each tool, which does nothing where it was given up meanwhile", async () => {
    const controller = new AbortController();
    const { session: own, manager } = await desk({}, { ready: async () => controller.abort() });
    const { task } = createTaskTools(own);
    const params = { kind: "bash", script: "true", timeout_secs: 60, display_name: "x", run_in_background: true };
    expect(await thrown(task.execute("call", params, controller.signal))).toBeInstanceOf(ToolAbortError);
    expect(manager.listAll(() => true)).toEqual([]);
  });

  it("has an id where its session has one, and jobs where it has a manager", async () => {
    expect(workspaceOf(session())).toBe("agent-1");
    const { getSessionId: _, ...nameless } = session();
    expect(workspaceOf(nameless)).toBeUndefined();
    expect(() => jobsOf(session())).toThrow("Async job manager unavailable for this session.");
    const { session: own, manager } = await desk();
    expect(jobsOf(own)).toBe(manager);
  });
});

describe("an agent", () => {
  const PARAMS = { subagent_type: "explore", prompt: "look", title: "looking" } as const;

  it("may start agents up to a depth, where the host has any", async () => {
    const { session: own, agentTasks } = await desk();
    agentTasks.add("agent-1", "top");
    expect(agentTasks.depthOf("agent-1")).toBe(1);
    expect([0, 1, 2].map((depth) => maySpawnAgents(own, depth))).toEqual([false, false, true]);
    expect(maySpawnAgents(session(), 9)).toBe(false);
  });

  it("is refused below that depth, and where there are none", async () => {
    const { session: own, agentTasks } = await desk();
    agentTasks.add("agent-1", "top");
    const call = (settings: object) =>
      ({ signal: undefined, settings }) as unknown as Parameters<typeof runAgentTask>[2];
    const deep = await thrown(runAgentTask(own, PARAMS, call({ "task.maxDepth": 1 })));
    expect(deep.message).toMatch(/^Agents cannot be started at depth 1 \(task\.maxDepth is 1\)\. Do the work here/);
    expect(agentTasks.started).toEqual([]);
    const none = await thrown(runAgentTask(session(), PARAMS, call({ "task.maxDepth": 9 })));
    expect(none.message).toMatch(/^There are no agents here\./);
  });

  it("that cannot be started fails in the host's words, and a tool's own error passes", async () => {
    const { session: own, agentTasks, tools } = await desk();
    const failed = new Error("no room");
    agentTasks.start = () => Promise.reject(failed);
    const error = await thrown(tools.task.execute("call", PARAMS));
    expect(error).toBeInstanceOf(ToolError);
    expect([error.message, error.cause]).toEqual(["no room", failed]);
    for (const passed of [new ToolError("its own"), new ToolAbortError("its end")]) {
      agentTasks.start = () => Promise.reject(passed);
      expect(await thrown(createTaskTools(own).task.execute("call", PARAMS))).toBe(passed);
    }
  });

  it("whose start is given up is not waited for", async () => {
    const controller = new AbortController();
    const { agentTasks, tools } = await desk();
    let isAsked = false;
    agentTasks.start = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const starting = thrown(tools.task.execute("call", PARAMS, controller.signal));
    await until(() => isAsked, "the start");
    controller.abort();
    const error = await starting;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Command aborted");
  });

  it("has a wait that ends with a value, an error, or a stop whatever it does then", async () => {
    const open = new AbortController().signal;
    expect(await orStopped(Promise.resolve(1), open)).toBe(1);
    await expect(orStopped(Promise.reject(new Error("no")), open)).rejects.toThrow("no");
    const stop = new AbortController();
    const wait = new Promise<number>((_, reject) =>
      stop.signal.addEventListener("abort", () => reject(new Error("x"))),
    );
    const stopped = orStopped(wait, stop.signal);
    stop.abort();
    expect(await stopped).toBe("stopped");
    expect(await orStopped(new Promise<number>(() => undefined), AbortSignal.abort())).toBe("stopped");
  });
});

describe("news of a quiet watch", () => {
  it("goes with the next answer, once, and with none where there is none", async () => {
    const { tools, manager } = await desk();
    const news = [["one", "two"], []];
    Object.assign(manager, { takeQuietNews: (owner: string) => (owner === "agent-1" ? (news.shift() ?? []) : []) });
    expect((await tools.task_list.execute("call", {})).content).toEqual([
      { type: "text", text: "No tasks." },
      { type: "text", text: "\n\none\n\ntwo" },
    ]);
    expect((await tools.task_list.execute("call", {})).content).toHaveLength(1);
    expect(textOf(await tools.task_list.execute("call", {}))).toBe("No tasks.");
  });
});
