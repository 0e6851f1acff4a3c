/**
 * Calls that wait for the shell, by a clock of the test: when they say what they wait for, and what of it is said at
 * the end.
 */
import type { Executor } from "@pi-bash/executor";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ForegroundCalls, foregroundCallsOf, watchWait } from "../src/foreground-calls.ts";
import type { BashToolSession } from "../src/session.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A call that waits for another one, which has the shell for a second. */
function waiting(command = "make") {
  const calls = new ForegroundCalls();
  const holder = calls.begin(command);
  vi.advanceTimersByTime(500);
  holder.start(true);
  vi.advanceTimersByTime(1_000);
  const said: string[] = [];
  const wait = watchWait(calls, "ls", (text) => said.push(text));
  return { calls, holder, wait, said };
}

describe("a call that waits for the shell", () => {
  it("says so after two seconds, and then every ten", () => {
    const { wait, said } = waiting();
    vi.advanceTimersByTime(1_999);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual([
      "Waiting for the shell: `make` has had it for 3 seconds. `task_terminate` with `call_1` ends it.",
    ]);
    vi.advanceTimersByTime(9_999);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(said[1]).toContain("for 13 seconds.");
    wait.end();
    vi.advanceTimersByTime(60_000);
    expect(said).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says in the singular what is one", () => {
    const calls = new ForegroundCalls();
    const said: string[] = [];
    watchWait(calls, "ls", (text) => said.push(text));
    vi.advanceTimersByTime(1_000);
    calls.begin("make").start(true);
    vi.advanceTimersByTime(1_000);
    expect(said[0]).toContain("has had it for 1 second.");
  });

  it("says nothing where no call has the shell, though others are under way", () => {
    const calls = new ForegroundCalls();
    const said: string[] = [];
    calls.begin("waits, too");
    calls.begin("runs in a copy").start(false);
    const wait = watchWait(calls, "ls", (text) => said.push(text));
    vi.advanceTimersByTime(30_000);
    expect(said).toEqual([]);
    expect(wait.start(true)).toBeUndefined();
  });

  it("has a note on it in its answer where it waited for two seconds", () => {
    const long = waiting();
    vi.advanceTimersByTime(2_000);
    long.holder.end();
    expect(long.wait.start(true)).toBe("Waited 2.0 seconds for the shell, which `make` had.");
    const short = waiting();
    vi.advanceTimersByTime(1_999);
    expect(short.wait.start(true)).toBeUndefined();
  });

  it("says no more once it has its turn", () => {
    const { wait, said } = waiting();
    wait.start(true);
    vi.advanceTimersByTime(60_000);
    expect(said).toEqual([]);
  });

  it("names the call that had the shell last", () => {
    const { calls, holder, said, wait } = waiting();
    vi.advanceTimersByTime(2_000);
    holder.end();
    calls.begin("other").start(true);
    vi.advanceTimersByTime(10_000);
    expect(said[1]).toContain("`other` has had it for 10 seconds");
    expect(wait.start(true)).toContain("which `other` had");
  });

  it("names that one also where no call has had the shell since", () => {
    const { holder, wait } = waiting();
    holder.end();
    vi.advanceTimersByTime(20_000);
    expect(wait.start(true)).toBe("Waited 20.0 seconds for the shell, which `make` had.");
  });

  it("names a command of sixty units at most, on one line", () => {
    const { said } = waiting(`a\n${"b".repeat(100)}`);
    vi.advanceTimersByTime(2_000);
    expect(said[0]).toContain(`\`a ${"b".repeat(57)}…\``);
  });
});

describe("the calls under way", () => {
  it("are listed in their order until they are over, each with a number of its own", () => {
    const calls = new ForegroundCalls();
    const first = calls.begin("a");
    calls.begin("b");
    expect(calls.list()).toEqual([
      { id: "call_1", command: "a", madeAtMs: 1_000_000, startedAtMs: undefined, hasShell: false },
      { id: "call_2", command: "b", madeAtMs: 1_000_000, startedAtMs: undefined, hasShell: false },
    ]);
    vi.advanceTimersByTime(5);
    first.start(true);
    expect(calls.holder()).toMatchObject({ id: "call_1", startedAtMs: 1_000_005, hasShell: true });
    first.end();
    expect(calls.holder()).toBeUndefined();
    calls.begin("c");
    expect(calls.list().map(({ id }) => id)).toEqual(["call_2", "call_3"]);
  });

  it("can be ended, which is over when the call is", async () => {
    const calls = new ForegroundCalls();
    const own = calls.begin("a");
    const stopped = calls.stop("call_1");
    expect(own.stopped.aborted).toBe(true);
    own.end();
    await expect(stopped).resolves.toBeUndefined();
    expect(calls.stop("call_1")).toBeUndefined();
  });

  it("are one list for a session, whichever object it comes as", () => {
    const executor = {} as Executor;
    const session = (id: string | undefined, of = executor): BashToolSession => ({
      cwd: "/",
      executor: of,
      ...(id === undefined ? {} : { getSessionId: () => id }),
    });
    const calls = foregroundCallsOf(session("a"));
    expect(foregroundCallsOf(session("a"))).toBe(calls);
    expect(foregroundCallsOf(session("b"))).not.toBe(calls);
    expect(foregroundCallsOf(session(undefined))).not.toBe(calls);
    expect(foregroundCallsOf(session(undefined))).toBe(foregroundCallsOf(session(undefined)));
    expect(foregroundCallsOf(session("a", {} as Executor))).not.toBe(calls);
  });
});
