/** Waiting for jobs without a manager: polls that take results, and calls that let their work go to the background. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ForegroundOptions, waitInForeground } from "../src/jobs/foreground.ts";
import { ForegroundEntries } from "../src/jobs/foreground-entries.ts";
import type { JobEnd } from "../src/jobs/job.ts";
import { pollJobs } from "../src/jobs/poll.ts";
import { job } from "./support/entry.ts";
import { deferred } from "./support/waiting.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const END: JobEnd = { text: "the result", exitCode: 0 };
const turn = () => vi.advanceTimersByTimeAsync(0);

describe("a poll", () => {
  const portOf = () => ({ now: () => 7, taken: vi.fn(), released: vi.fn() });
  const wanted = (...jobs: ReturnType<typeof job>[]) => jobs.map(({ entry }) => ({ id: entry.view.id, entry }));

  it("answers at once where something has a result, and takes it once", async () => {
    const [ended, running] = [job({ id: "bg_1" }), job({ id: "bg_2" })];
    running.entry.tail = "so far";
    ended.end(END);
    const port = portOf();
    const { reports, isAborted } = await pollJobs(
      [...wanted(running, ended), { id: "bg_9", entry: undefined }],
      {},
      port,
    );

    expect(isAborted).toBe(false);
    expect(reports).toEqual([
      { id: "bg_2", kind: "running", job: running.entry.view, tail: "so far" },
      { id: "bg_1", kind: "ended", job: ended.entry.view, text: "the result" },
      { id: "bg_9", kind: "not_found" },
    ]);
    expect([port.taken.mock.calls, port.released.mock.calls]).toEqual([[[ended.entry]], [[running.entry]]]);
    expect([ended.entry.takenAtMs, running.entry.isWatched]).toEqual([7, false]);
    const again = await pollJobs(wanted(ended), {}, portOf());
    expect(again.reports).toEqual([{ id: "bg_1", kind: "ended", job: ended.entry.view }]);
  });

  it("waits for the first end where results were taken already, and both who waited are given it", async () => {
    const [taken, running] = [job({ id: "bg_1" }), job({ id: "bg_2" })];
    taken.end(END);
    taken.entry.consume(1);
    const polls = [pollJobs(wanted(taken, running), {}, portOf()), pollJobs(wanted(running), {}, portOf())];
    await turn();
    expect(running.entry.isWatched).toBe(true);
    running.end(END);
    const found = await Promise.all(polls);

    expect(found.map(({ reports }) => reports.at(-1))).toEqual([
      expect.objectContaining({ kind: "ended", text: "the result" }),
      expect.objectContaining({ kind: "ended", text: "the result" }),
    ]);
    expect(found[0]?.reports[0]).not.toHaveProperty("text");
  });

  it("ends at its time, at its signal without a result, and at once without jobs", async () => {
    const running = job();
    const port = portOf();
    const timed = pollJobs(wanted(running), { timeoutMs: 1_000 }, port);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await timed).toMatchObject({ isAborted: false, reports: [{ kind: "running" }] });
    const stop = new AbortController();
    const stopped = pollJobs(wanted(running), { signal: stop.signal }, port);
    stop.abort();
    expect(await stopped).toMatchObject({ isAborted: true });
    expect(port.released).toHaveBeenCalledTimes(2);
    running.end(END);
    const late = await pollJobs(wanted(running), { signal: stop.signal }, port);
    expect([late.isAborted, late.reports[0], port.taken.mock.calls.length]).toEqual([
      true,
      { id: "bg_1", kind: "ended", job: running.entry.view },
      0,
    ]);
    expect(await pollJobs([], {}, port)).toEqual({ reports: [], isAborted: false });
  });
});

describe("a call that waits in the foreground", () => {
  function scene(options: Partial<ForegroundOptions> = {}, mayPromote = true) {
    const made = job({ id: "" });
    const work = deferred<JobEnd | undefined>();
    const promote = vi.fn(() => {
      if (mayPromote) made.entry.view = { ...made.entry.view, id: "bg_1" };
      return mayPromote;
    });
    const outcome = waitInForeground(made.entry, work.promise, { thresholdMs: 1_000, ...options }, promote);
    const end = (result: JobEnd | undefined = END): void => {
      made.end(result);
      work.resolve(result);
    };
    return { ...made, work, promote, outcome, finish: end };
  }

  it("is given the end in time, and leaves no timer", async () => {
    const { outcome, finish, promote, entry } = scene();
    finish();
    expect(await outcome).toEqual({ kind: "ended", end: END });
    expect([promote.mock.calls.length, vi.getTimerCount(), entry.promote]).toEqual([0, 0, undefined]);
  });

  it("is given the text of work that ended without an end", async () => {
    const { outcome, entry, work } = scene();
    entry.text = "It did not end in time.";
    work.resolve(undefined);
    expect(await outcome).toEqual({ kind: "ended", end: { text: "It did not end in time." } });
  });

  it("lets it go at its threshold, with the newest output; a later failure has no reader", async () => {
    const { outcome, entry, work, promote } = scene();
    entry.tail = "so far";
    await vi.advanceTimersByTimeAsync(999);
    expect(promote).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ kind: "backgrounded", job: entry.view, tail: "so far" });
    work.reject(new Error("later"));
    await turn();
    expect(entry.view.id).toBe("bg_1");
  });

  it("waits on where it cannot be a job", async () => {
    const { outcome, finish } = scene({}, false);
    await vi.advanceTimersByTimeAsync(5_000);
    finish();
    expect(await outcome).toMatchObject({ kind: "ended" });
  });

  it("lets it go early where that is asked for, by someone or by the work itself", async () => {
    const now = new AbortController();
    const early = scene({ backgroundNow: now.signal });
    now.abort();
    expect((await early.outcome).kind).toBe("backgrounded");
    const asked = scene();
    expect(asked.entry.promote?.()).toBe(true);
    expect((await asked.outcome).kind).toBe("backgrounded");
    expect(asked.promote).toHaveBeenCalledTimes(1);
    const refused = scene({}, false);
    expect(refused.entry.promote?.()).toBe(false);
    refused.finish();
    expect((await refused.outcome).kind).toBe("ended");
  });

  it("cancels it where its signal is aborted, before or meanwhile, and does not let it go then", async () => {
    for (const isBefore of [true, false]) {
      const call = new AbortController();
      if (isBefore) call.abort();
      const { outcome, entry, finish, promote } = scene({ signal: call.signal });
      call.abort();
      expect(entry.isCancelled).toBe(true);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(promote).not.toHaveBeenCalled();
      finish();
      expect((await outcome).kind).toBe("ended");
    }
  });

  it("rejects as its work does", async () => {
    const { outcome, work } = scene();
    work.reject(new Error("no folder"));
    await expect(outcome).rejects.toThrow("no folder");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("commands in the foreground", () => {
  it("have ids of their own until they have ended, and are listed until they are jobs", async () => {
    const entries = new ForegroundEntries();
    const [one, two] = [job({ id: "" }), job({ id: "" })];
    for (const { entry } of [one, two]) entries.enter(entry);
    expect(entries.list()).toEqual([
      { job: { ...one.entry.view, id: "fg_1" }, command: "make all" },
      { job: { ...two.entry.view, id: "fg_2" }, command: "make all" },
    ]);
    expect([entries.end("fg_2"), two.entry.isCancelled, entries.end("fg_9")]).toEqual([true, true, false]);
    one.entry.view = { ...one.entry.view, id: "bg_1" };
    expect([entries.list().map(({ job: view }) => view.id), entries.end("fg_1"), one.entry.isCancelled]).toEqual([
      ["fg_2"],
      false,
      false,
    ]);
    expect(entries.find("fg_1")).toBe(one.entry);
    one.end(END);
    await turn();
    expect(entries.find("fg_1")).toBeUndefined();
  });
});
