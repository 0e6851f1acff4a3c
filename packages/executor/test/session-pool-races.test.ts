/** Sessions that are closed, dropped or disposed of while something else is under way with them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Session } from "../src/sessions/session.ts";
import type { Lease } from "../src/sessions/session-pool.ts";
import { FakeNatives, FakeShell } from "./support/fake-natives.ts";
import { poolOf } from "./support/session-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(0);

describe("a session that was closed while a call had it", () => {
  it.each<[string, (lease: Lease) => void]>([
    ["given back", (lease) => lease.release()],
    ["given back broken", (lease) => lease.drop()],
    ["left hanging", (lease) => lease.quarantine(Promise.resolve())],
  ])("costs the new one of its key nothing when it is %s", async (_, end) => {
    const { natives, pool, acquire, closed } = poolOf();
    const old = await acquire("a");
    await pool.close("a");
    const fresh = await acquire("a");
    end(old);
    await settle();
    fresh.release();

    expect([natives.shells.length, closed(), pool.stats()]).toEqual([
      2,
      [true, false],
      { sessions: 1, idle: 1, quarantined: 0 },
    ]);
    expect((await acquire("a")).session).toBe(fresh.session);
  });

  it("sends those in line to a new one", async () => {
    const { natives, pool, acquire } = poolOf();
    await acquire("a");
    const waiting = acquire("a");
    await settle();
    await pool.close("a");
    const lease = await waiting;

    expect([natives.shells.length, lease.turn, lease.isReset]).toEqual([2, "own", false]);
  });
});

describe("a session that is asked what lives in it", () => {
  it("and closed on request meanwhile is not one whose state was lost", async () => {
    const { pool, acquire, use, asking } = poolOf({ maxIdle: 1 });
    await use("a");
    const answers = asking(0);
    await use("b");
    await settle();
    expect(answers).toHaveLength(1);
    await pool.close("a");
    answers[0]?.(0);
    await settle();

    expect((await acquire("a")).isReset).toBe(false);
  });

  it("is asked once at a time; what became too many meanwhile is closed after it", async () => {
    const { use, asking, closed } = poolOf({ maxIdle: 1 });
    await use("a");
    const answers = asking(0);
    await use("b");
    await settle();
    await use("c");
    await use("d");
    await settle();
    expect([answers.length, closed()]).toEqual([1, [false, false, false, false]]);
    answers[0]?.(0);
    await settle();

    expect(closed()).toEqual([true, true, true, false]);
  });

  it("has the pool look again later once, however many are kept", async () => {
    const { use, pool } = poolOf({ maxIdle: 1 });
    for (const key of ["a", "b", "c", "d"]) await use(key, 1);
    await settle();
    expect([vi.getTimerCount(), pool.stats().sessions]).toEqual([1, 4]);
    await vi.advanceTimersByTimeAsync(5_000);

    expect([vi.getTimerCount(), pool.stats().sessions]).toEqual([1, 4]);
  });
});

describe("keys whose sessions were lost", () => {
  it("are remembered up to 4,096, each until it was reported", async () => {
    const { acquire } = poolOf();
    for (let at = 0; at < 4_097; at += 1) (await acquire(`k${at}`)).drop();
    expect((await acquire("k4096")).isReset).toBe(false);
    expect((await acquire("k4095")).isReset).toBe(true);
    (await acquire("more")).drop();

    expect((await acquire("more")).isReset).toBe(true);
  });
});

describe("a pool that is disposed of", () => {
  it("waits for the sessions that are being closed already, for ten seconds at most", async () => {
    const { natives, pool, acquire } = poolOf();
    const held = await acquire("a");
    let close: () => void = () => undefined;
    const [shell] = natives.shells;
    if (shell !== undefined) shell.close = () => new Promise((resolve) => (close = resolve));
    held.drop();
    await settle();
    const disposed = vi.fn();
    void pool.dispose().then(disposed);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(disposed).not.toHaveBeenCalled();
    close();
    await settle();

    expect(disposed).toHaveBeenCalledTimes(1);
  });

  it("has no session for those in line", async () => {
    const { natives, pool, acquire } = poolOf();
    await acquire("a");
    const waiting = acquire("a").then(
      () => "a session",
      (error: Error) => error.message,
    );
    await settle();
    await pool.dispose();

    expect(await waiting).toBe("executor is disposed; create another one");
    expect([natives.shells.length, natives.shells[0]?.isClosed, pool.stats().sessions]).toEqual([1, true, 0]);
  });
});

describe("a session by itself", () => {
  it("that was dropped is idle when the call that had it has left, and has no one in line", async () => {
    const session = new Session("a", new FakeShell({}, new FakeNatives()), false);
    const turn = await session.take(false, undefined);
    const waiting = session.take(false, undefined);
    session.drop();
    expect(await waiting).toBe("retry");
    if (typeof turn !== "string") session.release(turn);

    expect(session.isIdle).toBe(true);
  });
});
