/** How a task's command is judged and run, and what its answer has of it: executor and jobs are the test's. */
import type { FollowReport } from "@pi-bash/executor";
import type { AuthorizeOptions, PolicyRequest } from "@pi-bash/policy";
import { describe, expect, it, vi } from "vitest";
import { createLegacyTools } from "../../src/tasks/legacy-tools.ts";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";
import { ALLOWED } from "../support/allowing.ts";
import { jobOf } from "../support/facts.ts";
import { type PlayedAnswer, playedScene } from "../support/played-executor.ts";
import { playJob } from "../support/played-jobs.ts";
import { jobs, textOf, thrown, until } from "../support/session.ts";
import { PlayedAgents } from "../support/tasks.ts";

interface Played {
  settings?: object;
  ports?: Partial<TaskSession>;
  answer?: PlayedAnswer;
  permits?: () => void;
}

/** A session with jobs whose policy allows everything and keeps what it was asked. */
async function desk({ settings = {}, ports = {}, answer = async () => ({}), permits }: Played = {}) {
  const manager = await jobs();
  const asked: { request: PolicyRequest; options: AuthorizeOptions }[] = [];
  const policy = {
    authorize: async (request: PolicyRequest, options: AuthorizeOptions = {}) => {
      asked.push({ request, options });
      permits?.();
      return ALLOWED;
    },
    observe: () => undefined,
  };
  const runOnTerminal = () => Promise.reject(new ToolError("no terminal"));
  const made = playedScene({ settings, answer, executor: { runOnTerminal } }, {
    asyncJobManager: manager,
    policy,
    ...ports,
  } as object);
  const { task } = createTaskTools(made.session);
  return {
    ...made,
    manager,
    asked,
    task: (params: object = {}, { signal, context }: { signal?: AbortSignal; context?: object } = {}) =>
      task.execute(
        "call",
        { kind: "bash", script: "touch x", timeout_secs: 60, display_name: "a command", ...params },
        signal,
        undefined,
        context,
      ),
  };
}

describe("a task's command", () => {
  it("is judged as one of the session's shell in the foreground, and of its own shell elsewhere", async () => {
    const { task, asked } = await desk();
    await task();
    await task({ run_in_background: true });
    expect(asked.map(({ options }) => options.sessionKey)).toEqual(["agent-1", undefined]);
    expect(asked.map(({ request }) => [request.description, request.unconfined])).toEqual([
      ["a command", false],
      ["a command", false],
    ]);
  });

  it("is judged on a terminal as what may be typed to", async () => {
    const { task, asked } = await desk();
    expect((await thrown(task({ tty: true }))).message).toBe("no terminal");
    expect(asked[0]?.options.sessionKey).toBeUndefined();
    expect(asked[0]?.request).toMatchObject({
      description: "a command; on a terminal, and what the model types into it",
      hold: "none",
    });
  });

  it("has no terminal where only reading is allowed", async () => {
    const { task, asked } = await desk({ ports: { policyContext: () => ({ mode: "plan" }) } });
    expect((await thrown(task({ tty: true }))).message).toBe(
      "`tty` is refused while only reading is allowed (mode `plan`). Run the command without it.",
    );
    expect(asked).toEqual([]);
  });

  it("may ask to run where it can write", async () => {
    const { task, asked } = await desk();
    for (const unconfined of [true, false]) await task({ unconfined });
    expect(asked.map(({ request }) => request.unconfined)).toEqual([true, false]);
  });

  it("has the variables of its call", async () => {
    const { task, runs } = await desk();
    await task({}, { context: { commandEnv: { A: "b" } } });
    expect(runs[0]?.options.env).toEqual({ A: "b" });
  });

  it("does not run where the call was given up while it was judged", async () => {
    const controller = new AbortController();
    const { task, runs } = await desk({ permits: () => controller.abort() });
    expect(await thrown(task({}, { signal: controller.signal }))).toBeInstanceOf(ToolAbortError);
    expect(runs).toEqual([]);
  });

  it("has only what is known of its end", async () => {
    const plain = await desk();
    expect((await plain.task()).details).toStrictEqual({
      status: "completed",
      title: "a command",
      reportMarkdown: "### Bash task: a command\n\n```\nout\n```",
      exitCode: 0,
    });
    const cut = await desk({ answer: async () => ({ truncated: true, totalLines: 9 }) });
    expect((await cut.task()).details).toMatchObject({
      truncated: {
        reason: "the output is longer than what is shown; the notice says where the rest is",
        totalLines: 9,
      },
    });
  });

  it("runs in the client's terminal where commands belong there", async () => {
    const terminal = {
      terminalId: "t",
      waitForExit: async () => ({ exitCode: 0 }),
      currentOutput: async () => ({ output: "there\n", truncated: false }),
      kill: async () => undefined,
      release: async () => undefined,
    };
    const bridge = { capabilities: { terminal: true }, createTerminal: async () => terminal };
    const { task, runs } = await desk({ ports: { getClientBridge: () => bridge } });
    expect(textOf(await task())).toMatch(/^there/);
    expect(runs).toEqual([]);
  });
});

describe("a task's command that goes on", () => {
  /** A task that goes on at once, and whose output is read so. */
  async function wentOn(read: (answered: string[]) => Partial<FollowReport> | undefined, settings: object = {}) {
    const scene = await desk({
      settings: { "task.blockingBudgetMs": 1, ...settings },
      answer: ({ options }) =>
        new Promise((resolve) => options.signal?.addEventListener("abort", () => resolve({ cancelled: true }))),
    });
    const answered: string[] = [];
    const follow = vi.spyOn(scene.manager, "follow").mockImplementation(async () => {
      const more = read(answered);
      if (more === undefined) return undefined;
      return {
        job: jobOf(),
        output: { text: "", isIncomplete: false },
        commit: () => void answered.push("commit"),
        release: () => void answered.push("release"),
        ...more,
      };
    });
    const { content, details } = await scene.task();
    return { text: textOf({ content }), details, answered, options: follow.mock.lastCall?.[1] };
  }
  const NOTE = "The command goes on in the background as bash:bg_1. Use task_await to monitor progress.";

  it("has what it has written up to then, which counts as given out", async () => {
    const { text, details, answered, options } = await wentOn(() => ({ output: { text: "a\n", isIncomplete: false } }));
    expect(text).toBe(`\`\`\`\na\n\`\`\`\n\n${NOTE}`);
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1", output: "a\n", note: NOTE });
    expect(answered).toEqual(["commit"]);
    expect(options).toStrictEqual({ reader: "agent-1", timeoutMs: 0, wakesOnOutput: true, maxBytes: 8_192 });
  });

  it("has as much of it as a window has, and says what is left out", async () => {
    const leftOut = { startLine: 1, endLine: 9 };
    const { text, options } = await wentOn(
      () => ({ job: jobOf({ artifactId: "abc" }), output: { text: "a\n", isIncomplete: true, leftOut } }),
      { "bash.outputMaxBytes": 2_000, "bash.outputMaxLines": 11 },
    );
    expect(text).toBe(`\`\`\`\na\n\`\`\`\n\nLines 1-9 are left out here: artifact://abc?lines=1-9\n${NOTE}`);
    expect(options).toMatchObject({ maxBytes: 2_000, maxLines: 11 });
  });

  it("and has ended meanwhile is reported by the next call", async () => {
    const ended = jobOf({ state: "completed", endedAtMs: 2_000 });
    const { text, answered } = await wentOn(() => ({ job: ended }));
    expect([text, answered]).toEqual([NOTE, ["release"]]);
  });

  it("and of which nothing can be read is only named", async () => {
    const { text, details, answered } = await wentOn(() => undefined);
    expect([text, answered]).toEqual([NOTE, []]);
    expect(details).toMatchObject({ output: "" });
  });
});

describe("an older tool", () => {
  it("reads one command by its name", async () => {
    const { session, manager } = await desk();
    const [first, second] = [playJob(manager), playJob(manager)];
    await second.end({ text: "done", exitCode: 3 });
    const { bash_output } = createLegacyTools(session);
    const ended = await bash_output.execute("call", { process_id: second.id, timeout_secs: 0 });
    expect(ended.details).toMatchObject({ status: "completed", taskId: `bash:${second.id}`, exitCode: 3 });
    const running = await bash_output.execute("call", { process_id: first.id, timeout_secs: 0 });
    expect(running.details).toMatchObject({ status: "running", taskId: `bash:${first.id}` });
    expect(textOf(running)).toMatch(/^### Task bash:bg_1: running for/);
  });

  it("lists what runs and what has ended, and ends one by its name", async () => {
    const { session, manager } = await desk();
    const [first, second] = [playJob(manager, { title: "one" }), playJob(manager, { title: "two" })];
    await first.end();
    const { bash_background_list, bash_background_terminate } = createLegacyTools(session);
    expect(textOf(await bash_background_list.execute("call", {}))).toBe("bg_1 reported one\nbg_2 running two");
    const ended = await bash_background_terminate.execute("call", { process_id: second.id });
    expect(textOf(ended)).toBe("Process bg_2 is ended.");
    expect(ended.details).toMatchObject({ status: "terminated", taskId: "bash:bg_2" });
    await until(() => manager.find(second.id)?.job.state === "cancelled", "its end");
  });

  it("finds no command of another workspace", async () => {
    const { session, manager } = await desk();
    const { id } = playJob(manager, { owner: "elsewhere" });
    const { bash_output, bash_background_terminate } = createLegacyTools(session);
    for (const tool of [bash_output, bash_background_terminate])
      expect((await thrown(tool.execute("call", { process_id: id }))).message).toMatch(/^Process not found: bg_1\. /);
    expect(manager.find(id)?.job.state).toBe("running");
  });
});

describe("the description of `task`", () => {
  const description = async (settings: object, ports: Partial<TaskSession> = {}) =>
    createTaskTools((await desk({ settings, ports })).session).task.description;

  it("says when a command goes on by itself, where one does", async () => {
    expect(await description({ "task.blockingBudgetMs": 9_000 })).toContain(
      "A command that takes longer than 9 s goes on in the background.",
    );
    expect(await description({ "task.autoBackground": false })).not.toContain("takes longer than");
  });

  it("says of agents what is so in this session", async () => {
    const agentTasks = new PlayedAgents();
    const may = await description({}, { agentTasks });
    const mayNot = await description({ "task.maxDepth": 0 }, { agentTasks });
    const none = await description({});
    expect(new Set([may, mayNot, none]).size).toBe(3);
    expect(none).toContain('`kind: "bash"` runs `script` in bash');
  });
});
