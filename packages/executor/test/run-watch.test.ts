/**
 * The bound that holds whatever the native side does.
 */
import { describe, expect, it } from "vitest";
import { watchRun } from "../src/run-watch.ts";
import { deferred } from "./support/waiting.ts";

describe("watching a run", () => {
  it("gives the value of a run that settles", async () => {
    const watched = await watchRun(Promise.resolve(7), { timeoutMs: 60_000 });

    expect(watched).toEqual({ kind: "settled", value: 7 });
  });

  it("gives the error of a run that fails", async () => {
    const error = new Error("no");

    expect(await watchRun(Promise.reject(error), { timeoutMs: 60_000 })).toEqual({ kind: "failed", error });
  });

  it("CC-14: stops waiting at the deadline plus the grace", async () => {
    const watched = await watchRun(deferred<number>().promise, { timeoutMs: 10, graceMs: 20 });

    expect(watched).toEqual({ kind: "unresponsive", reason: "deadline" });
  });

  it("stops waiting the grace after an abort, long before the deadline", async () => {
    const controller = new AbortController();
    const watching = watchRun(deferred<number>().promise, {
      timeoutMs: 600_000,
      graceMs: 20,
      signal: controller.signal,
    });

    controller.abort();

    expect(await watching).toEqual({ kind: "unresponsive", reason: "cancelled" });
  });

  it("counts the grace from now where the signal is aborted already", async () => {
    const watching = watchRun(deferred<number>().promise, {
      timeoutMs: 600_000,
      graceMs: 20,
      signal: AbortSignal.abort(),
    });

    expect(await watching).toEqual({ kind: "unresponsive", reason: "cancelled" });
  });

  it("CC-11: gives a run that is done a chance after the host stood still", async () => {
    const run = deferred<number>();
    const watching = watchRun(run.promise, { timeoutMs: 1, graceMs: 1 });
    const end = performance.now() + 1_200;
    while (performance.now() < end);
    // The timer is long due; the native side reports a moment later.
    setTimeout(() => run.resolve(7), 50);

    expect(await watching).toEqual({ kind: "settled", value: 7 });
  });
});
