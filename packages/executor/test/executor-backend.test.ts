/**
 * What the executor makes of a native runtime that misbehaves, and what it asks of one that does not.
 */
import { describe, expect, it } from "vitest";
import type { RunResult } from "../src/natives-port.ts";
import { make } from "./support/executor.ts";
import { ended, never } from "./support/fake-natives.ts";
import { deferred, until } from "./support/waiting.ts";

/** A core's error: a code and a message. */
function coreError(code: string): Error {
  return Object.assign(new Error(`refused: ${code}`), { code });
}

describe("a native run that never settles", () => {
  it("CC-14: is a timeout after the grace, with what was last seen, and the next call has a fresh shell", async () => {
    const { natives, executor } = make({}, { graceMs: 20 });
    natives.behaviour = ({ options }) => {
      options.sink?.onUpdate?.("half a li", { bytes: 4_000, lines: 90 });
      return never();
    };

    const result = await executor.executeBash("x", { timeoutMs: 1_500 });

    expect(result).toMatchObject({
      cancelled: true,
      timedOut: true,
      truncated: true,
      totalBytes: 4_000,
      totalLines: 90,
    });
    expect(result.output).toBe(
      "[Command timed out after 1.5 seconds; the shell backend did not respond, so any output below may be incomplete]\nhalf a li",
    );
    expect(result).not.toHaveProperty("exitCode");
    expect(natives.shells[0]?.isClosed).toBe(true);
    natives.behaviour = async () => ended({ text: "ok\n" });
    const next = await executor.executeBash("y");
    expect([next.output, next.sessionReset, natives.shells.length]).toEqual(["ok\n", true, 2]);
  });

  it("CC-14: is cancelled the grace after an abort", async () => {
    const { natives, executor } = make({}, { graceMs: 20 });
    natives.behaviour = never;
    const controller = new AbortController();
    const running = executor.executeBash("x", { signal: controller.signal });
    await until(() => natives.runs.length === 1, "the run to start");

    controller.abort();

    expect(await running).toMatchObject({ cancelled: true, sessionReset: true });
    expect(executor.stats().quarantined).toBe(1);
  });
});

describe("outcomes", () => {
  it("a timeout and a cancel are results with a leading line and no exit code", async () => {
    const { natives, executor } = make();
    natives.behaviour = async () => ended({ text: "out\n" }, { timedOut: true, exitCode: undefined });
    const timedOut = await executor.executeBash("x", { timeoutMs: 2_000 });
    natives.behaviour = async () => ended({ text: "" }, { cancelled: true, exitCode: undefined });
    const cancelled = await executor.executeBash("x");

    expect(timedOut).toMatchObject({
      output: "[Command timed out after 2 seconds]\nout\n",
      cancelled: true,
      timedOut: true,
    });
    expect(timedOut.outputBytes).toBe(4);
    expect(cancelled).toMatchObject({ output: "[Command cancelled]", cancelled: true });
    expect(cancelled).not.toHaveProperty("timedOut");
  });

  it("an aborted signal starts nothing", async () => {
    const { natives, executor } = make();

    const result = await executor.executeBash("x", { signal: AbortSignal.abort() });

    expect(result).toMatchObject({ cancelled: true, output: "[Command cancelled]", totalBytes: 0 });
    expect(natives.shells).toEqual([]);
  });

  it("exit code, signal, survivors, directory and wall time come through", async () => {
    const { natives, executor } = make();
    const survivors = [{ pid: 7, command: "sleep 9", startedAtMs: 1 }];
    natives.behaviour = async () =>
      ended({}, { exitCode: 137, signal: "SIGKILL", survivors, workingDir: "/w", wallTimeMs: 12 });

    expect(await executor.executeBash("x")).toMatchObject({
      exitCode: 137,
      signal: "SIGKILL",
      survivors,
      workingDir: "/w",
      wallTimeMs: 12,
      cancelled: false,
    });
  });

  it("RS-01: a command that never started rejects with the core's code, and the session stays", async () => {
    const { natives, executor } = make();
    await executor.executeBash("export A=1");
    natives.behaviour = () => Promise.reject(coreError("PI_MISSING_CWD"));

    await expect(executor.executeBash("x", { cwd: "/nope" })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });

    natives.behaviour = async () => ended();
    const next = await executor.executeBash("y");
    expect(next).not.toHaveProperty("sessionReset");
    expect(natives.shells.length).toBe(1);
  });

  it("another error of the core costs the session, and the next call reports it", async () => {
    const { natives, executor } = make();
    natives.behaviour = () => Promise.reject(coreError("PI_SUPERVISOR"));
    await expect(executor.executeBash("x")).rejects.toMatchObject({ code: "PI_SUPERVISOR" });

    natives.behaviour = async () => ended();

    expect(await executor.executeBash("y")).toMatchObject({ sessionReset: true });
    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([true, false]);
  });

  it("refuses a timeout that is none, and raises one below a millisecond", async () => {
    const { natives, executor } = make();

    await expect(executor.executeBash("x", { timeoutMs: Number.NaN })).rejects.toThrow(RangeError);
    await executor.executeBash("x", { timeoutMs: 0 });
    await executor.executeBash("x");

    expect(natives.runs.map((run) => run.options.timeoutMs)).toEqual([1, 300_000]);
  });
});

describe("what a session is given", () => {
  it("the shell, the environment without withheld keys, and the command with its prefix", async () => {
    const hostEnv = { PATH: "/usr/bin:/bin", OPENAI_API_KEY: "abcdefghijklmnop", GIT_DIR: "/hook/.git" };
    const { natives, executor } = make({ shellPrefix: "nice" }, { hostEnv });

    await executor.executeBash("make", { cwd: "/tmp", env: { PAGER: "less" } });

    const [shell] = natives.shells;
    expect(shell?.options.shell).toMatch(/\/bash$/);
    expect(shell?.options.baseEnv).toMatchObject({
      PATH: "/usr/bin:/bin",
      PAGER: "cat",
      CI: "1",
      SHELL: shell?.options.shell,
    });
    expect(shell?.options.baseEnv).not.toHaveProperty("OPENAI_API_KEY");
    expect(shell?.options.baseEnv).not.toHaveProperty("GIT_DIR");
    expect(natives.runs[0]?.options).toMatchObject({ command: "nice make", cwd: "/tmp", env: { PAGER: "less" } });
  });

  it("EV-10: withheld names are reported once for each session, and never their values", async () => {
    const hostEnv = { PATH: "/bin:/usr/bin", OPENAI_API_KEY: "abcdefghijklmnop" };
    const { executor } = make({}, { hostEnv });

    const first = await executor.executeBash("x", { sessionKey: "a" });
    const second = await executor.executeBash("x", { sessionKey: "a" });
    const other = await executor.executeBash("x", { sessionKey: "b" });

    expect([first.withheldNames, second.withheldNames, other.withheldNames]).toEqual([
      ["OPENAI_API_KEY"],
      undefined,
      ["OPENAI_API_KEY"],
    ]);
    expect(JSON.stringify(first)).not.toContain("abcdefghijklmnop");
  });

  it("SC-10: a variable that steers the shell is refused before anything starts", async () => {
    const { natives, executor } = make();

    await expect(executor.executeBash("x", { env: { LD_PRELOAD: "/x.so" } })).rejects.toMatchObject({
      code: "PI_INVALID_ENV",
    });
    expect(natives.shells).toEqual([]);
  });

  it("a copy where another command has the session and that is allowed, and the result says so", async () => {
    const { natives, executor } = make();
    const first = deferred<RunResult>();
    natives.behaviour = ({ options }) => (options.command === "slow" ? first.promise : Promise.resolve(ended()));
    const slow = executor.executeBash("slow");
    await until(() => natives.runs.length === 1, "the first run");

    const copy = await executor.executeBash("ls", { overlap: "clone" });
    natives.canClone = false;
    await executor.executeBash("ls", { overlap: "clone" });
    first.resolve(ended());

    expect(copy.isIsolated).toBe(true);
    expect(natives.runs[1]?.options.concurrency).toBe("clone");
    expect(natives.runs[2]?.shell).toBeUndefined();
    expect(await slow).not.toHaveProperty("isIsolated");
  });

  it("a call behind one that went to the background runs in a copy", async () => {
    const { natives, executor } = make();
    const job = deferred<RunResult>();
    natives.behaviour = ({ options }) => (options.command === "job" ? job.promise : Promise.resolve(ended()));
    const backgrounded = new AbortController();
    const running = executor.executeBash("job", { backgrounded: backgrounded.signal });
    await until(() => natives.runs.length === 1, "the job to run");
    const behind = executor.executeBash("next");

    backgrounded.abort();

    expect((await behind).isIsolated).toBe(true);
    job.resolve(ended());
    await running;
  });
});

describe("an executor that was disposed of", () => {
  it("runs nothing more, and disposing twice is fine", async () => {
    const { executor } = make();
    await executor.executeBash("x");

    await Promise.all([executor.dispose(), executor.dispose()]);

    await expect(executor.executeBash("x")).rejects.toThrow("executor is disposed");
  });
});
