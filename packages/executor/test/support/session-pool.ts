/** A pool of sessions over shells that a test plays. Times are the test's: it has timers of its own. */
import { type Lease, SessionPool, type SessionPoolOptions } from "../../src/sessions/session-pool.ts";
import { FakeNatives } from "./fake-natives.ts";

/** The pool, what it is made of, and what is done with it all the time. */
export function poolOf(options: Omit<SessionPoolOptions, "natives"> = {}) {
  const natives = new FakeNatives();
  const pool = new SessionPool({ natives, ...options });
  const acquire = async (key: string): Promise<Lease> => {
    const lease = await pool.acquire(key, {}, { mayClone: false });
    if (lease === undefined) throw new Error("aborted");
    return lease;
  };
  /** Takes and gives back a session; with living children where there are `jobs`. */
  const use = async (key: string, jobs = 0): Promise<void> => {
    const lease = await acquire(key);
    const shell = natives.shells.at(-1);
    if (shell !== undefined && jobs > 0) shell.backgroundJobs = jobs;
    lease.release();
  };
  /** Has a shell's count of children answered by the test. */
  const asking = (at: number) => {
    const answers: ((count: number) => void)[] = [];
    const shell = natives.shells[at];
    if (shell !== undefined) shell.liveBackgroundJobCount = () => new Promise((resolve) => answers.push(resolve));
    return answers;
  };
  const closed = () => natives.shells.map((shell) => shell.isClosed);
  return { natives, pool, acquire, use, asking, closed };
}
