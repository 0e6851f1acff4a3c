/** Tasks on a terminal that the test plays: when a call is over, what it answers, and when nothing can be typed. */
import type { CommandResult, Executor } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";
import { resultOf } from "../support/facts.ts";
import { playedScene } from "../support/played-executor.ts";
import { playJob } from "../support/played-jobs.ts";
import { playedTerminal, READER } from "../support/played-terminal.ts";
import { jobs, textOf, thrown, until } from "../support/session.ts";

type TerminalOptions = Parameters<Executor["runOnTerminal"]>[1];

interface Played {
  facts?: Parameters<typeof playedTerminal>[0];
  settings?: object;
  ports?: Partial<TaskSession>;
  maxJobs?: number;
}

/** A session whose programs on terminals the test plays. */
async function desk({ facts, settings = {}, ports = {}, maxJobs = 10 }: Played = {}) {
  const manager = await jobs({ maxJobs });
  const played = playedTerminal({
    reader: { ...READER, name: "cat" },
    newLines: () => ({ lines: ["line"], unfinished: "sure?", isIncomplete: false }),
    placeNow: () => ({}) as ReturnType<typeof played.terminal.placeNow>,
    ...facts,
  });
  const started: { command: string; options: TerminalOptions }[] = [];
  let finish: (result: CommandResult) => void = () => undefined;
  const executor: Partial<Executor> = {
    runOnTerminal: async (command, options) => {
      started.push({ command, options });
      options.onOpen?.(played.terminal);
      options.onStart?.();
      return new Promise((resolve) => {
        finish = resolve;
        options.signal?.addEventListener("abort", () => resolve(resultOf("", { cancelled: true })));
      });
    },
  };
  const { session } = playedScene({ settings, executor }, { asyncJobManager: manager, ...ports } as object);
  const tools = createTaskTools(session);
  return {
    ...played,
    manager,
    started,
    session,
    open: (params: object = {}, signal?: AbortSignal) =>
      tools.task.execute(
        "call",
        { kind: "bash", script: "ask", timeout_secs: 60, display_name: "asks", tty: true, ...params },
        signal,
      ),
    send: (params: object, signal?: AbortSignal) =>
      tools.task_send.execute("call", { task_id: "bash:bg_1", ...params }, signal),
    end: (more: Partial<CommandResult> = {}) => {
      played.set({ isOver: true, waiting: undefined });
      finish(resultOf("line\n", more));
    },
  };
}

const NOTE = "The command goes on in the background as bash:bg_1. task_send types to it, task_await waits for it.";

describe("a task on a terminal", () => {
  it("answers when its program waits, with what it asks and what it wrote", async () => {
    const { open, started, manager, terminal } = await desk();
    const { content, details, ...rest } = await open({ timeout_secs: 0.5 });
    const notice = "Timeout clamped to 1s (requested 0.5s; allowed range 1-604800s).";
    const text = textOf({ content });
    expect(text.startsWith(`${notice}\n\n### Task bash:bg_1: waiting for input (line) after 1.2 s\n`)).toBe(true);
    expect(text.endsWith(`\n\n${NOTE}`)).toBe(true);
    expect(text).toContain("line\nsure?");
    expect(details).toStrictEqual({
      status: "running",
      taskId: "bash:bg_1",
      output: "line\nsure?\n",
      note: `${notice}\n${NOTE}`,
      waiting: terminal.waiting,
    });
    expect(rest).not.toHaveProperty("isError");
    expect(started[0]).toMatchObject({ command: "ask", options: { timeoutMs: 1_000, placeKey: "agent-1" } });
    expect(manager.find("bg_1")?.job).toMatchObject({ title: "asks", label: "ask" });
  });

  it("has its screen where it was drawn, and who has it", async () => {
    const { open } = await desk({ facts: { isDrawn: true, holder: "person", waiting: undefined } });
    const { details } = await open();
    expect(details).toMatchObject({ screen: { text: "text" }, holder: "person" });
    expect(details).not.toHaveProperty("waiting");
  });

  it("answers at once in the background, and its owner is notified", async () => {
    const { open, manager } = await desk({ facts: { until: () => Promise.reject(new Error("it was waited for")) } });
    const delivered: string[] = [];
    manager.subscribe("agent-1", (batch) => void delivered.push(...batch.map(({ text }) => text)));
    const { content, details } = await open({ run_in_background: true });
    expect(textOf({ content })).toBe(
      "Task bash:bg_1 runs in the background on a terminal. You are notified when it waits for input; `task_send` types to it.",
    );
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1" });
    await until(() => delivered.some((text) => text.includes("waiting for input")), "the news");
    const late = await open({ run_in_background: true, timeout_secs: 0.5 });
    expect(late.details).toMatchObject({ note: expect.stringContaining("Timeout clamped to 1s") });
    expect(textOf(late)).toMatch(/^Timeout clamped to 1s .*\nTask bash:bg_2 runs/);
  });

  it.each([
    [{ exitCode: 0 }, undefined],
    [{ exitCode: 3 }, true],
  ])("that ends meanwhile has its report: %j", async (end, isError) => {
    const {
      open,
      started,
      end: finish,
    } = await desk({
      facts: {
        waiting: undefined,
        until: async () => {
          finish({ ...end, usage: { userMs: 1, systemMs: 1 } });
          return "ended";
        },
      },
    });
    const result = await open();
    expect(result.isError).toBe(isError);
    expect(result.details).toMatchObject({
      status: "completed",
      taskId: "bash:bg_1",
      title: "asks",
      ...end,
      usage: { userMs: 1, systemMs: 1 },
      reportMarkdown: expect.stringMatching(/^### Bash task: bash:bg_1 \(asks\)\nstatus: exited\n/),
    });
    expect(result.details).not.toHaveProperty("note");
    expect(started).toHaveLength(1);
  });

  it("is ended with its call", async () => {
    const controller = new AbortController();
    const { open, manager } = await desk({
      facts: {
        until: async () => {
          controller.abort();
          return "stopped";
        },
      },
    });
    expect(await thrown(open({}, controller.signal))).toBeInstanceOf(ToolAbortError);
    await until(() => manager.find("bg_1")?.job.endedAtMs !== undefined, "it to end");
  });

  it("waits for so long as a command may block its agent, or a message comes", async () => {
    const waits: { timeoutMs: number; isStopped: boolean | undefined }[] = [];
    const message = AbortSignal.abort();
    const { open } = await desk({
      settings: { "task.blockingBudgetMs": 1_234 },
      ports: { queuedMessage: () => message },
      facts: {
        until: async ({ timeoutMs, stop }) => {
          waits.push({ timeoutMs, isStopped: stop?.aborted });
          return "stopped";
        },
      },
    });
    await open();
    expect(waits).toStrictEqual([{ timeoutMs: 1_234, isStopped: true }]);
  });

  it("is refused where no more jobs may run, before anything starts", async () => {
    const { open, started } = await desk({ maxJobs: 1 });
    await open();
    expect((await thrown(open())).message).toMatch(/^Background job limit reached \(1\)/);
    expect(started).toHaveLength(1);
  });
});

describe("a send", () => {
  it("types, and answers with what came of it", async () => {
    const { open, send, done, terminal } = await desk();
    await open();
    const { content, details } = await send({ text: "y", size: { cols: 10, rows: 5 } });
    expect(done).toEqual(["size 10x5", "y", "\r"]);
    expect(textOf({ content })).toMatch(/^### Task bash:bg_1: waiting for input/);
    expect(details.result).toMatchObject({ status: "running", waiting: terminal.waiting });
  });

  it("says first what became of the size", async () => {
    const { open, send } = await desk({ facts: { resize: () => ({ cols: 500, rows: 5 }) } });
    await open();
    expect(textOf(await send({ size: { cols: 900, rows: 5 } }))).toMatch(
      /^Size clamped to 500x5 .*\n### Task bash:bg_1/,
    );
  });

  it("says of a screen that it is the same", async () => {
    const { open, send } = await desk({ facts: { isDrawn: true } });
    await open();
    expect(textOf(await send({ keys: ["Up"] }))).not.toContain("Screen unchanged.");
    expect(textOf(await send({ keys: ["Up"] }))).toContain("Screen unchanged.");
  });

  it.each([
    [undefined, 10_000],
    [0, 0],
    [2.5, 2_500],
  ])("with `wait_secs` %s waits for %d ms at most", async (wait_secs, timeoutMs) => {
    const waits: number[] = [];
    const { open, send } = await desk({
      facts: {
        until: async (wait) => {
          waits.push(wait.timeoutMs);
          return "deadline";
        },
      },
    });
    await open();
    await send({ text: "y", ...(wait_secs === undefined ? {} : { wait_secs }) });
    expect(waits.at(-1)).toBe(timeoutMs);
  });

  it("that is aborted while it waits has typed, and the task goes on", async () => {
    const controller = new AbortController();
    const { open, send, done, terminal, manager } = await desk();
    await open();
    Object.assign(terminal, {
      until: async () => {
        controller.abort();
        return "stopped";
      },
    });
    const error = await thrown(send({ text: "y" }, controller.signal));
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Waiting was aborted; what was sent is typed, and the task goes on.");
    expect(done).toEqual(["y", "\r"]);
    expect(manager.find("bg_1")?.job.endedAtMs).toBeUndefined();
  });

  it("is refused where a person takes the terminal meanwhile, who sees what was typed", async () => {
    const { open, send, terminal, set } = await desk();
    await open();
    Object.assign(terminal, {
      until: async () => {
        set({ holder: "person" });
        return "held";
      },
    });
    const error = await thrown(send({ text: "y" }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^A person has the terminal of bash:bg_1/);
    expect((await thrown(send({ text: "y" }))).message).toMatch(/^A person has the terminal/);
  });

  it("finds no task that is not there, another's, an agent's, over, or without a terminal", async () => {
    const { open, send, set, manager } = await desk();
    expect((await thrown(send({ text: "y" }))).message).toBe("Task not found: bash:bg_1.");
    await open();
    expect((await thrown(send({ text: "y", task_id: "bash:bg_9" }))).message).toBe(
      "Task not found: bash:bg_9. Active tasks: bash:bg_1.",
    );
    const other = playJob(manager, { owner: "other" });
    expect((await thrown(send({ text: "y", task_id: `bash:${other.id}` }))).message).toBe(
      "Task bash:bg_2 belongs to a workspace that is not below this one.",
    );
    const plain = playJob(manager);
    expect((await thrown(send({ text: "y", task_id: `bash:${plain.id}` }))).message).toBe(
      "bash:bg_3 has no terminal: its input is empty. Start it with `tty: true`.",
    );
    const ended = playJob(manager);
    await ended.end();
    expect((await thrown(send({ text: "y", task_id: `bash:${ended.id}` }))).message).toMatch(
      /^bash:bg_4 has ended \(exit code 0, \d s ago\)\.$/,
    );
    set({ isOver: true });
    expect((await thrown(send({ text: "y" }))).message).toBe("bash:bg_1 has ended.");
  });
});
