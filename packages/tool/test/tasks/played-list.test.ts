/** Listing and ending over jobs without a process: the facts of each entry, and the lines made of them. */
import { describe, expect, it } from "vitest";
import { foregroundCallsOf } from "../../src/foreground-calls.ts";
import { cleanUpWorkspace } from "../../src/tasks/clean-up.ts";
import { openScope } from "../../src/tasks/scope.ts";
import { desk } from "../support/played-desk.ts";
import { playJob } from "../support/played-jobs.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { thrown, until } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

describe("a list of tasks", () => {
  it("says that there are none", async () => {
    expect(await (await desk()).text("task_list", {})).toBe("No tasks.");
  });

  it("has an agent with what its host knows of it", async () => {
    const { agentTasks, list, text } = await desk();
    agentTasks.descendants = () => [
      { taskId: "a1", workspaceId: "w1", status: "queued", depth: 0 },
      {
        taskId: "a2",
        workspaceId: "w2",
        parentWorkspaceId: "w1",
        status: "awaiting_report",
        agentType: "explore",
        title: "looks",
        createdAtMs: 0,
        depth: 2,
      },
      { taskId: "a3", workspaceId: "w3", status: "reported", depth: 1, agentType: "plan" },
    ];
    expect(await list()).toStrictEqual([
      { taskId: "a1", status: "queued", depth: 1 },
      {
        taskId: "a2",
        status: "awaiting_report",
        parentWorkspaceId: "w1",
        agentType: "explore",
        title: "looks",
        depth: 2,
        createdAt: "1970-01-01T00:00:00.000Z",
      },
    ]);
    expect(await text("task_list", {})).toBe("a1 [agent, queued] \na2 [agent, awaiting_report, depth 2] looks");
    expect(await text("task_list", { statuses: ["reported"] })).toBe("a3 [agent, reported] plan");
  });

  it("has a command with its name, its text and what is known of its end", async () => {
    const { list, text, play } = await desk();
    play({ command: "make all", title: "building" });
    const ended = play({ command: "make test" });
    await ended.end({ exitCode: 2 });
    const [running] = await list();
    expect(running).toStrictEqual({
      taskId: "bash:bg_1",
      status: "running",
      parentWorkspaceId: "agent-1",
      kind: "bash",
      display_name: "building",
      script: "make all",
      uptime_ms: expect.any(Number),
      depth: 1,
      createdAt: expect.any(String),
    });
    expect(await text("task_list", {})).toMatch(/^bash:bg_1 \[bash, running, \d+\.\d s\] building: make all$/);
    expect(await list({ statuses: ["reported"] })).toMatchObject([
      { taskId: "bash:bg_2", exitCode: 2, status: "reported" },
    ]);
    expect(await text("task_list", { statuses: ["reported"] })).toMatch(
      /^bash:bg_2 \[bash, reported, exit code 2, \d+\.\d s\] make test$/,
    );
  });

  it("has the ports of what runs, also where only a child of it still does", async () => {
    const { list, text, play } = await desk();
    const look = async () => [{ port: 80, address: "127.0.0.1", startedAtMs: 0, isInside: false }];
    const [running, left, gone] = [play(), play(), play()];
    for (const job of [running, left, gone]) job.context.setPorts?.(look);
    await left.end({ survivors: [{ pid: 2 ** 30, command: "x", startedAtMs: 1 }] });
    await gone.end();
    const all = await list({ statuses: ["running", "reported"] });
    expect(all.map(({ ports }) => ports?.length)).toEqual([1, 1, undefined]);
    expect(await text("task_list", {})).toContain(", listens on 127.0.0.1:80] make");
  });

  it("says which waits for input, where that is certain, and which terminal a person has", async () => {
    const { list, text, play } = await desk();
    const { terminal, set } = playedTerminal();
    play().context.setTerminal(terminal);
    expect((await list())[0]).toMatchObject({ waiting: { kind: "line" } });
    expect(await text("task_list", {})).toContain(" s, waiting for input (line)] make");
    set({ waiting: { kind: "line", program: "x", since_ms: 0, certain: false }, holder: "person" });
    expect(await text("task_list", {})).toMatch(/ s, a person has its terminal\] make$/);
  });

  it("has a call in the foreground, whether it runs or waits", async () => {
    const { session, list } = await desk();
    const calls = foregroundCallsOf(session);
    const [runs, waits] = [calls.begin("x".repeat(3_000)), calls.begin("ls")];
    runs.start(true);
    const begun = Date.now();
    await until(() => Date.now() > begun, "the clock to go on");
    const [first, second] = await list();
    expect(first?.uptime_ms).toBeGreaterThan(0);
    expect(second?.uptime_ms).toBeGreaterThan(0);
    expect(first).toMatchObject({
      taskId: "call_1",
      status: "running",
      display_name: "call in the foreground",
      depth: 1,
    });
    expect(first?.script).toBe(`${"x".repeat(1_999)}…`);
    expect(second).toMatchObject({ taskId: "call_2", status: "queued", script: "ls" });
    expect((await list({ statuses: ["queued"] })).map(({ taskId }) => taskId)).toEqual(["call_2"]);
    for (const call of [runs, waits]) call.end();
    expect(await list()).toEqual([]);
  });
});

describe("a scope", () => {
  it("is the workspace's own and those below it, with their depth", async () => {
    const { session, agentTasks, play } = await desk();
    agentTasks.add("child", "agent-1");
    agentTasks.add("ended", "agent-1", "reported");
    agentTasks.add("deep", "child");
    agentTasks.add("stranger", "elsewhere");
    const [own, below, theirs, over] = [play(), play({ owner: "deep" }), play({ owner: "elsewhere" }), play()];
    await over.end();
    const scope = await openScope(session);
    expect(scope.activeIds()).toEqual(["child", "deep", "bash:bg_1", "bash:bg_2"]);
    expect(scope.jobs().map(({ job }) => job.id)).toEqual([own.id, below.id, over.id]);
    expect(["agent-1", "child", "deep", "elsewhere", undefined].map((owner) => scope.includes(owner))).toStrictEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(["agent-1", undefined, "child", "deep", "elsewhere"].map((owner) => scope.depthOf(owner))).toStrictEqual([
      0, 0, 1, 2, 0,
    ]);
    expect(scope.find(` bash:${own.id} `)).toMatchObject({ kind: "bash", taskId: "bash:bg_1" });
    expect(scope.find(`bash:${theirs.id}`)).toStrictEqual({ kind: "invalid_scope", taskId: "bash:bg_3" });
    expect(scope.find("bash:bg_9")).toStrictEqual({ kind: "not_found", taskId: "bash:bg_9" });
    expect(scope.find(" deep ")).toMatchObject({ kind: "agent", taskId: "deep" });
    expect(scope.find("stranger")).toStrictEqual({ kind: "not_found", taskId: "stranger" });
    expect(() => scope.find(" ")).toThrow("A task id is empty.");
  });

  it("of a session without an id has what no one owns", async () => {
    const { session, manager } = await taskScene({}, { getSessionId: () => undefined });
    const { id } = manager.start({ command: "x", work: async () => ({ text: "" }) });
    playJob(manager);
    const scope = await openScope(session);
    expect(scope.jobs().map(({ job }) => job.id)).toEqual([id]);
    expect(scope.includes(undefined)).toBe(true);
  });

  it("cannot be opened where its host fails, which says why", async () => {
    const { session, agentTasks } = await desk();
    for (const error of [new Error("no tree"), "no tree"]) {
      Object.assign(agentTasks, { descendants: () => Promise.reject(error) });
      expect((await thrown(openScope(session))).message).toBe(
        "What runs below this workspace cannot be determined: no tree",
      );
    }
  });
});

describe("ending tasks", () => {
  it("says of each id what became of it, each once", async () => {
    const { text, play, agentTasks } = await desk();
    const { id } = play();
    const theirs = play({ owner: "elsewhere" });
    agentTasks.add("agent", "agent-1");
    play({ owner: "agent" });
    const ids = [`bash:${id}`, ` bash:${id}`, "bash:bg_9", `bash:${theirs.id}`, "bash:", "agent"];
    expect((await text("task_terminate", { task_ids: ids })).split("\n")).toStrictEqual([
      "Task bash:bg_1 is ended.",
      "Task not found: bash:bg_9",
      "Task bash:bg_2 belongs to a workspace that is not below this one.",
      "Task bash:: Invalid bash taskId.",
      "Task agent is ended with bash:bg_3.",
    ]);
  });

  it("names what is still there to who asked for what is not", async () => {
    const { terminate, play } = await desk();
    play();
    play();
    const [ended, missing] = await terminate("bash:bg_1", "nothing");
    expect(ended).toStrictEqual({ status: "terminated", taskId: "bash:bg_1", terminatedTaskIds: ["bash:bg_1"] });
    expect(missing).toStrictEqual({ status: "not_found", taskId: "nothing", activeTaskIds: ["bash:bg_2"] });
  });

  it("ends an agent with all below it, their commands, and no other", async () => {
    const { terminate, play, agentTasks, manager } = await desk();
    agentTasks.add("deep", "middle");
    agentTasks.add("middle", "top");
    agentTasks.add("top", "agent-1");
    agentTasks.add("beside", "agent-1");
    const ended = play({ owner: "top" });
    await ended.end();
    play({ owner: "deep" });
    const left = play({ owner: "beside" });
    const [entry] = await terminate("top");
    expect(entry).toMatchObject({ status: "terminated", taskId: "top" });
    expect(entry).not.toHaveProperty("note");
    const ids = entry?.status === "terminated" ? entry.terminatedTaskIds : [];
    expect([...ids].sort()).toEqual(["bash:bg_2", "deep", "middle", "top"]);
    expect(manager.find(left.id)?.job.endedAtMs).toBeUndefined();
    expect(manager.find("bg_2")?.job.endedAtMs).toBeDefined();
  });

  it("is refused for more than five hundred", async () => {
    const { terminate } = await desk();
    const ids = Array.from({ length: 501 }, (_, at) => `t${at}`);
    expect((await thrown(terminate(...ids))).message).toBe("At most 500 tasks can be ended at once.");
    expect(await terminate(...ids.slice(1))).toHaveLength(500);
    expect((await terminate("x".repeat(300)))[0]).toMatchObject({ status: "error", taskId: "x".repeat(80) });
  });
});

describe("what is left of a workspace", () => {
  it("is ended: its commands, and what ended ones left running", async () => {
    const { session, play, manager } = await desk();
    const stopped: string[] = [];
    const survivors = [{ pid: 2 ** 30, command: "x", startedAtMs: 1 }];
    const stop = (name: string) => async () => void stopped.push(name);
    play({ owner: "gone" });
    await play({ owner: "gone" }).end({ survivors, stopSurvivors: stop("gone") });
    await play({ owner: "other" }).end({ survivors, stopSurvivors: stop("other") });
    const running = play({ owner: "other" });
    expect(await cleanUpWorkspace(session, "gone")).toEqual([]);
    expect(stopped).toEqual(["gone"]);
    expect(manager.find("bg_1")?.job.endedAtMs).toBeDefined();
    expect(manager.find(running.id)?.job.endedAtMs).toBeUndefined();
  });
});
