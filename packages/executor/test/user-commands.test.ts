/** A person's commands and looks at a command, on an executor of the test's own: turns, folders, aborts, newest looks. */
import { describe, expect, it, vi } from "vitest";
import { type CommandResult, neverStarted } from "../src/command-result.ts";
import type { ExecuteBashOptions } from "../src/command-run.ts";
import { executeBash } from "../src/execute-bash.ts";
import type { Executor } from "../src/executor.ts";
import { type BashProgress, runWithProgress } from "../src/progress.ts";
import { SessionFolders } from "../src/session-folders.ts";
import { UserShell } from "../src/user-shell.ts";
import { type Deferred, deferred } from "./support/waiting.ts";

const RESULT: CommandResult = { ...neverStarted(), output: "out\n", cancelled: false, exitCode: 0 };

/** An executor whose commands the test ends, in their order. */
function executorOf() {
  const calls: { command: string; options: ExecuteBashOptions; end: Deferred<CommandResult> }[] = [];
  const executor = {
    folders: new SessionFolders(),
    executeBash: (command: string, options: ExecuteBashOptions = {}) => {
      const end = deferred<CommandResult>();
      const cancel = (): void => end.resolve({ ...RESULT, cancelled: true });
      if (options.signal?.aborted === true) cancel();
      options.signal?.addEventListener("abort", cancel);
      calls.push({ command, options, end });
      return end.promise;
    },
  } as unknown as Executor;
  const end = (at: number, more: Partial<CommandResult> = {}) => calls[at]?.end.resolve({ ...RESULT, ...more });
  return { executor, calls, end };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("a person's shell", () => {
  it("runs one command after the other, each where the one before it left off", async () => {
    const { executor, calls, end } = executorOf();
    const shell = new UserShell({ executor, sessionId: "s", cwd: "/start" });
    const runs = [shell.executeBash("one", { timeoutMs: 7 }), shell.executeBash("two")];
    await soon();
    expect([calls.length, shell.isRunning, shell.cwd]).toEqual([1, true, "/start"]);
    expect(calls[0]?.options).toMatchObject({ sessionKey: "s", cwd: "/start", timeoutMs: 7 });
    end(0, { workingDir: "/new" });
    await runs[0];
    await soon();
    expect(calls[1]?.options.cwd).toBe("/new");
    end(1);
    await runs[1];

    expect([shell.isRunning, shell.cwd, executor.folders.get("s")]).toEqual([false, "/new", "/new"]);
  });

  it("names no folder where none is known, and takes none from a copy", async () => {
    const { executor, calls, end } = executorOf();
    const shell = new UserShell({ executor, sessionId: "s" });
    const run = shell.executeBash("one");
    await soon();
    expect(calls[0]?.options).not.toHaveProperty("cwd");
    end(0, { workingDir: "/copy", isIsolated: true });
    await run;

    expect(shell.cwd).toBeUndefined();
  });

  it("begins at the start again where a command could not be started", async () => {
    const { executor, calls } = executorOf();
    executor.folders.set("s", "/gone");
    const shell = new UserShell({ executor, sessionId: "s", cwd: "/start" });
    const run = shell.executeBash("one");
    const failed = expect(run).rejects.toThrow("no folder");
    await soon();
    expect(calls[0]?.options.cwd).toBe("/gone");
    calls[0]?.end.reject(new Error("no folder"));
    await failed;

    expect([shell.cwd, shell.isRunning]).toEqual(["/start", false]);
  });

  it("cancels all that is under way, those that wait too, and one alone by its own signal", async () => {
    const { executor, calls } = executorOf();
    const shell = new UserShell({ executor, sessionId: "s" });
    const one = new AbortController();
    const runs = [
      shell.executeBash("one", { signal: one.signal }),
      shell.executeBash("two"),
      shell.executeBash("three"),
    ];
    await soon();
    one.abort();
    expect((await runs[0])?.cancelled).toBe(true);
    await soon();
    expect(calls.map(({ command }) => command)).toEqual(["one", "two"]);
    shell.abort();
    expect((await Promise.all(runs)).map(({ cancelled }) => cancelled)).toEqual([true, true, true]);

    expect(shell.isRunning).toBe(false);
  });

  it("hands a signal that was aborted before to its command", async () => {
    const { executor, calls, end } = executorOf();
    const shell = new UserShell({ executor, sessionId: "s" });
    const run = shell.executeBash("one", { signal: AbortSignal.abort() });
    await soon();
    expect(calls[0]?.options.signal?.aborted).toBe(true);
    end(0);
    await run;
  });
});

it("a command of no executor's goes to the one that is named", async () => {
  const { executor, calls, end } = executorOf();
  const run = executeBash("one", { executor, timeoutMs: 7 });
  end(0);
  expect(await run).toMatchObject({ output: "out\n" });
  expect(calls[0]?.options).toEqual({ timeoutMs: 7 });
});

describe("looks at a command", () => {
  it("are its newest lines, with what there is of it in all, and the result at the end", async () => {
    const { executor, calls, end } = executorOf();
    const onUpdate = vi.fn();
    const looks = runWithProgress(executor, "make", { window: { maxBytes: 20 }, onUpdate, timeoutMs: 7 });
    const first = looks.next();
    await soon();
    expect(calls[0]).toMatchObject({ command: "make", options: { timeoutMs: 7, window: { maxBytes: 20 } } });
    calls[0]?.options.onUpdate?.("1\n2\n3\n4\n5\n6\n", { bytes: 12, lines: 6 });
    const { value } = (await first) as { value: BashProgress };
    expect(value).toMatchObject({
      type: "progress",
      output: "2\n3\n4\n5\n6\n",
      fullOutput: "1\n2\n3\n4\n5\n6\n",
      totalLines: 6,
      totalBytes: 12,
      isIncomplete: false,
    });
    expect(value.elapsedTimeSeconds).toBeGreaterThanOrEqual(0);
    expect(value.elapsedTimeSeconds).toBeLessThan(60);
    expect(onUpdate.mock.calls).toEqual([["1\n2\n3\n4\n5\n6\n", { bytes: 12, lines: 6 }]]);
    const last = looks.next();
    end(0, { exitCode: 3 });

    expect(await last).toEqual({
      done: true,
      value: { code: 3, stdout: "out\n", interrupted: false, result: { ...RESULT, exitCode: 3 } },
    });
  });

  it.each([
    ["1\n2\n3\n4\n5\n6", 11, 6, 20, "2\n3\n4\n5\n6", false],
    ["1\n2", 3, 2, 3, "1\n2", false],
    ["1\n2", 4, 2, 3, "1\n2", true],
    ["2\n", 2, 2, 20, "2\n", true],
    ["", 0, 0, 20, "", false],
  ])("of %j say whether that is all", async (tail, bytes, lines, maxBytes, output, isIncomplete) => {
    const { executor, calls, end } = executorOf();
    const looks = runWithProgress(executor, "make", { window: { maxBytes } });
    const first = looks.next();
    await soon();
    calls[0]?.options.onUpdate?.(tail, { bytes, lines });
    expect((await first).value).toMatchObject({ output, isIncomplete });
    end(0);
    await looks.next();
  });

  it("are the newest ones for a slow reader", async () => {
    const { executor, calls, end } = executorOf();
    const looks = runWithProgress(executor, "make");
    const first = looks.next();
    await soon();
    calls[0]?.options.onUpdate?.("a", { bytes: 1, lines: 1 });
    await first;
    calls[0]?.options.onUpdate?.("ab", { bytes: 2, lines: 1 });
    calls[0]?.options.onUpdate?.("abc", { bytes: 3, lines: 1 });
    expect((await looks.next()).value).toMatchObject({ fullOutput: "abc" });
    end(0);
    expect((await looks.next()).done).toBe(true);
  });

  it("end the command when their reader leaves or its signal is aborted", async () => {
    const { executor, calls } = executorOf();
    const looks = runWithProgress(executor, "make");
    const first = looks.next();
    await soon();
    calls[0]?.options.onUpdate?.("a", { bytes: 1, lines: 1 });
    await first;
    await looks.return(undefined as never);
    expect(calls[0]?.options.signal?.aborted).toBe(true);

    const abort = new AbortController();
    const others = runWithProgress(executor, "make", { signal: abort.signal });
    const end = others.next();
    await soon();
    abort.abort();
    expect((await end).value).toMatchObject({ interrupted: true });
  });

  it("reject where the command never ran", async () => {
    const { executor, calls } = executorOf();
    const looks = runWithProgress(executor, "make").next();
    const failed = expect(looks).rejects.toThrow("no folder");
    await soon();
    calls[0]?.end.reject(new Error("no folder"));
    await failed;
  });
});
