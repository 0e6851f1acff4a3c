/**
 * News of jobs that still run: delivered like results, before them, and never twice.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/patience.ts";
import type { JobDelivery, JobEnd } from "../src/jobs/job.ts";
import { JobManager } from "../src/jobs/job-manager.ts";

async function running() {
  const manager = await JobManager.open();
  onTestFinished(() => manager.dispose());
  let end: (end: JobEnd) => void = () => undefined;
  const work = new Promise<JobEnd>((resolve) => {
    end = resolve;
  });
  const { id } = manager.start({
    command: "a command",
    owner: "me",
    work: ({ signal }) => {
      signal.addEventListener("abort", () => end({ text: "ended" }));
      return work;
    },
  });
  return { manager, id, end: () => end({ text: "the result", exitCode: 0 }) };
}

/** Work that ends when it is cancelled. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<JobEnd>((resolve) => signal.addEventListener("abort", () => resolve({ text: "ended" })));

const delivered = (got: readonly JobDelivery[], count: number) =>
  until(`${count} deliveries`, () => got.length >= count, 10_000);

describe("news of a running job", () => {
  it("reach the owner's sink while it runs, and its result comes after them", async () => {
    const { manager, id, end } = await running();
    const got: JobDelivery[] = [];
    manager.announce(id, { key: "waiting", text: "it asks" });
    end();
    manager.subscribe("me", (batch) => void got.push(...batch));
    await delivered(got, 2);

    expect(got.map(({ text }) => text)[0]).toBe("it asks");
    expect(got[1]?.text).toContain("the result");
    expect(new Set(got.map(({ deliveryId }) => deliveryId)).size).toBe(2);
  });

  it("about the same subject replace each other until they are sent, and may be made of the earlier ones", async () => {
    const { manager, id } = await running();
    const got: JobDelivery[] = [];
    manager.announce(id, { key: "waiting", text: "first" });
    manager.announce(id, { key: "waiting", text: (earlier) => `${earlier} and second` });
    manager.announce(id, { key: "lines", text: "a line" });
    manager.subscribe("me", (batch) => void got.push(...batch));
    await delivered(got, 2);

    expect(got.map(({ text }) => text)).toEqual(["first and second", "a line"]);
    expect(got[0]?.job.endedAtMs).toBeUndefined();
  });

  it("are sent again with the same id where the sink refused them", async () => {
    const { manager, id } = await running();
    const tries: string[] = [];
    manager.subscribe("me", (batch) => {
      tries.push(...batch.map(({ deliveryId }) => deliveryId));
      if (tries.length === 1) throw new Error("not now");
    });
    manager.announce(id, { key: "waiting", text: "it asks" });
    await until("a second try", () => tries.length === 2, 10_000);

    expect(tries[0]).toBe(tries[1]);
  });

  it("are not sent once they were taken back, and go to no other owner", async () => {
    const { manager, id } = await running();
    const got: JobDelivery[] = [];
    const others: JobDelivery[] = [];
    manager.announce(id, { key: "waiting", text: "it asks" });
    manager.announce(id, { key: "lines", text: "a line" });
    manager.withdraw(id, "waiting");
    manager.subscribe("another", (batch) => void others.push(...batch));
    manager.subscribe("me", (batch) => void got.push(...batch));
    await delivered(got, 1);

    expect(got.map(({ text }) => text)).toEqual(["a line"]);
    expect(others).toEqual([]);
  });

  it("of a job that is cancelled or unknown are dropped", async () => {
    const { manager, id } = await running();
    const got: JobDelivery[] = [];
    manager.announce(id, { key: "waiting", text: "it asks" });
    await manager.cancel(id, "me");
    manager.announce(id, { key: "waiting", text: "it asks again" });
    manager.announce("bg_99", { key: "waiting", text: "of nothing" });
    const other = manager.start({ command: "b", owner: "me", work: async () => ({ text: "done", exitCode: 0 }) });
    manager.subscribe("me", (batch) => void got.push(...batch));
    await delivered(got, 1);

    expect(got.map(({ job }) => job.id)).toEqual([other.id]);
  });

  it("about the same subject of two jobs stand beside each other, and are taken back one by one", async () => {
    const { manager, id } = await running();
    const other = manager.start({ command: "b", owner: "me", work: ({ signal }) => untilAborted(signal) }).id;
    const got: JobDelivery[] = [];
    for (const job of [id, other]) {
      manager.announce(job, { key: "waiting", text: (earlier) => `${job} asks after ${earlier}` });
      manager.announce(job, { key: "lines", text: `a line of ${job}` });
    }
    manager.withdraw(id, "lines");
    manager.subscribe("me", (batch) => void got.push(...batch));
    await delivered(got, 3);

    expect(got.map(({ job, text }) => [job.id, text])).toEqual([
      [id, `${id} asks after undefined`],
      [other, `${other} asks after undefined`],
      [other, `a line of ${other}`],
    ]);
  });
});
