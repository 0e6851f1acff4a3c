/** Awaiting and watching over jobs without a process: when it is over, and what is said of each task. */
import { describe, expect, it } from "vitest";
import { desk } from "../support/played-desk.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { thrown, until } from "../support/session.ts";

describe("awaiting", () => {
  it("says that there is nothing to await", async () => {
    const { text, await: wait } = await desk();
    expect(await text("task_await", {})).toBe("No active tasks.");
    expect(await wait({ task_ids: [] })).toEqual([]);
  });

  it("names what is active below what was not found", async () => {
    const { text, play } = await desk();
    play();
    expect(await text("task_await", { task_ids: ["nothing", "bash:bg_1", "nothing"], timeout_secs: 60 })).toMatch(
      /^Task not found: nothing\. It may .*\n\n### Task bash:bg_1: running for \d+\.\d s\n\nActive tasks: bash:bg_1$/,
    );
  });

  it("has no names of active tasks where all were found, or none is active", async () => {
    const { text, play } = await desk();
    expect(await text("task_await", { task_ids: ["nothing"] })).not.toContain("Active tasks");
    play();
    expect(await text("task_await", { timeout_secs: 0 })).not.toContain("Active tasks");
  });

  it("is over when so many have ended as were asked for", async () => {
    const { await: wait, play } = await desk();
    const [first, second, third] = [play(), play(), play()];
    const waiting = wait({ task_ids: ["bash:bg_1", "bash:bg_2", "bash:bg_3"], min_completed: 2 });
    await first.end({ text: "one" });
    await third.end({ text: "three" });
    expect((await waiting).map(({ status }) => status)).toEqual(["completed", "running", "completed"]);
    await second.end();
    expect((await wait({ task_ids: ["bash:bg_2"], min_completed: 9 })).map(({ status }) => status)).toStrictEqual([
      "completed",
    ]);
  });

  it("does not wait where one is not there", async () => {
    const { await: wait, play } = await desk();
    play();
    const [running, error] = await wait({ task_ids: ["bash:bg_1", "bash:"], min_completed: 2, timeout_secs: 600 });
    expect(running).toMatchObject({ status: "running" });
    expect(error).toStrictEqual({ status: "error", taskId: "bash:", error: "Invalid bash taskId." });
  });

  it("that a message interrupts says so, beside what else there is to say", async () => {
    const message = AbortSignal.abort();
    const { await: wait, play } = await desk({}, { queuedMessage: () => message });
    play();
    const ended = play();
    await ended.end();
    const [running, completed] = await wait({ task_ids: ["bash:bg_1", "bash:bg_2"] });
    expect(running).toMatchObject({ note: "Waiting was interrupted: a new message was queued. The task goes on." });
    expect(completed).not.toHaveProperty("note");
  });

  it("is refused for more than five hundred, and watched are no more", async () => {
    const { await: wait } = await desk();
    const ids = Array.from({ length: 501 }, (_, at) => `t${at}`);
    expect((await thrown(wait({ task_ids: ids }))).message).toBe("At most 500 tasks can be waited for at once.");
    const watch = { filter: "x", notify: "wake" };
    expect((await thrown(wait({ task_ids: ids, ...watch }))).message).toBe("At most 500 tasks can be watched at once.");
    expect(await wait({ task_ids: ids.slice(1), ...watch })).toHaveLength(500);
  });

  it("with a task that is stuck at a prompt ends at once, since no other one can go on", async () => {
    const { await: wait, play } = await desk();
    const { terminal } = playedTerminal({
      newLines: () => ({ lines: [], unfinished: "sure?", isIncomplete: false }),
      placeNow: () => ({}) as ReturnType<typeof terminal.placeNow>,
    });
    play().context.setTerminal(terminal);
    await wait({ timeout_secs: 0 });
    const [entry] = await wait({ timeout_secs: 600 });
    expect(entry).toMatchObject({ status: "running", waiting: { prompt: "sure?" } });
  });
});

describe("awaiting programs on terminals", () => {
  const SECRET = { kind: "secret", program: "ssh", since_ms: 1, certain: true } as const;
  const silent = (facts: Parameters<typeof playedTerminal>[0] = {}) =>
    playedTerminal({
      newLines: () => ({ lines: [], unfinished: "", isIncomplete: false }),
      placeNow: () => ({}) as never,
      ...facts,
    });

  it("goes on where a person has to type, and ends with the task", async () => {
    const { await: wait, play } = await desk();
    const job = play();
    const { terminal } = silent({ waiting: SECRET });
    job.context.setTerminal(terminal);
    await wait({ timeout_secs: 0 });
    const waiting = wait({ timeout_secs: 600 });
    await until(() => terminal.isAttended, "the wait to begin");
    await job.end();
    expect(await waiting).toMatchObject([{ status: "completed" }]);
  });

  it("is over for all where one of them waits, though it wrote nothing", async () => {
    const { await: wait, play } = await desk();
    play();
    play().context.setTerminal(silent().terminal);
    const waited = await wait({ timeout_secs: 600 });
    expect(waited).toMatchObject([{ status: "running" }, { status: "running", waiting: { kind: "line" } }]);
  });

  it("shows a screen once to each reader", async () => {
    const { text, play } = await desk();
    play().context.setTerminal(silent({ isDrawn: true }).terminal);
    expect(await text("task_await", { timeout_secs: 0 })).not.toContain("Screen unchanged.");
    expect(await text("task_await", { timeout_secs: 0 })).toContain("Screen unchanged.");
  });
});

describe("the room of an answer", () => {
  it("is shared by the tasks, each with room for its facts", async () => {
    const { await: wait, text, play } = await desk({ "bash.outputMaxBytes": 3_000 });
    const line = "123456789\n";
    for (let at = 0; at < 3; at += 1) play().context.update(line.repeat(200), { bytes: 2_000, lines: 200 });
    const waited = await wait({ timeout_secs: 0 });
    expect(waited.map((entry) => "output" in entry && entry.output?.length)).toEqual([600, 600, 600]);
    for (let at = 0; at < 3; at += 1) play().context.update(line.repeat(200), { bytes: 2_000, lines: 200 });
    expect(Buffer.byteLength(await text("task_await", { timeout_secs: 0 }))).toBeLessThanOrEqual(3_000);
  });

  it("is counted in lines, too, and is a line at least", async () => {
    const lines = async (maxLines: number) => {
      const { await: wait, play } = await desk({ "bash.outputMaxLines": maxLines });
      play().context.update("1\n".repeat(200), { bytes: 400, lines: 200 });
      const [entry] = await wait({ timeout_secs: 0 });
      return entry !== undefined && "output" in entry ? entry.output?.split("\n").length : 0;
    };
    expect(await lines(20)).toBe(8 + 1);
    expect(await lines(10)).toBe(1 + 1);
  });
});

describe("watching", () => {
  it.each([
    [{ task_ids: ["bash:bg_1"] }, "notify needs `filter`: an RE2 expression for the lines to be notified of."],
    [
      { task_ids: ["bash:bg_1"], filter: "" },
      "notify needs `filter`: an RE2 expression for the lines to be notified of.",
    ],
    [{ filter: "x" }, "notify needs `task_ids`: the tasks to watch."],
    [{ filter: "x", task_ids: [] }, "notify needs `task_ids`: the tasks to watch."],
    [
      { filter: "x", task_ids: ["bash:bg_1"], filter_exclude: true },
      "notify does not wait: leave `filter_exclude` and `min_completed` out.",
    ],
    [
      { filter: "x", task_ids: ["bash:bg_1"], min_completed: 1 },
      "notify does not wait: leave `filter_exclude` and `min_completed` out.",
    ],
  ])("with %j is refused", async (params, message) => {
    const { await: wait, play } = await desk();
    play();
    expect((await thrown(wait({ notify: "wake", ...params }))).message).toBe(message);
  });

  it("says of each task what it did", async () => {
    const { text, play, agentTasks } = await desk();
    agentTasks.add("agent", "agent-1");
    play();
    await play().end();
    play({ owner: "elsewhere" });
    const watch = (notify: string) =>
      text("task_await", {
        notify,
        filter: "x\ty",
        task_ids: ["bash:bg_1", "bash:bg_2", "bash:bg_3", "agent", "none"],
      });
    const others = [
      "Task bash:bg_3 belongs to a workspace that is not below this one.",
      "Task agent: An agent writes no lines that could be watched; task_await waits for its report.",
      "Task not found: none. It may have ended long ago, or the host was started again.",
    ];
    expect((await watch("off")).split("\n")).toStrictEqual([
      "bash:bg_1 was not watched for /x y/.",
      "bash:bg_2 was not watched for /x y/.",
      ...others,
    ]);
    expect((await watch("wake")).split("\n")).toStrictEqual([
      expect.stringMatching(/^Watching bash:bg_1 for \/x y\/( from line \d+)?\.$/),
      "Task bash:bg_2: it has ended, so nothing was watched; task_await has its output.",
      ...others,
    ]);
    expect((await watch("quiet")).split("\n")[0]).toMatch(
      /^Watching bash:bg_1 for \/x y\/( from line \d+)?, quietly\.$/,
    );
    expect((await watch("off")).split("\n")[0]).toBe("No longer watching bash:bg_1 for /x y/.");
  });
});
