/** How a call waits for a terminal: what it asks its job and its terminal for, and what becomes of starts that fail. */
import type { CommandResult, Executor, FollowReport } from "@pi-bash/executor";
import { describe, expect, it, vi } from "vitest";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { ToolAbortError } from "../../src/tool-error.ts";
import { jobOf, resultOf } from "../support/facts.ts";
import { playedScene } from "../support/played-executor.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { jobs, thrown, until } from "../support/session.ts";
import { PlayedAgents } from "../support/tasks.ts";

type Start = Executor["runOnTerminal"];

/** A session whose jobs answer as the test says, and whose terminals are played. */
async function desk(settings: object = {}, ports: Partial<TaskSession> = {}, start?: Start) {
  const manager = await jobs({ maxJobs: 100 });
  const waits: { timeoutMs: number; isStopped: boolean | undefined }[] = [];
  const played = playedTerminal({
    newLines: () => ({ lines: ["line"], unfinished: "", isIncomplete: false }),
    placeNow: () => ({}) as ReturnType<typeof played.terminal.placeNow>,
    until: async ({ timeoutMs, stop }) => {
      waits.push({ timeoutMs, isStopped: stop?.aborted });
      return "waiting";
    },
  });
  let finish: (result: CommandResult) => void = () => undefined;
  const runOnTerminal: Start = async (_, options) => {
    options.onOpen?.(played.terminal);
    options.onStart?.();
    return new Promise((resolve) => {
      finish = resolve;
      options.signal?.addEventListener("abort", () => resolve(resultOf("", { cancelled: true })));
    });
  };
  const { session } = playedScene({ settings, executor: { runOnTerminal: start ?? runOnTerminal } }, {
    asyncJobManager: manager,
    ...ports,
  } as object);
  const tools = createTaskTools(session);
  const follow = vi.spyOn(manager, "follow");
  return {
    ...played,
    manager,
    session,
    follow,
    waits,
    open: (params: object = {}, signal?: AbortSignal) =>
      tools.task.execute(
        "call",
        { kind: "bash", script: "ask", timeout_secs: 60, display_name: "asks", tty: true, ...params },
        signal,
      ),
    send: (params: object = {}) => tools.task_send.execute("call", { task_id: "bash:bg_1", text: "y", ...params }),
    end: (more: Partial<CommandResult>) => {
      played.set({ isOver: true, waiting: undefined });
      finish(resultOf("line\n", more));
    },
  };
}

/** A report of a job that has ended, which counts how it was answered. */
function reportOf(more: Partial<FollowReport> = {}) {
  const answered: string[] = [];
  const report: FollowReport = {
    job: jobOf({ state: "completed", endedAtMs: 2_000 }),
    output: { text: "x\n", isIncomplete: false },
    commit: () => void answered.push("commit"),
    release: () => void answered.push("release"),
    ...more,
  };
  return { report, answered };
}

describe("waiting for a terminal", () => {
  it("reads as its workspace, as much as a window has, and waits longer for the job than for the program", async () => {
    const bytes = { "bash.outputMaxBytes": 20_000 };
    const { open, send, follow, waits } = await desk({ ...bytes, "task.blockingBudgetMs": 1_234 });
    await open();
    expect(follow.mock.lastCall?.[1]).toStrictEqual({
      reader: "agent-1",
      timeoutMs: 1_234 + 5_000,
      stop: expect.any(AbortSignal),
      wakesOnOutput: false,
      maxBytes: 8_192,
    });
    await send();
    expect(follow.mock.lastCall?.[1]).toMatchObject({ maxBytes: 20_000, timeoutMs: 15_000 });
    expect(waits.map(({ timeoutMs }) => timeoutMs)).toEqual([1_234, 10_000]);
    const small = await desk({ "bash.outputMaxBytes": 2_000, "bash.outputMaxLines": 50, "task.autoBackground": false });
    await small.open();
    expect(small.follow.mock.lastCall?.[1]).toMatchObject({ maxBytes: 2_000, maxLines: 50 });
    const longest = 2 ** 31 - 1;
    expect(small.follow.mock.lastCall?.[1].timeoutMs).toBeLessThanOrEqual(longest);
    expect(small.waits[0]?.timeoutMs).toBeLessThanOrEqual(longest);
  });

  it("of a session without an id reads as no one, and its job has no owner", async () => {
    const { open, send, follow, manager } = await desk({}, { getSessionId: undefined } as object);
    await open();
    await send();
    expect(follow.mock.calls.map(([, { reader }]) => reader)).toEqual(["", ""]);
    expect(manager.find("bg_1")?.job).not.toHaveProperty("owner");
  });

  it("is stopped by a message that is queued", async () => {
    const message = new AbortController();
    const { open, send, waits } = await desk({}, { queuedMessage: () => message.signal });
    await open();
    message.abort();
    await send();
    expect(waits.map(({ isStopped }) => isStopped)).toEqual([false, true]);
  });

  it("is an error where the job is gone meanwhile", async () => {
    const { open, send, follow } = await desk();
    await open();
    follow.mockResolvedValueOnce(undefined);
    expect((await thrown(send())).message).toBe("Task not found: bash:bg_1.");
    follow.mockResolvedValueOnce(undefined);
    expect((await thrown(open())).message).toBe("bash:bg_2 is gone.");
  });

  it("has only the facts of an end that are known, and takes them", async () => {
    const { open, follow } = await desk();
    const bare = reportOf();
    follow.mockResolvedValueOnce(bare.report);
    const { details, isError } = await open();
    expect(details).toStrictEqual({ status: "completed", taskId: "bash:bg_1", reportMarkdown: expect.any(String) });
    expect([isError, bare.answered]).toEqual([true, ["commit"]]);
    const output = { text: "x\n", isIncomplete: true, leftOut: { startLine: 1, endLine: 9 } };
    follow.mockResolvedValueOnce(reportOf({ output }).report);
    expect((await open()).details).toMatchObject({ truncated: { totalLines: 9 } });
  });
});

describe("a start on a terminal", () => {
  it("that is given up before its program runs is not a job", async () => {
    const controller = new AbortController();
    const start: Start = (_, { signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve(resultOf("", { cancelled: true })));
        setImmediate(() => controller.abort());
      });
    const { open, manager } = await desk({}, {}, start);
    expect(await thrown(open({}, controller.signal))).toBeInstanceOf(ToolAbortError);
    expect(manager.listAll(() => true)).toEqual([]);
  });

  it("whose program is over before it runs is an error, and no job", async () => {
    const { open, manager } = await desk({}, {}, async () => resultOf(""));
    expect((await thrown(open())).message).toMatch(/^Background job limit reached/);
    expect(manager.listAll(() => true)).toEqual([]);
  });

  it("has the status of its program in the result that is delivered", async () => {
    const { open, manager, end } = await desk();
    const texts: string[] = [];
    manager.subscribe("agent-1", (batch) => void texts.push(...batch.map(({ text }) => text)));
    await open({ run_in_background: true });
    end({ exitCode: 3 });
    await until(() => texts.some((text) => text.startsWith("Background job bg_1")), "its delivery");
    expect(texts.at(-1)).toMatch(/\n\nline\n\nCommand exited with code 3$/);
  });
});

describe("a send", () => {
  it("to an agent is refused, and names fifty tasks at most where there is none of that name", async () => {
    const agentTasks = new PlayedAgents();
    agentTasks.add("child", "agent-1");
    const { send } = await desk({}, { agentTasks });
    expect((await thrown(send({ task_id: "child" }))).message).toBe("child is an agent and has no terminal.");
    for (let at = 0; at < 60; at += 1) agentTasks.add(`agent ${at}`, "agent-1");
    expect((await thrown(send({ task_id: "no one" }))).message.split(", ")).toHaveLength(50);
  });

  it("says of itself what it does", async () => {
    const { session } = await desk();
    expect(createTaskTools(session).task_send.description).toContain("Passwords are typed by a person.");
  });
});
