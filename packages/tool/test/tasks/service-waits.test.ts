/** The time of a wait for a service: how often is looked, when it is over, and what counts as having stood still. */
import type { ServiceReady } from "@pi-bash/contract";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BashToolSession } from "../../src/session.ts";
import { awaitReady, type ReadyEnd, toReadiness } from "../../src/tasks/service-ready.ts";
import { playJob } from "../support/played-jobs.ts";
import { PORT } from "../support/played-services.ts";
import { jobs } from "../support/session.ts";

const HERE = { cwd: "/" } as BashToolSession;
const START_MS = 1_000_000;

beforeEach(
  () => void vi.useFakeTimers({ now: START_MS, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** A service without a process, and the times at which is looked at its ports, from the start of the wait. */
async function played() {
  const manager = await jobs();
  const job = playJob(manager);
  const looks: number[] = [];
  const listens = { ports: [] as (typeof PORT)[] };
  const begunMs = performance.now();
  job.context.setPorts?.(async () => {
    looks.push(performance.now() - begunMs);
    return listens.ports;
  });
  const wait = (ready: ServiceReady, startedAtMs = Date.now()): { end: () => ReadyEnd | undefined } => {
    let end: ReadyEnd | undefined;
    void awaitReady({ jobId: job.id, manager, session: HERE, cwd: "/" }, toReadiness(ready), { startedAtMs }).then(
      (found) => {
        end = found;
      },
    );
    return { end: () => end };
  };
  return { manager, job, looks, listens, wait };
}

describe("a wait for a service", () => {
  it("looks more and more seldom, but each quarter of a second, and once more when the time is over", async () => {
    const { looks, wait } = await played();
    const { end } = wait({ port: 80, timeout_secs: 4 });
    await vi.advanceTimersByTimeAsync(3_999);
    expect(looks).toEqual([0, 50, 150, ...Array.from({ length: 15 }, (_, at) => 350 + at * 250)]);
    expect(end()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(looks.at(-1)).toBe(4_000);
    expect(looks).toHaveLength(19);
    expect(end()).toStrictEqual({ kind: "not_ready", unmet: ["port 80 (nothing listens)"], output: "" });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(looks).toHaveLength(19);
  });

  it("counts the time from the start that it is given", async () => {
    const { listens, wait } = await played();
    const { end } = wait({ port: 80, timeout_secs: 10 }, START_MS - 3_000);
    await vi.advanceTimersByTimeAsync(250);
    listens.ports = [PORT];
    await vi.advanceTimersByTimeAsync(100);
    expect(end()).toStrictEqual({ kind: "ready", afterMs: 3_350, isAssumed: false });
  });

  it("takes one without a readiness for ready as soon as it listens anywhere", async () => {
    const { listens, wait } = await played();
    listens.ports = [PORT];
    const { end } = wait({ timeout_secs: 10 });
    await vi.advanceTimersByTimeAsync(0);
    expect(end()).toStrictEqual({ kind: "ready", afterMs: 0, isAssumed: true });
  });

  it("takes one without a readiness for ready when it has lived for two seconds", async () => {
    const { looks, wait } = await played();
    const { end } = wait({ timeout_secs: 10 });
    await vi.advanceTimersByTimeAsync(2_099);
    expect(looks.at(-1)).toBe(1_850);
    expect(end()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(end()).toStrictEqual({ kind: "ready", afterMs: 2_100, isAssumed: true });
  });

  it.each([
    [1.999, "not_ready"],
    [2, "ready"],
  ])("of %d seconds without a readiness ends as %s", async (seconds, kind) => {
    const { wait } = await played();
    const { end } = wait({ timeout_secs: seconds });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(end()?.kind).toBe(kind);
  });

  it.each([
    [0.299, "not_ready"],
    [0.3, "ready"],
  ])("takes a last line for one after three tenths of a second: %d s, %s", async (seconds, kind) => {
    const { job, wait } = await played();
    job.context.update("one\nup> ");
    const { end } = wait({ log: "^up> $", timeout_secs: seconds });
    await vi.advanceTimersByTimeAsync(300);
    expect(end()?.kind).toBe(kind);
  });

  it("lasts for a line that matched once, while something else is waited for", async () => {
    const { job, listens, wait } = await played();
    job.context.update("up");
    const { end } = wait({ log: "^up$", port: 80, timeout_secs: 10 });
    await vi.advanceTimersByTimeAsync(700);
    job.context.update("up\ndown");
    await vi.advanceTimersByTimeAsync(800);
    listens.ports = [PORT];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(end()).toMatchObject({ kind: "ready", isAssumed: false });
  });

  it("leaves no timer behind, however it ends", async () => {
    const { job, listens, wait } = await played();
    listens.ports = [PORT];
    expect(vi.getTimerCount()).toBe(0);
    const ready = wait({ port: 80, timeout_secs: 10 });
    const over = wait({ port: 81, timeout_secs: 0.1 });
    const ended = wait({ port: 82, timeout_secs: 600 });
    await vi.advanceTimersByTimeAsync(200);
    expect([ready.end()?.kind, over.end()?.kind]).toEqual(["ready", "not_ready"]);
    vi.useRealTimers();
    await job.end({ text: "bye\n" });
    await vi.waitFor(() => expect(ended.end()).toMatchObject({ kind: "ended", output: "bye\n" }), 10_000);
  });
});
