/** What a call of `task_await` waits with, for how long and for whom, and what is done with what the waits give. */
import type { FollowReport } from "@pi-bash/executor";
import { describe, expect, it, vi } from "vitest";
import { ToolAbortError } from "../../src/tool-error.ts";
import { jobOf } from "../support/facts.ts";
import { desk as playedDesk } from "../support/played-desk.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { thrown } from "../support/session.ts";

/** A session whose jobs answer waits as the test says; `answered` has what became of each. */
async function desk(settings: object = {}, ports: Parameters<typeof playedDesk>[1] = {}) {
  const scene = await playedDesk(settings, ports);
  const answered: string[] = [];
  const follow = vi.spyOn(scene.manager, "follow");
  const report = (more: Partial<FollowReport> = {}): FollowReport => ({
    job: jobOf(),
    output: { text: "", isIncomplete: false },
    commit: () => void answered.push("commit"),
    release: () => void answered.push("release"),
    ...more,
  });
  follow.mockImplementation(async () => report());
  return { ...scene, follow, answered, report, options: () => follow.mock.lastCall?.[1] };
}

const ENDED = { job: jobOf({ state: "completed", endedAtMs: 2_000, exitCode: 0 }) };
const QUEUED = "Waiting was interrupted: a new message was queued. The task goes on.";

describe("a wait", () => {
  it("is for ten minutes, for any news of all that is active", async () => {
    const { await: wait, play, follow, options } = await desk({ "bash.outputMaxBytes": 10_000 });
    play();
    await wait();
    expect(follow).toHaveBeenCalledTimes(1);
    expect(follow.mock.lastCall?.[0]).toBe("bg_1");
    expect(options()).toStrictEqual({
      reader: "agent-1",
      timeoutMs: 600_000,
      wakesOnOutput: true,
      wakesOnWaiting: false,
      maxBytes: 10_000 - 400,
      stop: expect.any(AbortSignal),
    });
  });

  it("has the bounds and the filter that it is asked for", async () => {
    const { await: wait, play, options } = await desk({ "bash.outputMaxLines": 30 });
    play();
    await wait({ filter: "x", timeout_secs: 2.5, min_completed: 1 });
    expect(options()).toMatchObject({ filter: "x", filterExclude: false, timeoutMs: 2_500, wakesOnOutput: false });
    expect(options()).toMatchObject({ maxLines: 30 - 12 });
    await wait({ filter: "x", filter_exclude: true, timeout_secs: 0 });
    expect(options()).toMatchObject({ filter: "x", filterExclude: true, timeoutMs: 0 });
  });

  it("lasts no time where an id names nothing", async () => {
    const { await: wait, play, options } = await desk();
    play();
    for (const id of ["nothing", "bash:", "bash:bg_7"]) {
      await wait({ task_ids: ["bash:bg_1", id], timeout_secs: 60 });
      expect(options()).toMatchObject({ timeoutMs: 0 });
    }
    await wait({ task_ids: [" bash:bg_1 ", "bash:bg_1"], timeout_secs: 60 });
    expect(options()).toMatchObject({ timeoutMs: 60_000 });
  });

  it("of a session without an id reads as no one", async () => {
    const { await: wait, manager, session, options } = await desk();
    Object.assign(session, { getSessionId: undefined });
    manager.start({ command: "x", work: async () => ({ text: "" }) });
    await wait({ task_ids: ["bash:bg_1"] });
    expect(options()).toMatchObject({ reader: "" });
  });

  it("ends for a prompt only where no task can go on without an answer", async () => {
    const { await: wait, play, options } = await desk();
    play().context.setTerminal(playedTerminal().terminal);
    await wait({ timeout_secs: 0 });
    expect(options()).toMatchObject({ wakesOnWaiting: true });
    play();
    await wait({ timeout_secs: 0 });
    expect(options()).toMatchObject({ wakesOnWaiting: false });
  });

  it("goes on for the others where a program only may be waiting", async () => {
    const { await: wait, play, follow, report } = await desk();
    const stops: (AbortSignal | undefined)[] = [];
    follow.mockImplementation(async (_, { stop }) => {
      stops.push(stop);
      return report();
    });
    const { terminal, set } = playedTerminal();
    play().context.setTerminal(terminal);
    await wait();
    const { waiting } = terminal;
    if (waiting === undefined) throw new Error("it does not wait");
    set({ waiting: { ...waiting, certain: false } });
    await wait();
    set({ waiting: undefined });
    await wait();
    expect(stops.map((stop) => stop?.aborted)).toEqual([true, false, false]);
  });

  it("is refused with an invalid filter, or one that is left out", async () => {
    const { await: wait, play, follow } = await desk();
    play();
    expect((await thrown(wait({ filter_exclude: true }))).message).toBe("filter_exclude requires filter to be set");
    const invalid = await thrown(wait({ filter: "(" }));
    expect(invalid.message).toMatch(/^Invalid filter regex: /);
    expect(invalid.cause).toBeInstanceOf(Error);
    await wait({ filter_exclude: false });
    expect(follow).toHaveBeenCalledTimes(1);
  });

  it("shows a screen that nothing has drawn only where it is asked for", async () => {
    const { await: wait, play } = await desk();
    play().context.setTerminal(playedTerminal().terminal);
    expect((await wait())[0]).not.toHaveProperty("screen");
    expect((await wait({ screen: true }))[0]).toHaveProperty("screen");
  });

  it("is over for all when one has news, and goes on where none has", async () => {
    const { await: wait, play, follow, report } = await desk();
    play();
    play();
    const stops: (AbortSignal | undefined)[] = [];
    const answers = [report({ output: { text: "x\n", isIncomplete: false } }), report()];
    follow.mockImplementation(async (_, { stop }) => {
      stops.push(stop);
      return answers.shift();
    });
    await wait();
    expect(stops.map((stop) => stop?.aborted)).toEqual([true, true]);
    answers.push(report(), report());
    await wait();
    expect(stops.slice(2).map((stop) => stop?.aborted)).toEqual([false, false]);
    answers.push(report({ output: { text: "x\n", isIncomplete: false } }), report());
    await wait({ min_completed: 1 });
    expect(stops.slice(4).map((stop) => stop?.aborted)).toEqual([false, false]);
    answers.push(report(ENDED), report());
    await wait({ min_completed: 1 });
    expect(stops.slice(6).map((stop) => stop?.aborted)).toEqual([true, true]);
    answers.push(report(ENDED), report());
    await wait({ min_completed: 2 });
    expect(stops.slice(8).map((stop) => stop?.aborted)).toEqual([false, false]);
  });

  it("says of a job that is gone meanwhile that it was not found", async () => {
    const { await: wait, play, follow } = await desk();
    play();
    follow.mockResolvedValueOnce(undefined);
    expect(await wait()).toStrictEqual([{ status: "not_found", taskId: "bash:bg_1", activeTaskIds: ["bash:bg_1"] }]);
  });

  it("has the ports of what runs, and asks for none of what has ended", async () => {
    const { await: wait, play, manager, follow, report } = await desk();
    play();
    const ports = vi.spyOn(manager, "ports");
    const listening = { port: 80, address: "127.0.0.1", program: "node", pid: 7, startedAtMs: 0, isInside: false };
    ports.mockResolvedValueOnce([listening]);
    expect((await wait())[0]).toMatchObject({ ports: [{ port: 80, program: "node" }] });
    expect((await wait())[0]).not.toHaveProperty("ports");
    ports.mockClear();
    follow.mockResolvedValueOnce(report(ENDED));
    await wait({ task_ids: ["bash:bg_1"] });
    expect(ports).not.toHaveBeenCalled();
  });
});

describe("what a wait has read", () => {
  it("counts as given out with the answer, and not where the call was given up", async () => {
    const { await: wait, play, answered } = await desk();
    play();
    await wait();
    expect(answered.splice(0)).toEqual(["commit"]);
    const error = await thrown(wait({}, AbortSignal.abort()));
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(answered).toEqual([]);
    const controller = new AbortController();
    const late = await desk();
    late.play();
    late.follow.mockImplementation(async () => {
      controller.abort();
      return late.report();
    });
    expect((await thrown(late.await({}, controller.signal))).message).toBe("Waiting was aborted; the tasks go on.");
    expect(late.answered).toEqual(["release"]);
  });

  it("has a word on the message that ended it, after what else is to be said", async () => {
    const message = AbortSignal.abort();
    const { await: wait, play, follow, report, options } = await desk({}, { queuedMessage: () => message });
    play();
    expect((await wait())[0]).toMatchObject({ note: QUEUED });
    expect(options()?.stop?.aborted).toBe(true);
    follow.mockResolvedValueOnce(report({ problem: "no disk" }));
    expect((await wait())[0]).toMatchObject({ note: `The whole output cannot be read: no disk\n${QUEUED}` });
    follow.mockResolvedValueOnce(report(ENDED));
    expect((await wait({ task_ids: ["bash:bg_1"] }))[0]).not.toHaveProperty("note");
  });

  it("names fifty active tasks at most, to whom asks for what is not there or another's", async () => {
    const { await: wait, text, play, agentTasks } = await desk();
    const other = play({ owner: "elsewhere" });
    for (let at = 0; at < 60; at += 1) agentTasks.add(`agent ${at}`, "agent-1");
    const [entry, long] = await wait({ task_ids: [`bash:${other.id}`, `bash:${"x".repeat(300)}`] });
    expect(entry?.status === "invalid_scope" && entry.activeTaskIds).toHaveLength(50);
    expect(long).toMatchObject({ status: "error", taskId: `bash:${"x".repeat(75)}` });
    expect(await text("task_await", { task_ids: [`bash:${other.id}`] })).toContain(
      "\n\nActive tasks: agent 0, agent 1,",
    );
    const [watched] = await wait({ task_ids: ["nothing"], filter: "x", notify: "wake" });
    expect(watched?.status === "not_found" && watched.activeTaskIds).toHaveLength(50);
  });

  it("stays within the window, whatever is said", async () => {
    const { text, play, agentTasks } = await desk({ "bash.outputMaxBytes": 1_024 });
    play();
    for (let at = 0; at < 50; at += 1) agentTasks.add(`${"long name of an agent ".repeat(3)}${at}`, "agent-1");
    expect((await text("task_await", { task_ids: ["nothing"] })).length).toBe(1_024);
  });

  it("is asked for five hundred tasks at most, and for no more of those that are active", async () => {
    const { await: wait, agentTasks } = await desk();
    const ids = Array.from({ length: 500 }, (_, at) => `t${at}`);
    expect(await wait({ task_ids: ids })).toHaveLength(500);
    agentTasks.descendants = () =>
      ids.concat("one more").map((taskId) => ({ taskId, workspaceId: taskId, status: "running", depth: 1 }));
    expect(await wait({ timeout_secs: 0 })).toHaveLength(500);
  });
});
