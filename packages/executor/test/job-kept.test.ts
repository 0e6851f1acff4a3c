/** What is kept of a job: on disk for the next host, and in the manager for a while after its end. */
import { describe, expect, it } from "vitest";
import type { JobRecord, JobView } from "../src/jobs/job.ts";
import { type JobEntry, restoredEntry, toOwnedJob, toRecord } from "../src/jobs/job-entry.ts";
import { forgettable } from "../src/jobs/retention.ts";
import { job } from "./support/entry.ts";

const HOST = { pid: 1, startTime: "then", instance: "one" };

describe("a job on disk", () => {
  const record = (view: Partial<JobView>, more: Partial<JobRecord> = {}): JobRecord => ({
    ...toRecord(job(view).entry, HOST),
    text: "kept",
    ...more,
  });

  it("has its view, its text and who ran it", () => {
    const { entry } = job();
    entry.text = "out";
    expect(toRecord(entry, HOST)).toEqual({
      version: 1,
      deliveryId: entry.runKey,
      job: entry.view,
      delivery: "none",
      text: "out",
      host: HOST,
    });
    expect(toOwnedJob(entry)).toEqual({ job: entry.view, command: "make all" });
  });

  it.each([
    ["running", { state: "failed", isLost: true, endedAtMs: 5_000 }, false],
    ["cancelled", { state: "cancelled", isLost: true, endedAtMs: 5_000 }, true],
  ] as const)("that was %s when its host ended is lost", (state, view, isQuiet) => {
    const entry = restoredEntry(record({ state }), 5_000);

    expect(entry.view).toMatchObject(view);
    expect(entry.text).toContain("The host that ran this job ended before it did");
    expect([entry.isQuiet, entry.isRunning, entry.delivery]).toEqual([isQuiet, false, "none"]);
  });

  it.each([
    ["none", "none", undefined],
    ["queued", "none", undefined],
    ["sending", "none", undefined],
    ["delivered", "delivered", 5_000],
    ["consumed", "consumed", 5_000],
  ] as const)("that had ended keeps its result, %s as %s", (delivery, restored, takenAtMs) => {
    const entry = restoredEntry(record({ state: "completed", endedAtMs: 4_000 }, { delivery }), 5_000);

    expect(entry.view).not.toHaveProperty("isLost");
    expect([entry.text, entry.delivery, entry.takenAtMs, entry.isQuiet]).toEqual(["kept", restored, takenAtMs, false]);
    expect([entry.view.endedAtMs, entry.runKey]).toEqual([4_000, entry.toDelivery().deliveryId]);
  });
});

describe("an ended job is forgotten", () => {
  /** Whether it is, so long after its end at 2,000. */
  const isForgotten = (change: (entry: JobEntry) => unknown, afterMs: number): boolean => {
    const { entry, end } = job();
    end({ text: "", exitCode: 0 });
    change(entry);
    return forgettable([entry], 2_000 + afterMs).length === 1;
  };

  it.each<[string, number, (entry: JobEntry) => unknown]>([
    ["half a minute after its result was taken", 30_000, (entry) => entry.consume(2_000)],
    [
      "five minutes after it ended where it was delivered",
      300_000,
      (entry) => Object.assign(entry, { delivery: "delivered" }),
    ],
    ["five minutes after it ended where no one wants it", 300_000, (entry) => Object.assign(entry, { isQuiet: true })],
  ])("%s", (_, ms, change) => {
    expect([ms - 1, ms].map((after) => isForgotten(change, after))).toEqual([false, true]);
  });

  it.each(["none", "queued", "sending"] as const)("never while its result is %s", (delivery) => {
    expect(isForgotten((entry) => Object.assign(entry, { delivery }), 24 * 3_600_000)).toBe(false);
  });

  it("after a time of its own where it was followed", () => {
    const change = (entry: JobEntry): void => {
      entry.consume(2_000);
      entry.keptMs = 5_000;
    };
    expect([4_999, 5_000].map((ms) => isForgotten(change, ms))).toEqual([false, true]);
  });

  it("where it is one of more than a thousand that no one took, the oldest first, and never while it runs", () => {
    const entries = Array.from({ length: 1_003 }, (_, at) => {
      const { entry, end } = job({ id: `bg_${at}` });
      if (at !== 1) end({ text: "", exitCode: 0 });
      return entry;
    });

    expect(forgettable(entries, 2_000)).toEqual(["bg_0", "bg_2"]);
    expect(forgettable(entries.slice(3), 2_000)).toEqual([]);
  });
});
