/** What a manager writes to its folder, and when: early facts, who took a result, and nothing of what is not a job. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { JobContext, JobEnd, JobRecord, JobWork } from "../src/jobs/job.ts";
import { JobManager } from "../src/jobs/job-manager.ts";
import type { JobManagerOptions } from "../src/jobs/job-options.ts";
import { open, quick, receive, work } from "./support/jobs.ts";
import { deferred, until } from "./support/waiting.ts";

afterEach(() => void vi.useRealTimers());
const LOOK = { reader: "", timeoutMs: 0, wakesOnOutput: true, maxBytes: 1_000 };

/** A manager with a folder; `record` is what is on disk of a job. */
async function onDisk(options: JobManagerOptions = {}) {
  const registryFolder = join(scratchFolder(), "jobs");
  const manager = await open({ registryFolder, ...options });
  const record = (id: string): JobRecord | undefined => {
    const path = join(registryFolder, `${id}.json`);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  };
  const written = (id: string, holds: (found: JobRecord) => boolean) =>
    until(() => {
      const found = record(id);
      return found !== undefined && holds(found);
    }, `the record of ${id}`);
  return { manager, registryFolder, record, written };
}

/** Work that gives its context out and ends when the test says. */
function given() {
  const { run, end } = work();
  const box: { context?: JobContext } = {};
  const begun: JobWork = (context) => {
    box.context = context;
    return run(context);
  };
  return { run: begun, end, context: () => box.context as JobContext };
}

describe("the record of a job", () => {
  it("has its artifact and its record as soon as they are named, and its end", async () => {
    const { manager, written, record } = await onDisk();
    const { run, end, context } = given();
    const { id } = manager.start({ command: "make", work: run });
    await written(id, ({ job }) => job.state === "running");
    context().setArtifact("a1");
    await written(id, ({ job }) => job.artifactId === "a1");
    context().setRecord?.("r1");
    await written(id, ({ job }) => job.recordId === "r1");
    end({ artifactId: "a1", text: "all\n" });
    await written(id, ({ job, delivery }) => job.state === "completed" && delivery === "queued");

    expect(record(id)).toMatchObject({ text: "all\n", delivery: "queued", job: { artifactId: "a1", recordId: "r1" } });
  });

  it.each<[string, (manager: JobManager, id: string) => Promise<unknown>, string]>([
    ["polled", (manager, id) => manager.poll([id]), "consumed"],
    ["followed", async (manager, id) => (await manager.follow(id, LOOK))?.commit(), "consumed"],
    ["followed and given back", async (manager, id) => (await manager.follow(id, LOOK))?.release(), "queued"],
    ["delivered", async (manager) => void receive(manager), "delivered"],
  ])("says that its result was %s", async (_, take, delivery) => {
    const { manager, written, record } = await onDisk();
    const { id } = manager.start({ command: "a", work: quick() });
    await until(() => manager.runningCount === 0, "the end");
    await take(manager, id);
    await written(id, (found) => found.delivery === delivery);
    await manager.dispose();

    expect(record(id)?.delivery).toBe(delivery);
  });

  it("has no processes any more when they were ended, and says that it was cancelled", async () => {
    const { manager, written, record } = await onDisk();
    const survivors = [{ pid: 9, command: "sleep", startedAtMs: 1 }];
    const left = { text: "", exitCode: 0, survivors, stopSurvivors: async () => undefined };
    const { id } = manager.start({ command: "a", work: async () => left });
    await written(id, ({ job }) => job.survivors?.length === 1);
    await manager.cancel(id);
    await written(id, ({ job }) => job.survivors === undefined);
    const stubborn = deferred<JobEnd>();
    const other = manager.start({ command: "b", work: () => stubborn.promise });
    await manager.cancel(other.id);
    await written(other.id, ({ job }) => job.state === "cancelled");

    expect(record(other.id)?.job).not.toHaveProperty("endedAtMs");
    stubborn.resolve({ text: "" });
  });

  it("goes when its job is forgotten", async () => {
    const clock = { ms: 1_000 };
    const { manager, registryFolder, written } = await onDisk({ now: () => clock.ms });
    const { id } = manager.start({ command: "a", work: quick() });
    await manager.poll([id]);
    await written(id, ({ delivery }) => delivery === "consumed");
    clock.ms += 30_000;
    expect(manager.list()).toEqual([]);

    await until(() => readdirSync(registryFolder).length === 0, "the record to be removed");
  });
});

describe("a command in the foreground", () => {
  it("leaves no record, is not reported to the host, and is not asked whether its result is brought", async () => {
    const [onEnd, delivers] = [vi.fn(), vi.fn(() => "more")];
    const { manager, registryFolder } = await onDisk({ onEnd });
    const { run, end, context } = given();
    const outcome = manager.runForeground({ command: "make", thresholdMs: 60_000, work: run, delivers });
    context().setArtifact("a1");
    context().setRecord?.("r1");
    end({ text: "all\n", exitCode: 0 });

    expect(await outcome).toEqual({ kind: "ended", end: { text: "all\n", exitCode: 0 } });
    await manager.dispose();
    expect([readdirSync(registryFolder), onEnd.mock.calls, delivers.mock.calls]).toEqual([[], [], []]);
  });

  it("is given no artifact for a long result, and a job is", async () => {
    const save = vi.fn(async () => ({ id: "a1", path: "/a1" }));
    const manager = await open({ artifacts: { save } });
    const long = quick("x".repeat(12_001));
    const outcome = await manager.runForeground({ command: "a", thresholdMs: 60_000, work: long });
    expect([outcome.kind, save.mock.calls.length]).toEqual(["ended", 0]);
    const { id } = manager.start({ command: "b", work: long });
    await until(() => manager.runningCount === 0, "the end");

    expect([save.mock.calls, manager.find(id)?.job.artifactId]).toEqual([[["async", "x".repeat(12_001)]], "a1"]);
  });

  it("does not become a job of a manager that was disposed of", async () => {
    const manager = await JobManager.open();
    const leave = new AbortController();
    const { run, end } = work();
    const options = { command: "a", thresholdMs: 60_000, backgroundNow: leave.signal, work: run };
    const outcome = manager.runForeground(options);
    await manager.dispose();
    leave.abort();
    await new Promise((resolve) => setImmediate(resolve));
    end({ text: "end\n" });

    expect(await outcome).toMatchObject({ kind: "ended", end: { text: "end\n" } });
    expect(manager.listAll(() => true)).toEqual([]);
  });
});

describe("the jobs of another manager", () => {
  it("that lives are its own; only their numbers count", async () => {
    const { manager, registryFolder, written } = await onDisk();
    const { run, end } = work();
    manager.start({ command: "a", work: run });
    const { id } = manager.start({ command: "b", work: quick() });
    await written(id, ({ job }) => job.state === "completed");
    const second = await open({ registryFolder });

    expect(second.listAll(() => true)).toEqual([]);
    expect(second.start({ command: "c", work: quick() }).id).toBe("bg_3");
    end();
    expect(manager.list().map((job) => job.id)).toEqual(["bg_1", "bg_2"]);
  });

  it("that is gone keep their place and their numbers, whichever file is read first", async () => {
    const clock = { ms: 1_000 };
    const registryFolder = join(scratchFolder(), "jobs");
    const first = await JobManager.open({ registryFolder, now: () => clock.ms });
    for (let at = 0; at < 12; at += 1) {
      first.start({ command: `c${at}`, work: quick() });
      clock.ms += 1;
    }
    await until(() => first.runningCount === 0, "the ends");
    await first.dispose();
    const second = await open({ registryFolder, now: () => clock.ms });

    expect(second.list().map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, at) => `bg_${at + 1}`));
    expect(second.start({ command: "next", work: quick() }).id).toBe("bg_13");
  });
});

it("work that does not end when it is disposed of is given up after three seconds, and its job says so", async () => {
  vi.useFakeTimers();
  const manager = await JobManager.open();
  const { id } = manager.start({ command: "a", work: () => new Promise(() => undefined) });
  const done = vi.fn();
  void manager.dispose().then(done);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(done).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();

  expect(done).toHaveBeenCalledTimes(1);
  expect(manager.find(id)?.job.state).toBe("cancelled");
  expect(manager.read(id)?.text).toBe("It did not end in time.");
});
