/**
 * Calls that go to the background, over an executor that starts nothing: when they do, what is shown and kept of them.
 */
import type { BashToolUpdate } from "@pi-bash/contract";
import type { CommandResult, JobDelivery, TimeoutDecision } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../src/session.ts";
import type { TaskSession } from "../src/tasks/task-session.ts";
import { createTaskTools } from "../src/tasks/task-tools.ts";
import { ToolAbortError } from "../src/tool-error.ts";
import { type PlayedRun, playedScene } from "./support/played-executor.ts";
import { jobs, textOf, thrown, until } from "./support/session.ts";

const COMMAND = "touch x";

/** A session with jobs whose commands go on until the test ends them. */
async function desk({ settings = {}, ports = {} }: { settings?: object; ports?: Partial<TaskSession> } = {}) {
  const manager = await jobs();
  const delivered: JobDelivery[] = [];
  manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
  const ends: ((result: Partial<CommandResult>) => void)[] = [];
  const made = playedScene(
    {
      settings: { "bash.outputMaxBytes": 20_000, ...settings },
      answer: (run) =>
        new Promise((resolve, reject) => {
          ends.push((result) => ("error" in result ? reject(result.error) : resolve(result)));
          run.options.signal?.addEventListener("abort", () =>
            resolve({ cancelled: true, output: "[Command cancelled]\n" }),
          );
        }),
    },
    { asyncJobManager: manager, ...ports } as Partial<BashToolSession>,
  );
  const updates: BashToolUpdate[] = [];
  const tools = createTaskTools(made.session);
  return {
    ...made,
    manager,
    delivered,
    updates,
    call: (params: object = {}, signal?: AbortSignal) =>
      made.bash({ command: COMMAND, ...params }, { updates, ...(signal === undefined ? {} : { signal }) }),
    task: (params: object = {}, signal?: AbortSignal) =>
      tools.task.execute(
        "call",
        { kind: "bash", script: COMMAND, timeout_secs: 60, display_name: "a\ncommand", ...params },
        signal,
        (update) => updates.push(update),
      ),
    /** The command that was run as the one of that number, once it runs. */
    run: async (number = 0): Promise<PlayedRun> => {
      await until(() => ends.length > number, "the command to run");
      const found = made.runs[number];
      if (found === undefined) throw new Error("it did not run");
      return found;
    },
    end: (result: Partial<CommandResult> & { error?: Error } = {}, number = 0) => ends[number]?.(result),
  };
}

const auto = (thresholdMs: number) => ({
  "bash.autoBackground.enabled": true,
  "bash.autoBackground.thresholdMs": thresholdMs,
});

describe("a call that may go to the background", () => {
  it("does when its time in the foreground is over, with what it has written", async () => {
    const { call, run, end, delivered, updates } = await desk({ settings: auto(1_000) });
    const calling = call();
    const { options } = await run();
    options.onUpdate?.(`${"x".repeat(3_000)}last\n\n`, { bytes: 3_006, lines: 2 });
    const { content, details } = await calling;
    expect(textOf({ content })).toMatch(/^x{2042}last\n\nBackground job bg_1 started: touch x\n/);
    expect(details).toMatchObject({ async: { state: "running", jobId: "bg_1", type: "bash" }, timeoutSeconds: 300 });
    expect(updates[0]?.details).toStrictEqual({});
    options.onUpdate?.("more", { bytes: 3_010, lines: 2 });
    expect(updates.at(-1)).toMatchObject({ details: { async: { state: "running", jobId: "bg_1" } } });
    end({ exitCode: 3 });
    await until(() => delivered.length > 0, "its delivery");
    expect(delivered[0]?.text).toMatch(/\n\nout\n\nCommand exited with code 3$/);
    expect(updates.at(-1)).toMatchObject({ details: { async: { state: "failed" } } });
  });

  it.each([
    [{ exitCode: 0 }, "completed"],
    [{ exitCode: 1 }, "failed"],
    [{ error: new Error("no shell") }, "failed"],
  ])("shows its end as a state: %j is %s", async (result, state) => {
    const { call, run, end, delivered, updates } = await desk({ settings: { "async.enabled": true } });
    await call({ async: true });
    await run();
    end(result as object);
    await until(() => delivered.length > 0, "its delivery");
    expect(updates.at(-1)?.details).toStrictEqual({ async: { state, jobId: "bg_1", type: "bash" } });
    if ("error" in result) expect(textOf(updates.at(-1) ?? { content: [] })).toBe("no shell");
  });

  it("is shown as cancelled where it was", async () => {
    const { call, run, manager, updates } = await desk({ settings: { "async.enabled": true } });
    await call({ async: true });
    await run();
    await manager.cancel("bg_1", "agent-1");
    await until(() => updates.at(-1)?.details?.async?.state === "cancelled", "its state");
  });

  it("has a text without what its manager lists, and in a shell of its own without what became of that", async () => {
    const result = {
      survivors: [{ pid: 2 ** 30, command: "sleep", startedAtMs: 1 }],
      sessionReset: true,
      workingDir: "/elsewhere",
      lostWithShell: ["jobs" as const],
    };
    const own = await desk({ settings: { "async.enabled": true } });
    await own.call({ async: true });
    await own.run();
    own.end(result);
    await until(() => own.delivered.length > 0, "its delivery");
    expect(own.delivered[0]?.text).not.toMatch(/The shell was replaced|elsewhere|They end with the session/);
    const shared = await desk({ settings: auto(1) });
    await shared.call();
    await shared.run();
    shared.end(result);
    await until(() => shared.delivered.length > 0, "its delivery");
    expect(shared.delivered[0]?.text).toContain("The shell was replaced");
    expect(shared.delivered[0]?.text).not.toContain("They end with the session");
  });

  it("answers as any other where it ends in time, also at its caller's word", async () => {
    const { call, run, end, manager } = await desk({ settings: auto(60_000) });
    const calling = call();
    await run();
    end({ exitCode: 2 });
    expect(textOf(await calling)).toBe("out\n\nCommand exited with code 2");
    const controller = new AbortController();
    const aborted = thrown(call({}, controller.signal));
    await run(1);
    controller.abort();
    expect(await aborted).toBeInstanceOf(ToolAbortError);
    expect(manager.list("agent-1")).toEqual([]);
  });

  it("fails as any other where it cannot be started", async () => {
    const { call, run, end } = await desk({ settings: auto(60_000) });
    const calling = thrown(call());
    await run();
    end({ error: Object.assign(new Error("no shell"), { code: "PI_NO_SHELL" }) });
    expect((await calling).message).toBe("no shell");
  });

  it("does when its caller has gone", async () => {
    const gone = new AbortController();
    const { call, run, manager } = await desk({ ports: { callerGone: () => gone.signal } });
    const calling = call();
    await run();
    gone.abort();
    expect((await calling).details?.async).toMatchObject({ state: "running" });
    expect(manager.runningCount).toBe(1);
  });
});

describe("a deadline", () => {
  const asks = (decision: TimeoutDecision, seen: object[] = []) => ({
    onTimeout: (request: object): TimeoutDecision => {
      seen.push(request);
      return decision;
    },
  });

  it("asks nothing where the session says nothing", async () => {
    const { call, run, end } = await desk();
    const calling = call();
    const { options } = await run();
    expect(options).not.toHaveProperty("onTimeout");
    expect(options).not.toHaveProperty("lifetimeMs");
    end();
    await calling;
  });

  it("asks the session, which may let the command go on as a job", async () => {
    const seen: object[] = [];
    const { call, run } = await desk({ ports: asks("background", seen) });
    const calling = call({ command: `cd . && ${COMMAND}`, timeout: 7 });
    const { options } = await run();
    expect(options.lifetimeMs).toBe(604_800_000);
    expect(options.onTimeout?.()).toBe("background");
    expect((await calling).details?.async).toMatchObject({ jobId: "bg_1" });
    expect(seen).toStrictEqual([{ command: `cd . && ${COMMAND}`, timeoutMs: 7_000 }]);
  });

  it.each<[string, object, object, TimeoutDecision]>([
    ["the session ends it", {}, asks("kill"), "kill"],
    ["the session ends it whatever the setting is", { "bash.timeoutAction": "background" }, asks("kill"), "kill"],
    ["the setting lets it go on", { "bash.timeoutAction": "background" }, {}, "background"],
  ])("%s", async (_, settings, ports, decision) => {
    const { call, run, end, manager } = await desk({ settings, ports });
    const calling = call();
    const { options } = await run();
    expect(options.onTimeout?.()).toBe(decision);
    expect(manager.runningCount).toBe(decision === "kill" ? 0 : 1);
    end();
    await calling;
  });

  it("ends a command where no more jobs may run", async () => {
    const { call, run, end, manager } = await desk({ ports: asks("background") });
    for (let at = 0; at < manager.maxJobs; at += 1)
      manager.start({
        command: "x",
        work: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ text: "" }))),
      });
    const calling = call();
    const { options } = await run();
    expect(options.onTimeout?.()).toBe("kill");
    end();
    await calling;
  });
});

describe("a task in the foreground", () => {
  it("has its output, its status and a report of both", async () => {
    const { task, run, end } = await desk();
    const calling = task();
    const { options } = await run();
    expect(options).toMatchObject({ timeoutMs: 60_000, sessionKey: "agent-1" });
    end({ exitCode: 2, usage: { userMs: 1, systemMs: 1 } });
    const { content, details, isError } = await calling;
    const text = "out\n\nUsed: 0.00 s of processor time\nCommand exited with code 2";
    expect(textOf({ content })).toBe(text);
    expect(isError).toBe(true);
    expect(details).toStrictEqual({
      status: "completed",
      title: "a command",
      reportMarkdown: `### Bash task: a command\n\n\`\`\`\n${text}\n\`\`\``,
      exitCode: 2,
      usage: { userMs: 1, systemMs: 1 },
    });
  });

  it("goes on when a message is queued, and gives what it has written", async () => {
    const message = new AbortController();
    const { task, run } = await desk({ ports: { queuedMessage: () => message.signal } });
    const calling = task({ timeout_secs: 0.5 });
    await run();
    message.abort();
    const { content, details } = await calling;
    const note =
      "Timeout clamped to 1s (requested 0.5s; allowed range 1-3600s).\n" +
      "Task sent to background because a new message was queued. Use task_await to monitor progress.";
    expect(textOf({ content })).toBe(note);
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1", output: "", note });
  });

  it("goes on when its caller has gone, whose answer takes nothing of the output", async () => {
    const gone = new AbortController();
    const { task, run } = await desk({ ports: { callerGone: () => gone.signal } });
    const calling = task();
    await run();
    gone.abort();
    expect(textOf(await calling)).toBe("Task bash:bg_1 runs in the background. `task_await` has its output.");
  });

  it("goes on after its budget, unless its program is one that is waited for", async () => {
    const settings = { "task.blockingBudgetMs": 1, "task.neverBackground": ["touch"] };
    const { task, run, end, manager } = await desk({ settings });
    const waited = task();
    await run();
    const moved = await task({ script: "make x" });
    expect(moved.details).toMatchObject({
      status: "running",
      note: "The command goes on in the background as bash:bg_1. Use task_await to monitor progress.",
    });
    expect(manager.find("bg_1")?.job).toMatchObject({ title: "a command", label: "make x" });
    end();
    expect((await waited).details).toMatchObject({ status: "completed" });
  });
});

describe("a task in the background", () => {
  it("answers at once, and lives for a week at most", async () => {
    const { task, run, manager } = await desk();
    const { content, details } = await task({ run_in_background: true, timeout_secs: 700_000 });
    const notice = "Timeout clamped to 604800s (requested 700000s; allowed range 1-604800s).";
    expect(textOf({ content })).toBe(
      `${notice}\nTask bash:bg_1 runs in the background. \`task_await\` has its output.`,
    );
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1", note: notice });
    expect((await run()).options.timeoutMs).toBe(604_800_000);
    expect(manager.find("bg_1")?.job.title).toBe("a command");
    const plain = await task({ run_in_background: true });
    expect(plain.details).not.toHaveProperty("note");
  });
});
