/**
 * Which calls share a shell, who waits for whom, and which shells are closed.
 */
import { describe, expect, it } from "vitest";
import { sessionKey } from "../src/sessions/session-key.ts";
import { type Lease, SessionPool } from "../src/sessions/session-pool.ts";
import { FakeNatives, never } from "./support/fake-natives.ts";
import { until } from "./support/waiting.ts";

function poolOf(options: { maxIdle?: number; maxRetained?: number } = {}) {
  const natives = new FakeNatives();
  return { natives, pool: new SessionPool({ natives, ...options }) };
}

async function acquire(
  pool: SessionPool,
  key: string,
  call: { mayClone?: boolean; signal?: AbortSignal } = {},
): Promise<Lease> {
  const lease = await pool.acquire(key, {}, { mayClone: call.mayClone ?? false, signal: call.signal });
  if (lease === undefined) throw new Error("aborted");
  return lease;
}

describe("session key", () => {
  const parts = {
    shell: "/bin/bash",
    prefix: undefined,
    snapshotPath: undefined,
    env: { A: "1", B: "2" },
    sessionKey: "s",
  };

  it("is the same for the same shell, prefix, snapshot, environment and agent session", () => {
    expect(sessionKey({ ...parts, env: { B: "2", A: "1" } })).toBe(sessionKey(parts));
  });

  it("differs where any of them differs", () => {
    const others = [
      { shell: "/usr/bin/bash" },
      { prefix: "nice" },
      { snapshotPath: "/s" },
      { env: { A: "1" } },
      { env: { A: "1\nB=2" } },
      { sessionKey: "t" },
      { sessionKey: undefined },
    ];
    const keys = [parts, ...others.map((other) => ({ ...parts, ...other }))].map(sessionKey);

    expect(new Set(keys).size).toBe(others.length + 1);
  });

  it("does not show the environment", () => {
    expect(sessionKey({ ...parts, env: { TOKEN: "secret" } })).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("session pool", () => {
  it("gives one key one shell, and two keys two", async () => {
    const { natives, pool } = poolOf();

    (await acquire(pool, "a")).release();
    (await acquire(pool, "b")).release();
    (await acquire(pool, "a")).release();

    expect(natives.shells.length).toBe(2);
    expect(pool.stats()).toEqual({ sessions: 2, idle: 2, quarantined: 0 });
  });

  it("CC-01: lets calls take turns in the order they came", async () => {
    const { pool } = poolOf();
    const order: number[] = [];
    const first = await acquire(pool, "a");
    const others = [1, 2, 3].map(async (number) => {
      const lease = await acquire(pool, "a");
      order.push(number);
      lease.release();
    });

    expect(order).toEqual([]);
    first.release();
    await Promise.all(others);

    expect(order).toEqual([1, 2, 3]);
  });

  it("CC-03: a call that is aborted in the line leaves it at once", async () => {
    const { pool } = poolOf();
    const first = await acquire(pool, "a");
    const controller = new AbortController();
    const waiting = pool.acquire("a", {}, { mayClone: false, signal: controller.signal });
    const last = acquire(pool, "a");

    controller.abort();

    expect(await waiting).toBeUndefined();
    first.release();
    expect((await last).turn).toBe("own");
  });

  it("gives a copy to a call that may run beside another one", async () => {
    const { natives, pool } = poolOf();
    const own = await acquire(pool, "a");

    const copy = await acquire(pool, "a", { mayClone: true });

    expect([own.turn, copy.turn]).toEqual(["own", "clone"]);
    expect(natives.shells.length).toBe(1);
    copy.release();
    own.release();
    expect((await acquire(pool, "a", { mayClone: true })).turn).toBe("own");
  });

  it("lets those in line pass when the one before goes on in the background", async () => {
    const { pool } = poolOf();
    const job = await acquire(pool, "a");
    const waiting = acquire(pool, "a");

    job.promote();

    expect((await waiting).turn).toBe("clone");
    expect((await acquire(pool, "a")).turn).toBe("clone");
    job.release();
    expect((await acquire(pool, "a")).turn).toBe("own");
  });

  it("gives the session to those in line when it was handed over, and the one before keeps its shell", async () => {
    const { natives, pool } = poolOf();
    natives.canHandOver = true;
    const job = await acquire(pool, "a");
    const waiting = acquire(pool, "a");

    job.promote();

    const next = await waiting;
    expect(next.turn).toBe("own");
    const last = acquire(pool, "a");
    next.release();
    const held = await last;
    expect(held.turn).toBe("own");
    // Its end says nothing about who has the session, broken or not.
    job.drop();
    expect(pool.stats()).toEqual({ sessions: 1, idle: 0, quarantined: 0 });
    expect((await acquire(pool, "a", { mayClone: true })).turn).toBe("clone");
    held.release();
    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([false]);
  });

  it("goes on as before when the call has ended before its session could be handed over", async () => {
    const { natives, pool } = poolOf();
    natives.canHandOver = true;
    const job = await acquire(pool, "a");
    const waiting = acquire(pool, "a");

    job.promote();
    job.release();

    const next = await waiting;
    expect(next.turn).toBe("own");
    next.release();
    expect(pool.stats()).toEqual({ sessions: 1, idle: 1, quarantined: 0 });
  });

  it("gives a new shell after a broken one, to those in line too, and says once that state is lost", async () => {
    const { natives, pool } = poolOf();
    const broken = await acquire(pool, "a");
    const waiting = acquire(pool, "a");

    broken.drop();

    const next = await waiting;
    expect([next.turn, next.isReset]).toEqual(["own", true]);
    next.release();
    expect((await acquire(pool, "a")).isReset).toBe(false);
    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([true, false]);
  });

  it("CC-14: a shell whose run hangs is closed and out of use at once", async () => {
    const { natives, pool } = poolOf();
    const hung = await acquire(pool, "a");

    hung.quarantine(never());

    expect(natives.shells[0]?.isClosed).toBe(true);
    expect(pool.stats().quarantined).toBe(1);
    expect((await acquire(pool, "a")).session).not.toBe(hung.session);
  });

  it("a copy that hangs does not cost the session", async () => {
    const { natives, pool } = poolOf();
    const own = await acquire(pool, "a");
    const copy = await acquire(pool, "a", { mayClone: true });

    copy.quarantine(never());
    own.release();

    expect((await acquire(pool, "a")).session).toBe(own.session);
    expect(natives.shells[0]?.isClosed).toBe(false);
  });

  it("giving back twice is the same as once", async () => {
    const { pool } = poolOf();
    const first = await acquire(pool, "a");
    const second = acquire(pool, "a");
    const third = acquire(pool, "a");

    first.release();
    first.release();
    const turn = await second;

    let isThird = false;
    void third.then(() => {
      isThird = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isThird).toBe(false);
    turn.release();
    await third;
  });

  it("CC-13: five hundred sessions used once leave a bounded number, the latest ones", async () => {
    const { natives, pool } = poolOf({ maxIdle: 4 });

    for (let index = 0; index < 500; index += 1) (await acquire(pool, `k${index}`)).release();
    await until(() => pool.stats().sessions === 4, "old sessions to be closed");

    expect(natives.shells.filter((shell) => !shell.isClosed).length).toBe(4);
    expect(natives.shells.at(-1)?.isClosed).toBe(false);
    const again = await acquire(pool, "k0");
    expect(again.isReset).toBe(true);
  });

  it("keeps a used session over one that was used before it", async () => {
    const { natives, pool } = poolOf({ maxIdle: 2 });
    for (const key of ["a", "b", "a", "c"]) (await acquire(pool, key)).release();

    await until(() => pool.stats().sessions === 2, "one session to be closed");

    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([false, true, false]);
  });

  it("does not close a session whose background children live, up to a bound", async () => {
    const { natives, pool } = poolOf({ maxIdle: 1, maxRetained: 3 });
    for (const key of ["a", "b", "c", "d", "e"]) {
      const lease = await acquire(pool, key);
      const shell = natives.shells.at(-1);
      if (shell !== undefined) shell.backgroundJobs = 1;
      lease.release();
    }

    await until(() => pool.stats().sessions === 3, "the oldest to be closed");

    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([true, true, false, false, false]);
  });

  it("closes a session that was for one call when nothing of it lives", async () => {
    const { natives, pool } = poolOf();
    const lease = await acquire(pool, "job");
    lease.session.isEphemeral = true;

    lease.release();

    await until(() => natives.shells[0]?.isClosed === true, "the session to be closed");
    expect(pool.stats().sessions).toBe(0);
  });

  it("closes the session of a key on request", async () => {
    const { natives, pool } = poolOf();
    (await acquire(pool, "a")).release();

    await pool.close("a");
    await pool.close("nothing");

    expect(natives.shells[0]?.isClosed).toBe(true);
  });

  it("closes everything when it is disposed of, and makes nothing new", async () => {
    const { natives, pool } = poolOf();
    (await acquire(pool, "a")).release();
    await acquire(pool, "b");

    await pool.dispose();

    expect(natives.shells.every((shell) => shell.isClosed)).toBe(true);
    await expect(pool.acquire("c", {}, { mayClone: false })).rejects.toThrow("executor is disposed");
  });
});
