/** How long a run is waited for, to the millisecond: its deadline, the grace, a place that is away, an abort. */
import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WatchOptions, watchRun } from "../src/run-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Milliseconds after which a run that never settles is given up. */
async function waitedMs(options: WatchOptions): Promise<number> {
  const startedAt = performance.now();
  const watching = watchRun(new Promise(() => undefined), options).then(() => performance.now() - startedAt);
  await vi.advanceTimersByTimeAsync(60_000);
  return await watching;
}

describe("a run that never settles is given up", () => {
  it.each<[string, WatchOptions, number]>([
    ["after its deadline and the grace", { timeoutMs: 1_000, graceMs: 200 }, 1_200],
    ["after the usual grace", { timeoutMs: 1_000 }, 1_000 + HARD_TIMEOUT_GRACE_MS],
    ["later where its place may be away", { timeoutMs: 1_000, graceMs: 200, awayMs: 3_000 }, 4_200],
    [
      "after the grace where it was aborted before",
      { timeoutMs: 1_000, graceMs: 200, awayMs: 5, signal: AbortSignal.abort() },
      200,
    ],
  ])("%s", async (_, options, ms) => {
    expect(await waitedMs(options)).toBe(ms);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("after the grace from its abort on", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    expect(await waitedMs({ timeoutMs: 50_000, graceMs: 200, awayMs: 9_000, signal: controller.signal })).toBe(500);
  });

  it("one more second later where the host stood still, once", async () => {
    const startedAt = performance.now();
    const watching = watchRun(new Promise(() => undefined), { timeoutMs: 100, graceMs: 100 });
    const clock = vi.spyOn(performance, "now");
    clock.mockReturnValue(startedAt + 200 + 1_001);
    let isOver = false;
    void watching.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    clock.mockReturnValue(startedAt + 100_000);
    await vi.advanceTimersByTimeAsync(1);
    clock.mockRestore();

    expect(await watching).toEqual({ kind: "unresponsive", reason: "deadline" });
  });

  it("at once where its timer was late by no more than a second", async () => {
    const startedAt = performance.now();
    const watching = watchRun(new Promise(() => undefined), { timeoutMs: 100, graceMs: 100 });
    const clock = vi.spyOn(performance, "now").mockReturnValue(startedAt + 200 + 1_000);
    await vi.advanceTimersByTimeAsync(200);
    clock.mockRestore();

    expect(await watching).toEqual({ kind: "unresponsive", reason: "deadline" });
  });

  it("not at all where it settles, and no timer is left behind", async () => {
    expect(await watchRun(Promise.resolve(1), { timeoutMs: 1_000 })).toEqual({ kind: "settled", value: 1 });
    expect(vi.getTimerCount()).toBe(0);
    const error = new Error("no");
    expect(await watchRun(Promise.reject(error), { timeoutMs: 1_000 })).toEqual({ kind: "failed", error });
    expect(vi.getTimerCount()).toBe(0);
  });
});
