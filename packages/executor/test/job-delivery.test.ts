/**
 * Results that arrive exactly once, also after failures and after the host that ran the job is gone.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import type { JobDelivery, JobView } from "../src/jobs/job.ts";
import { JobManager } from "../src/jobs/job-manager.ts";
import { deferred, until } from "./support/waiting.ts";

const quick =
  (text: string, exitCode = 0) =>
  async () => ({ text, exitCode });

describe("delivery", () => {
  it("brings a result to its owner's sink once, in one batch with others of the same moment", async () => {
    const manager = await JobManager.open();
    const batches: string[][] = [];
    manager.subscribe("me", (batch) => {
      batches.push(batch.map((delivery) => delivery.text));
    });

    manager.start({ command: "a", owner: "me", work: quick("one\n") });
    manager.start({ command: "b", owner: "me", work: quick("two\n") });
    await until(() => batches.flat().length === 2, "both");
    manager.start({ command: "c", owner: "other", work: quick("three\n") });
    await until(() => manager.runningCount === 0, "the end");

    expect(batches.length).toBe(1);
    expect(batches[0]?.[0]).toContain("one");
    await manager.dispose();
    expect(batches.flat().length).toBe(2);
  });

  it("keeps results for an owner who is not there, and gives them to no one else", async () => {
    const manager = await JobManager.open();
    const other: JobDelivery[] = [];
    manager.subscribe("other", (batch) => void other.push(...batch));
    manager.start({ command: "a", owner: "me", work: quick("one\n") });
    await until(() => manager.runningCount === 0, "the end");

    const mine: JobDelivery[] = [];
    manager.subscribe("me", (batch) => void mine.push(...batch));

    await until(() => mine.length === 1, "the delivery");
    expect(other).toEqual([]);
    await manager.dispose();
  });

  it("tries again with a sink that failed, the same result under the same id", async () => {
    const manager = await JobManager.open();
    const tries: JobDelivery[] = [];
    manager.subscribe(undefined, async (batch) => {
      tries.push(...batch);
      if (tries.length === 1) throw new Error("not now");
    });
    manager.start({ command: "a", work: quick("one\n") });

    await until(() => tries.length === 2, "the second try");

    expect(tries[0]?.deliveryId).toBe(tries[1]?.deliveryId);
    await manager.dispose();
  });

  it("does not give to a poll what the sink is taking, nor to the sink what a poll took", async () => {
    const manager = await JobManager.open();
    const taking = deferred<void>();
    let sent = 0;
    manager.subscribe(undefined, async () => {
      sent += 1;
      await taking.promise;
    });
    manager.start({ command: "a", work: quick("one\n") });
    await until(() => sent === 1, "the sink to be called");

    const { reports } = await manager.poll(["bg_1"]);

    expect(reports[0]).not.toHaveProperty("text");
    taking.resolve();
    await manager.dispose();
  });

  it("hands a batch that the old sink refused to the new one", async () => {
    const manager = await JobManager.open();
    const refusal = deferred<void>();
    let isCalled = false;
    const stop = manager.subscribe(undefined, () => {
      isCalled = true;
      return refusal.promise;
    });
    manager.start({ command: "a", work: quick("one\n") });
    await until(() => isCalled, "the old sink to be called");
    stop();
    const got: JobDelivery[] = [];
    manager.subscribe(undefined, (batch) => void got.push(...batch));

    refusal.reject(new Error("closed"));

    await until(() => got.length === 1, "the new sink to be called");
    await manager.dispose();
  });

  it("gives a long result without an artifact one of its own", async () => {
    const artifacts = new ArtifactStore({ folder: join(scratchFolder(), "a") });
    const manager = await JobManager.open({ artifacts });
    const got: JobDelivery[] = [];
    manager.subscribe(undefined, (batch) => void got.push(...batch));
    const text = "x".repeat(20_000);

    manager.start({ command: "a", work: quick(text) });
    await until(() => got.length === 1, "the delivery");

    const id = got[0]?.job.artifactId ?? "";
    expect(got[0]?.text.endsWith(`Full output: artifact://${id}`)).toBe(true);
    expect((await artifacts.read(id)).text).toBe(text);
    await manager.dispose();
  });

  it("JB-12: disposing ends twenty jobs, one event each, also those that do not listen", async () => {
    const ended: JobView[] = [];
    const manager = await JobManager.open({ onEnd: (job) => ended.push(job) });
    for (let index = 0; index < 20; index += 1) {
      manager.start({
        command: `c${index}`,
        work: ({ signal }) =>
          new Promise((resolve) => {
            if (index > 0) signal.addEventListener("abort", () => resolve({ text: "" }));
          }),
      });
    }

    await manager.dispose();

    expect(ended.map((job) => job.state)).toEqual(Array.from({ length: 20 }, () => "cancelled"));
    expect(new Set(ended.map((job) => job.id)).size).toBe(20);
  });

  it("forgets results some time after they were taken, and untaken ones not at all", async () => {
    let now = 0;
    const manager = await JobManager.open({ now: () => now });
    manager.start({ command: "a", work: quick("read\n") });
    manager.start({ command: "b", work: quick("unread\n") });
    await until(() => manager.runningCount === 0, "the end");
    await manager.poll(["bg_1"]);

    now = 29_000;
    expect(manager.list().map((job) => job.id)).toEqual(["bg_1", "bg_2"]);
    now = 3_600_000;
    expect(manager.list().map((job) => job.id)).toEqual(["bg_2"]);
    await manager.dispose();
  });
});

describe("the registry", () => {
  it("keeps results no one took for the next host, numbers go on, and files are private", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const first = await JobManager.open({ registryFolder });
    first.start({ command: "a", owner: "me", work: quick("one\n") });
    first.start({ command: "b", owner: "me", work: quick("two\n") });
    await until(() => first.runningCount === 0, "the end");
    await first.poll(["bg_1"], { owner: "me" });
    await first.dispose();

    const second = await JobManager.open({ registryFolder });
    onTestFinished(() => second.dispose());
    const got: JobDelivery[] = [];
    second.subscribe("me", (batch) => void got.push(...batch));

    await until(() => got.length === 1, "the delivery");
    expect(got[0]?.text).toContain("two");
    expect(second.read("bg_1", "me")?.text).toBe("one\n");
    expect(second.start({ command: "c", work: quick("") }).id).toBe("bg_3");
  });

  it("tells the next host that a job was ended at its deadline", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const first = await JobManager.open({ registryFolder });
    first.start({ command: "a", work: async () => ({ text: "late\n", stopped: "deadline" }) });
    await until(() => first.runningCount === 0, "the end");
    expect(first.list()[0]).toMatchObject({ state: "failed", stopped: "deadline" });
    await first.dispose();

    const second = await JobManager.open({ registryFolder });
    onTestFinished(() => second.dispose());

    expect(second.list()[0]).toMatchObject({ state: "failed", stopped: "deadline" });
  });

  it("delivers nothing again that was delivered before", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const first = await JobManager.open({ registryFolder });
    let count = 0;
    first.subscribe(undefined, () => {
      count += 1;
    });
    first.start({ command: "a", work: quick("one\n") });
    await until(() => count === 1, "the delivery");
    await first.dispose();

    const second = await JobManager.open({ registryFolder });
    second.subscribe(undefined, () => {
      count += 1;
    });
    await new Promise((resolve) => setTimeout(resolve, 30));

    expect(count).toBe(1);
    await second.dispose();
  });

  it("leaves the jobs of a living host alone, and numbers its own after them", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const living = await JobManager.open({ registryFolder });
    onTestFinished(() => living.dispose());
    living.start({ command: "a", work: () => new Promise(() => undefined) });
    await until(() => recordOf(registryFolder) !== undefined, "the job to be recorded");

    const other = await JobManager.open({ registryFolder });
    onTestFinished(() => other.dispose());

    expect(other.list()).toEqual([]);
    expect(other.start({ command: "b", work: quick("") }).id).toBe("bg_2");
  });

  it("says of a job whose host is gone that it is lost, and where its output is", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    await abandonedJob(registryFolder);

    const manager = await JobManager.open({ registryFolder });
    onTestFinished(() => manager.dispose());
    const got: JobDelivery[] = [];
    manager.subscribe(undefined, (batch) => void got.push(...batch));

    await until(() => got.length === 1, "the word of the loss");
    expect(got[0]?.job).toMatchObject({ id: "bg_1", state: "failed", isLost: true });
    expect(got[0]?.text).toContain("Background job bg_1 lost");
    expect(got[0]?.text).toContain("artifact://a7?tail=200");
  });

  it("leaves files alone that are no records", async () => {
    const registryFolder = scratchFolder();
    writeFileSync(join(registryFolder, "bg_1.json"), "{ half");
    writeFileSync(join(registryFolder, "bg_2.json"), JSON.stringify({ version: 2 }));
    writeFileSync(join(registryFolder, "notes.txt"), "mine");

    const manager = await JobManager.open({ registryFolder });

    expect(manager.list()).toEqual([]);
    await manager.dispose();
    expect(readdirSync(registryFolder).sort()).toEqual(["bg_1.json", "bg_2.json", "notes.txt"]);
  });

  it("that cannot be written costs no job, and the reason can be asked for", async () => {
    const registryFolder = join(scratchFolder(), "jobs");
    const manager = await JobManager.open({ registryFolder });
    rmSync(registryFolder, { recursive: true });
    writeFileSync(registryFolder, "a file");

    manager.start({ command: "a", work: quick("one\n") });
    const { reports } = await manager.poll(["bg_1"]);
    await until(() => manager.registryError !== undefined, "the failure to be known");

    expect(reports[0]).toMatchObject({ kind: "ended", text: "one\n" });
    await manager.dispose();
  });
});

/** A record of a running job whose host is a process that has ended. */
async function abandonedJob(registryFolder: string): Promise<void> {
  const host = spawn("true", { stdio: "ignore" });
  await new Promise((resolve) => host.once("exit", resolve));
  mkdirSync(registryFolder, { mode: 0o700 });
  const job = { id: "bg_1", type: "bash", state: "running", label: "make", startedAtMs: 1, artifactId: "a7" };
  const identity = { pid: host.pid, startTime: "an earlier boot 1", instance: "i" };
  const record = { version: 1, deliveryId: "d", job, delivery: "none", text: "", host: identity };
  writeFileSync(join(registryFolder, "bg_1.json"), JSON.stringify(record));
}

function recordOf(folder: string): { job: JobView } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "bg_1.json"), "utf8"));
  } catch {
    return undefined;
  }
}
