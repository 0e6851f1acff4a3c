/** The bounds of a pool of sessions: how long it looks, waits and remembers, and which sessions it closes when. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { never } from "./support/fake-natives.ts";
import { poolOf } from "./support/session-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("a pool", () => {
  it("keeps as many idle sessions as it may, and those in use besides", async () => {
    const { pool, acquire, use, closed } = poolOf({ maxIdle: 2 });
    const held = await acquire("held");
    await use("a");
    await use("b");
    await settle();
    expect([closed(), pool.stats()]).toEqual([[false, false, false], { sessions: 3, idle: 2, quarantined: 0 }]);
    held.release();
    await settle();

    expect(closed()).toEqual([false, true, false]);
    expect(pool.stats()).toEqual({ sessions: 2, idle: 2, quarantined: 0 });
  });

  it("keeps 64 by itself", async () => {
    const { pool, use } = poolOf();
    for (let at = 0; at < 65; at += 1) await use(`k${at}`);
    await settle();

    expect([pool.stats().sessions, pool.has("k0"), pool.has("k1")]).toEqual([64, false, true]);
  });

  it("looks every five seconds whether the children that it keeps a session for still live", async () => {
    const { natives, use, closed, pool } = poolOf({ maxIdle: 1 });
    await use("a", 1);
    await use("b");
    await settle();
    expect(closed()).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(closed()).toEqual([false, false]);
    const [first] = natives.shells;
    if (first !== undefined) first.backgroundJobs = 0;
    await vi.advanceTimersByTimeAsync(4_999);
    expect(closed()).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);

    expect([closed(), vi.getTimerCount(), pool.stats().sessions]).toEqual([[true, false], 0, 1]);
  });

  it("closes a session whose shell does not say within a second what lives in it, or cannot", async () => {
    const silence = () => new Promise<number>(() => undefined);
    for (const answer of [silence, () => Promise.reject<number>(new Error("no"))]) {
      const { natives, use, acquire, closed } = poolOf({ maxIdle: 1 });
      const lease = await acquire("a");
      const [shell] = natives.shells;
      if (shell !== undefined) shell.liveBackgroundJobCount = answer;
      lease.release();
      await use("b");
      await vi.advanceTimersByTimeAsync(999);
      if (answer === silence) expect(closed()).toEqual([false, false]);
      await vi.advanceTimersByTimeAsync(1);
      expect(closed()).toEqual([true, false]);
    }
  });

  it("does not close a session that is taken while it is asked what lives in it", async () => {
    const { natives, use, acquire, closed } = poolOf({ maxIdle: 1 });
    await use("a");
    const [shell] = natives.shells;
    let answer: (count: number) => void = () => undefined;
    if (shell !== undefined) {
      shell.liveBackgroundJobCount = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
    }
    await use("b");
    await settle();
    const lease = await acquire("a");
    answer(0);
    await settle();
    expect(closed()).toEqual([false, false]);
    lease.release();
    await settle();
    answer(0);
    await settle();

    // It was used last now.
    expect(closed()).toEqual([false, true]);
  });

  it("keeps of sessions with living children no more than its other bound, the newest", async () => {
    const { use, closed, pool } = poolOf({ maxIdle: 1, maxRetained: 2 });
    for (const key of ["a", "b", "c"]) await use(key, 1);
    await settle();

    expect([closed(), pool.stats().sessions]).toEqual([[true, false, false], 2]);
  });

  it("closes a session for one call at once, and one whose children live when they have ended", async () => {
    const { natives, acquire, closed } = poolOf();
    const lease = await acquire("a");
    lease.session.isEphemeral = true;
    const [shell] = natives.shells;
    if (shell !== undefined) shell.backgroundJobs = 1;
    lease.release();
    await settle();
    expect(closed()).toEqual([false]);
    if (shell !== undefined) shell.backgroundJobs = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(closed()).toEqual([true]);

    expect((await acquire("a")).isReset).toBe(false);
  });

  it("says of a key whose session it closed once that state is lost", async () => {
    const { use, acquire } = poolOf({ maxIdle: 1 });
    await use("a");
    await use("b");
    await settle();
    const first = await acquire("a");
    expect(first.isReset).toBe(true);
    first.release();

    expect((await acquire("a")).isReset).toBe(false);
  });

  it("says nothing of that where a session was closed on request", async () => {
    const { pool, use, acquire } = poolOf();
    await use("a");
    await pool.close("a");
    expect(pool.has("a")).toBe(false);

    expect((await acquire("a")).isReset).toBe(false);
  });

  it("waits ten seconds for a close, and no longer", async () => {
    const { natives, pool, use } = poolOf();
    await use("a");
    await use("b");
    for (const shell of natives.shells) shell.close = never as () => Promise<never>;
    const closing = vi.fn();
    void pool.close("a").then(closing);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(closing).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(closing).toHaveBeenCalledTimes(1);
    const disposing = vi.fn();
    void pool.dispose().then(disposing);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([disposing.mock.calls.length, pool.stats().sessions]).toEqual([1, 0]);
  });

  it("leaves no timer behind when it is disposed of, and looks at nothing any more", async () => {
    const { pool, use } = poolOf({ maxIdle: 1 });
    await use("a", 1);
    await use("b", 1);
    await settle();
    expect(vi.getTimerCount()).toBe(1);
    await pool.dispose();

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a run that hangs", () => {
  it("is counted until it settles or thirty seconds have passed", async () => {
    const { pool, acquire, closed } = poolOf();
    const lease = await acquire("a");
    lease.quarantine(never());
    lease.quarantine(never());
    expect([pool.stats().quarantined, closed(), pool.has("a")]).toEqual([1, [true], false]);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(pool.stats().quarantined).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(pool.stats().quarantined).toBe(0);
    const other = await acquire("b");
    other.quarantine(Promise.resolve());
    await settle();

    expect(pool.stats().quarantined).toBe(0);
    expect((await acquire("a")).isReset).toBe(true);
  });

  it("in a copy keeps its session, which is idle when the run has settled", async () => {
    const { pool, acquire, closed } = poolOf();
    const own = await acquire("a");
    const copy = await pool.acquire("a", {}, { mayClone: true });
    expect(copy?.turn).toBe("clone");
    let end: (value: undefined) => void = () => undefined;
    copy?.quarantine(new Promise((resolve) => (end = resolve)));
    own.release();
    expect([closed(), pool.stats()]).toEqual([[false], { sessions: 1, idle: 0, quarantined: 1 }]);
    end(undefined);
    await settle();

    expect(pool.stats()).toEqual({ sessions: 1, idle: 1, quarantined: 0 });
  });

  it("that broke in a copy leaves the session, and one that broke in the session closes it", async () => {
    const { pool, acquire, closed } = poolOf();
    const own = await acquire("a");
    const copy = await pool.acquire("a", {}, { mayClone: true });
    copy?.drop();
    expect([closed(), pool.has("a")]).toEqual([[false], true]);
    own.drop();

    expect([closed(), pool.has("a")]).toEqual([[true], false]);
  });

  it("that was aborted before has no session", async () => {
    const { natives, pool } = poolOf();
    expect(await pool.acquire("a", {}, { mayClone: false, signal: AbortSignal.abort() })).toBeUndefined();
    expect(natives.shells).toEqual([]);
  });
});
