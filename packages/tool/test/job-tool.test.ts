/** The job tool over jobs without a process: what is asked for in one call, its texts and its facts. */
import type { JobWork } from "@pi-bash/executor";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createJobTool, type JobToolUpdate } from "../src/job-tool.ts";
import { ToolAbortError } from "../src/tool-error.ts";
import { playJob } from "./support/played-jobs.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

/** A tool, and jobs of its session. */
async function desk(settings: object = {}, options: Parameters<typeof jobs>[0] = {}) {
  const manager = await jobs(options);
  const { session } = scene(settings, { asyncJobManager: manager });
  const tool = createJobTool(session);
  return {
    manager,
    tool,
    play: (command = "make", owner = "agent-1") => playJob(manager, { command, owner }),
    call: (params: object, signal?: AbortSignal, onUpdate?: (update: JobToolUpdate) => void) =>
      tool.execute("call", params, signal, onUpdate),
  };
}

describe("the job tool", () => {
  it("lists the session's own jobs where nothing is asked for", async () => {
    const { call, play } = await desk();
    expect(textOf(await call({}))).toBe("No background jobs.");
    expect(await call({})).toStrictEqual({
      content: [{ type: "text", text: "No background jobs." }],
      details: { jobs: [] },
    });
    play("make one");
    play("make two");
    play("theirs", "agent-2");
    const { content, details } = await call({});
    expect(textOf({ content })).toMatch(/^bg_1 \[bash\] running .* — make one\nbg_2 \[bash\] running .* — make two$/);
    expect(details.jobs.map(({ id }) => id)).toEqual(["bg_1", "bg_2"]);
    expect(details.jobs[0]).not.toHaveProperty("survivors");
    expect(details).not.toHaveProperty("missingIds");
  });

  it("does not list beside what else was asked for, unless that was asked for, too", async () => {
    const { call, play } = await desk();
    play();
    play();
    expect(textOf(await call({ cancel: ["bg_1"] }))).toBe("Cancelled background job bg_1.");
    expect(textOf(await call({ cancel: ["bg_2"], list: true }))).toMatch(
      /^Cancelled background job bg_2\.\n\nbg_1 .*\nbg_2 /,
    );
    expect(textOf(await call({ cancel: [], poll: [] }))).toMatch(/^bg_1 /);
    expect(textOf(await call({ list: false, cancel: ["bg_2"] }))).not.toContain("make");
  });

  it("cancels each job once, and has a note on one that had ended", async () => {
    const { call, play, manager } = await desk();
    const { id } = play();
    const first = await call({ cancel: [id, id] });
    expect(textOf(first)).toBe("Cancelled background job bg_1.");
    expect(first.details.jobs).toHaveLength(1);
    expect(first.details.jobs[0]).not.toHaveProperty("note");
    await until(() => manager.find(id)?.job.endedAtMs !== undefined, "it to end");
    const again = await call({ cancel: [id] });
    expect(again.details.jobs[0]).toMatchObject({ state: "cancelled", note: textOf(again) });
    expect(textOf(again)).toBe("Background job bg_1 is already cancelled.");
  });

  it("names what is not there, which is an error where nothing else is", async () => {
    const { call, play } = await desk();
    const { id } = play();
    const missing = await call({ poll: ["bg_7"], cancel: ["bg_8"] });
    expect(missing).toMatchObject({ isError: true, details: { jobs: [], missingIds: ["bg_8", "bg_7"] } });
    expect(textOf(missing)).toBe("Background job not found: bg_8\n\nBackground job not found: bg_7");
    const some = await call({ cancel: [id, "bg_8"] });
    expect(some).not.toHaveProperty("isError");
    expect(some.details).toMatchObject({ missingIds: ["bg_8"] });
    const beside = await call({ cancel: ["bg_8"], list: true });
    expect(beside).not.toHaveProperty("isError");
  });

  it("waits for the first end, and shows of the others what they have written", async () => {
    const { call, play } = await desk();
    const [first, second, third] = [play("a"), play("b"), play("c")];
    second.context.update(`${"x".repeat(3_000)}last\n\n`);
    const waiting = call({ poll: [first.id, second.id, third.id] });
    await first.end({ text: "done\n" });
    const { content, details } = await waiting;
    const [ended, running, silent] = textOf({ content }).split("\n\nbg_");
    expect(ended).toMatch(/^Background job bg_1 completed \(exit code 0, .*\): a\n\ndone$/);
    expect(running).toMatch(/^2 \[bash\] running .* — b\nx{2042}last$/);
    expect(silent).toMatch(/^3 \[bash\] running .* — c$/);
    expect(details.jobs).toMatchObject([
      { id: "bg_1", state: "completed", output: "done\n" },
      { id: "bg_2", output: `${"x".repeat(2_042)}last\n\n` },
      { id: "bg_3", output: "" },
    ]);
    expect(details.jobs[0]).not.toHaveProperty("note");
  });

  it("says of a result that it was taken before", async () => {
    const { call, play } = await desk();
    const job = play();
    await job.end({ text: "done" });
    await call({ poll: [job.id] });
    const again = await call({ poll: [job.id] });
    expect(textOf(again)).toMatch(/^bg_1 \[bash\] completed .* — make\nIts result was taken before\.$/);
    expect(again.details.jobs[0]).toMatchObject({ note: "Its result was taken before." });
    expect(again.details.jobs[0]).not.toHaveProperty("output");
  });

  it("gives each ended job an equal part of its room", async () => {
    const { call, play } = await desk({ "bash.outputMaxBytes": 2_000 });
    const all = [play(), play()];
    for (const job of all) await job.end({ text: "y".repeat(5_000) });
    const { content, details } = await call({ poll: all.map(({ id }) => id) });
    for (const part of textOf({ content })
      .split("\n\n")
      .filter((text) => text.startsWith("yyy")))
      expect(part.length).toBeLessThanOrEqual(1_000);
    expect(Buffer.byteLength(textOf({ content }))).toBe(2_002);
    expect(details.jobs.map(({ output }) => output?.length)).toEqual([1_000, 1_000]);
  });

  it("gives one ended job all of its room, whatever else runs", async () => {
    const { call, play } = await desk({ "bash.outputMaxBytes": 2_000 });
    const [ended, running] = [play(), play()];
    await ended.end({ text: "y".repeat(5_000) });
    const { details } = await call({ poll: [ended.id, running.id] });
    expect(details.jobs[0]?.output).toBe("y".repeat(2_000));
  });

  it("has how long each job has been running, and how long one that has ended did", async () => {
    let now = Date.now() - 60_000;
    const { call, play } = await desk({}, { now: () => now });
    const [ended, running] = [play(), play()];
    now += 3_000;
    await ended.end();
    const { details } = await call({ list: true });
    expect(details.jobs.find(({ id }) => id === ended.id)?.elapsedMs).toBe(3_000);
    expect(details.jobs.find(({ id }) => id === running.id)?.elapsedMs).toBeGreaterThanOrEqual(60_000);
  });

  it("waits for nothing where no job is named to be waited for", async () => {
    const { call, manager, play } = await desk();
    play();
    const poll = vi.spyOn(manager, "poll");
    await call({});
    await call({ poll: [], cancel: ["bg_1"] });
    expect(poll).not.toHaveBeenCalled();
    await call({ poll: ["bg_1"] });
    expect(poll).toHaveBeenCalledTimes(1);
  });

  it("is refused where the session has no jobs", async () => {
    const tool = createJobTool(scene().session);
    expect((await thrown(tool.execute("call", {}))).message).toBe("Async job manager unavailable for this session.");
  });

  it("of a session without an id has the jobs that no one owns", async () => {
    const { manager, tool } = await desk();
    const { session } = scene({}, { asyncJobManager: manager });
    Object.assign(session, { getSessionId: undefined });
    const work: JobWork = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ text: "" })));
    manager.start({ command: "no one's", work });
    playJob(manager);
    const { details } = await createJobTool(session).execute("call", {});
    expect(details.jobs.map(({ label }) => label)).toEqual(["no one's"]);
    expect(tool).toMatchObject({ name: "job", label: "Jobs", strict: true, concurrency: "shared" });
  });

  it("looks no more once the wait is over", async () => {
    const { call, play } = await desk();
    const job = play();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const updates: JobToolUpdate[] = [];
    const waiting = call({ poll: [job.id] }, undefined, (update) => void updates.push(update));
    await until(() => vi.getTimerCount() === 1, "the first look to be planned");
    job.context.update("one\ntwo\n\n");
    vi.advanceTimersByTime(500);
    expect(updates.map(textOf)).toEqual(["bg_1: two"]);
    expect(updates[0]?.details).toMatchObject({ jobs: [{ id: "bg_1", state: "running", output: "one\ntwo\n\n" }] });
    const lookedAtMs = performance.now();
    await until(() => performance.now() > lookedAtMs + 5, "some time to pass");
    vi.advanceTimersByTime(500);
    expect(updates).toHaveLength(1);
    job.context.update("three");
    vi.advanceTimersByTime(500);
    expect(updates.map(textOf)).toEqual(["bg_1: two", "bg_1: three"]);
    await job.end();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has the processes that a job left, and how long it took", async () => {
    const { call, play } = await desk();
    const job = play();
    const survivors = [{ pid: 2 ** 30, command: "sleep", startedAtMs: 1 }];
    await job.end({ text: "done", survivors });
    const { details } = await call({ list: true });
    expect(details.jobs[0]).toMatchObject({ survivors });
    expect(details.jobs[0]?.elapsedMs).toBeGreaterThanOrEqual(0);
    expect(details.jobs[0]?.elapsedMs).toBeLessThan(60_000);
  });

  it("ends its wait on an abort, and says that the jobs go on", async () => {
    const { call, play } = await desk();
    const { id } = play();
    const controller = new AbortController();
    const waiting = thrown(call({ poll: [id] }, controller.signal));
    controller.abort();
    const error = await waiting;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Waiting was aborted; the jobs go on.");
  });

  it("shows while it waits the last line of each job, when there is news", async () => {
    const { call, play } = await desk();
    const [first, second] = [play(), play()];
    first.context.update("one\ntwo\n\n");
    const updates: JobToolUpdate[] = [];
    const waiting = call({ poll: [first.id, second.id, first.id, "bg_9"] }, undefined, (update) =>
      updates.push(update),
    );
    await until(() => updates.length > 0, "an update");
    expect(textOf(updates[0] ?? { content: [] })).toBe("bg_1: two\nbg_2: ");
    expect(updates[0]?.details.jobs).toMatchObject([
      { id: "bg_1", output: "one\ntwo\n\n" },
      { id: "bg_2", output: "" },
    ]);
    second.context.update("three");
    await until(() => updates.some((update) => textOf(update).endsWith("bg_2: three")), "the news");
    await until(
      () => updates.some(({ details }) => (details.jobs[0]?.elapsedMs ?? 0) >= 2_000),
      "two seconds of waiting",
    );
    await second.end();
    await waiting;
    const texts = updates.map(
      (update) => `${textOf(update)} ${Math.floor((update.details.jobs[0]?.elapsedMs ?? 0) / 1_000)}`,
    );
    expect(new Set(texts).size).toBe(texts.length);
  });
});
