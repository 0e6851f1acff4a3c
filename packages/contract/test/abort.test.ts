/** One listener on a signal, however many wait for its abort. */
import { getEventListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { onAbort, withDeadline } from "../src/abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("onAbort", () => {
  it("calls everyone once, in order, over one listener of the signal", () => {
    const stop = new AbortController();
    const called: number[] = [];
    for (let index = 0; index < 40; index += 1) onAbort(stop.signal, () => called.push(index));

    expect(listeners(stop.signal)).toBe(1);
    stop.abort();

    expect(called).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(listeners(stop.signal)).toBe(0);
  });

  it("calls no one who took it back, and leaves no listener when all have", () => {
    const stop = new AbortController();
    const called: string[] = [];
    const first = onAbort(stop.signal, () => called.push("first"));
    const second = onAbort(stop.signal, () => called.push("second"));
    first();
    first();
    expect(listeners(stop.signal)).toBe(1);
    second();
    expect(listeners(stop.signal)).toBe(0);
    onAbort(stop.signal, () => called.push("third"));

    stop.abort();

    expect(called).toEqual(["third"]);
  });

  it("calls no one whom an earlier one released while the abort is passed on", () => {
    const stop = new AbortController();
    const called: string[] = [];
    let release = (): void => undefined;
    onAbort(stop.signal, () => release());
    release = onAbort(stop.signal, () => called.push("late"));

    stop.abort();

    expect(called).toEqual([]);
  });

  it("does nothing for no signal and for one that is aborted already", () => {
    const called: string[] = [];

    onAbort(undefined, () => called.push("none"))();
    onAbort(AbortSignal.abort(), () => called.push("aborted"))();

    expect(called).toEqual([]);
  });
});

/** Collects garbage, as it may happen at any moment. */
function collect(): void {
  const { Bun: bun } = globalThis as { Bun?: { gc(isSynchronous: boolean): void } };
  if (bun !== undefined) {
    bun.gc(true);
    return;
  }
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  gc();
}

describe("a signal with a deadline", () => {
  it("is aborted at its deadline, also where garbage is collected before", async () => {
    const stop = new AbortController();
    let reason = "";
    // As a caller waits: no one but the listener knows of the signal.
    const watch = () => {
      const { signal } = withDeadline(200, [stop.signal]);
      onAbort(signal, () => {
        reason = String(signal.reason?.name);
      });
    };
    watch();

    for (let waitedMs = 0; reason === "" && waitedMs < 10_000; waitedMs += 20) {
      await wait(20);
      collect();
    }

    expect(reason).toBe("TimeoutError");
  });

  it("is aborted with any of the others, for their reason, at once where one is aborted already", () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { signal, end } = withDeadline(60_000, [first.signal, second.signal]);
    second.abort("why");
    end();

    expect(signal.reason).toBe("why");
    const late = withDeadline(undefined, [AbortSignal.abort("before")]);
    expect(late.signal.reason).toBe("before");
  });

  it("leaves no listener and no timer when it is ended, and takes a time longer than a timer's", async () => {
    const stop = new AbortController();
    const short = withDeadline(1, [stop.signal]);
    const long = withDeadline(1e15, []);
    short.end();
    await wait(20);

    expect([short.signal.aborted, long.signal.aborted]).toEqual([false, false]);
    expect(listeners(stop.signal)).toBe(0);
    long.end();
  });
});
