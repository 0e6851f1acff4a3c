/** Waits with a bound: what they come to, and that nothing is left of them. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { settled, settlesWithin, unlessAborted, waitAtMost, waitWithin, watchBound } from "../src/wait.ts";

const never = (): Promise<never> => new Promise(() => undefined);
/** Longer than any test. */
const LONG_MS = 600_000;

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

describe("a wait with a bound", () => {
  it("comes to the value or the error of work that ends in time", async () => {
    const error = new Error("no");

    expect(await waitWithin(Promise.resolve(7), { timeoutMs: LONG_MS })).toEqual({ kind: "value", value: 7 });
    expect(await waitWithin(Promise.reject(error), { timeoutMs: LONG_MS })).toEqual({ kind: "error", error });
  });

  it("comes to its deadline, and to an abort before that", async () => {
    const stop = new AbortController();
    const waiting = waitWithin(never(), { timeoutMs: LONG_MS, signal: stop.signal });
    stop.abort();

    expect(await waitWithin(never(), { timeoutMs: 1 })).toEqual({ kind: "deadline" });
    expect(await waiting).toEqual({ kind: "aborted" });
  });

  it.each([
    ["no time", { timeoutMs: 0 }, "deadline"],
    ["a time before now", { timeoutMs: -5 }, "deadline"],
    ["a signal that is aborted", { timeoutMs: 0, signal: AbortSignal.abort() }, "aborted"],
  ] as const)("with %s is over at once, but for work that has ended", async (_, bound, kind) => {
    expect(await waitWithin(never(), bound)).toEqual({ kind });
    expect(await waitWithin(Promise.resolve(7), bound)).toEqual({ kind: "value", value: 7 });
    expect((await waitWithin(Promise.reject(new Error("no")), bound)).kind).toBe("error");
  });

  it("takes more time than a timer does for the longest that one takes", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    const stop = new AbortController();
    const endless = waitWithin(never(), { timeoutMs: Number.POSITIVE_INFINITY, signal: stop.signal });
    const long = waitWithin(never(), { timeoutMs: 2 ** 40, signal: stop.signal });
    expect(await waitWithin(never(), { timeoutMs: 20 })).toEqual({ kind: "deadline" });
    stop.abort();
    process.off("warning", note);

    expect(await Promise.all([endless, long])).toEqual([{ kind: "aborted" }, { kind: "aborted" }]);
    expect(warnings).not.toContain("TimeoutOverflowWarning");
  });

  it("leaves no timer and no listener, however it ends", async () => {
    const before = timers();
    const stop = new AbortController();
    const bound = { timeoutMs: LONG_MS, signal: stop.signal };
    await waitWithin(Promise.resolve(), bound);
    await waitWithin(Promise.reject(new Error("no")), bound);
    await unlessAborted(Promise.resolve(), stop.signal);
    const watch = watchBound(bound);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    watch.end();
    watch.end();

    expect(timers()).toBe(before);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    const waiting = waitWithin(never(), bound);
    stop.abort();
    await waiting;
    expect(timers()).toBe(before);
  });

  it("keeps no process alive in the background", async () => {
    const before = timers();
    const waiting = settlesWithin(never(), 20, "background");

    expect(timers()).toBe(before);
    const held = setTimeout(() => undefined, LONG_MS);
    expect(await waiting).toBe(false);
    clearTimeout(held);
  });
});

describe("the short forms", () => {
  it("take a throw before the first promise for an error", async () => {
    const error = new Error("no");
    const fail = (): Promise<never> => {
      throw error;
    };

    expect(await waitAtMost(fail, LONG_MS)).toEqual({ kind: "error", error });
    expect(await settled(fail)).toEqual({ kind: "error", error });
  });

  it("say whether something settled in time, failures too", async () => {
    expect(await settlesWithin(Promise.reject(new Error("no")), LONG_MS)).toBe(true);
    expect(await settlesWithin(never(), 5)).toBe(false);
  });

  it("reject as the work does, unless they are aborted first", async () => {
    const stop = new AbortController();
    const waiting = unlessAborted(never(), stop.signal);
    stop.abort();

    expect(await waiting).toBe("aborted");
    expect(await unlessAborted(Promise.resolve(7), undefined)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error("no")), new AbortController().signal)).rejects.toThrow("no");
  });
});
