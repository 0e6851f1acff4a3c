/** What a host's listeners return, and who the host is: neither costs a listener its calls or a refusal its meaning. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { guardListener } from "../src/host-listener.ts";
import { ChunkThrottle } from "../src/output/chunk-throttle.ts";
import { withRecognized } from "../src/read-only/read-only-result.ts";
import { make } from "./support/executor.ts";
import { ended } from "./support/fake-natives.ts";
import { deferred } from "./support/waiting.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a listener", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["a text", "then"],
    ["an object", {}],
    ["a function", () => undefined],
  ])("that returns %s has not failed, and is called again", (_, value) => {
    const failed = vi.fn();
    const listener = vi.fn(() => value);
    const guarded = guardListener(listener, failed);
    expect([guarded(), guarded()]).toEqual([undefined, undefined]);
    expect([listener.mock.calls.length, failed.mock.calls.length]).toEqual([2, 0]);
  });

  it("whose promise is settled leaves no timer where nothing waits for it, and one where something does", async () => {
    vi.useFakeTimers();
    const answers = [deferred<void>(), deferred<void>()];
    const texts: string[] = [];
    const throttle = new ChunkThrottle(
      (text) => answers[texts.push(text) - 1]?.promise,
      () => undefined,
      50,
    );
    void throttle.push("a");
    answers[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([texts, vi.getTimerCount()]).toEqual([["a"], 0]);
    await vi.advanceTimersByTimeAsync(50);
    const busy = throttle.push("b");
    void throttle.push("c");
    answers[1]?.resolve();
    await busy;
    expect([texts, vi.getTimerCount()]).toEqual([["a", "b"], 1]);
    await vi.advanceTimersByTimeAsync(50);
    expect([texts, vi.getTimerCount()]).toEqual([["a", "b", "c"], 0]);
  });
});

describe.skipIf(process.getuid === undefined)("what is denied without a name (needs users)", () => {
  const text = "cat: Permission denied\n";
  const outcome = { enforced: true as const, degraded: [], stateDropped: false, refusals: [] };
  const users = [
    [0, ["privilege"]],
    [1_000, []],
  ] as const;

  it.each(users)("to a read-only run of user %i is what root alone lacks there", async (uid, kinds) => {
    vi.spyOn(process, "getuid").mockReturnValue(uid);
    expect((await withRecognized(outcome, text, "/")).refusals.map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each(users)("in a sandbox of user %i is what root alone lacks there", async (uid, kinds) => {
    const { natives, executor } = make();
    const sandbox = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] };
    natives.behaviour = async () => ended({ text }, { exitCode: 1, sandbox: sandbox as never });
    vi.spyOn(process, "getuid").mockReturnValue(uid);
    // Folders of another user's are refused: the output is in no file.
    const result = await executor.executeBash("x", { artifact: { id: "a", path: "/not/there" } });
    expect((result.sandbox?.refusals ?? []).map(({ kind }) => kind)).toEqual(kinds);
  });
});
