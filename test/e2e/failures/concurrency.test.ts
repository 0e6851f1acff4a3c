/**
 * Theme K of the failure cases: runs side by side, callbacks that misbehave, and the life of sessions and hosts.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createExecutor } from "@pi-bash/executor";
import { executeShell, Shell, type ShellRunResult } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { pause, until, within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { openSession, runIn } from "../../support/session.ts";
import { newTag, processesWith } from "../../support/tag.ts";

describe("runs", () => {
  it("CC-01 of one session take turns, and waiting is not charged to the timeout", async () => {
    const { run } = openSession();

    const [first, second] = await Promise.all([
      run("for i in $(seq 50); do echo A; sleep .01; done"),
      run("for i in $(seq 50); do echo B; done", { timeoutMs: 5_000 }),
    ]);
    const [slow, quick] = await Promise.all([run("sleep 3; echo slow"), run("echo quick", { timeoutMs: 2_500 })]);

    expect(first.text).toBe("A\n".repeat(50));
    expect(second.text).toBe("B\n".repeat(50));
    expect(slow.text).toBe("slow\n");
    expect(quick).toMatchObject({ timedOut: false, text: "quick\n" });
  });

  it("CC-02 side by side get their own lines, all of them", async () => {
    const runs = Array.from({ length: 50 }, (_, id) =>
      within(`run ${id}`, executeShell({ command: `for i in $(seq 1000); do echo ID${id}; done`, sink: {} }), 30_000),
    );

    const texts = (await Promise.all(runs)).map(({ output }) => output?.text);

    expect(texts).toEqual(Array.from({ length: 50 }, (_, id) => `ID${id}\n`.repeat(1000)));
  });

  it("CC-03 that wait for their turn are cancelled at once and never run", async () => {
    const folder = scratchFolder();
    const { run } = openSession({ cwd: folder });
    const controller = new AbortController();
    const order: string[] = [];

    const first = run("sleep 2; echo first").finally(() => order.push("first"));
    const second = run("touch P", { signal: controller.signal }).finally(() => order.push("second"));
    controller.abort();

    expect(await second).toMatchObject({ cancelled: true });
    expect(await first).toMatchObject({ exitCode: 0, text: "first\n" });
    expect(order).toEqual(["second", "first"]);
    expect(existsSync(join(folder, "P"))).toBe(false);
  });
});

describe("a callback", () => {
  it("CC-04 that throws, rejects, aborts or runs in its own session lets the run settle", async () => {
    const shell = new Shell();
    onTestFinished(() => shell.close());
    const warnings: string[] = [];
    const uncaught: unknown[] = [];
    const onWarning = (warning: Error & { code?: string }) => warnings.push(warning.code ?? warning.message);
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on("warning", onWarning).on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
    onTestFinished(() => {
      process.off("warning", onWarning).off("uncaughtException", onUncaught).off("unhandledRejection", onUncaught);
    });
    const run = (command: string, onChunk: () => unknown): Promise<ShellRunResult> =>
      within(command, shell.run({ command, sink: {} }, onChunk));

    const thrown = await run("echo a; echo b", () => {
      throw new Error("thrown by a callback");
    });
    const rejected = await run("echo a", () => Promise.reject(new Error("rejected by a callback")));
    const aborted = await run("echo a; sleep 300", () => void shell.abort());
    let inner: string | undefined;
    const nested = await run("echo a", async () => {
      inner = (await shell.run({ command: "echo inner", sink: {} })).output?.text;
    });

    expect(thrown).toMatchObject({ exitCode: 0, output: { text: "a\nb\n" } });
    expect(rejected).toMatchObject({ exitCode: 0, output: { text: "a\n" } });
    expect(aborted).toMatchObject({ cancelled: true });
    expect(nested).toMatchObject({ exitCode: 0, output: { text: "a\n" } });
    await until("the inner run", () => inner === "inner\n");
    await until("the warnings", () => warnings.filter((code) => code === "PI_CALLBACK_FAILED").length === 2);
    expect(uncaught).toEqual([]);
  });
});

describe("a session", () => {
  it("CC-08 without a reference ends its run as it should, and is gone afterwards", async () => {
    const tag = newTag();
    const host = startHost("lose-session", { args: [tag.env.FTAG], flags: ["--expose-gc"] });

    await host.printed("lost");

    expect(host.stdout()).toBe("x\nlost\n");
    await tag.gone();
  });

  it("CC-09 that is closed ends its run as cancelled, once, and takes no more", async () => {
    const tag = newTag();
    const { shell, run } = openSession();
    const running = run("sleep 300", { env: tag.env });
    await until("the command", () => tag.survivors().length > 0);

    await within("the close", Promise.all([shell.close(), shell.close()]));

    expect(await running).toMatchObject({ cancelled: true });
    await within("the second close", shell.close());
    await expect(run("echo ok")).rejects.toMatchObject({ code: "PI_SHELL_CLOSED" });
    await tag.gone();
  });

  it("CC-13 that was used once and is idle is closed when there are many", async () => {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const tag = newTag();
    const executor = createExecutor({}, { hostEnv: { PATH, ...tag.env }, usesSnapshot: false, maxIdleSessions: 16 });
    onTestFinished(() => executor.dispose());
    const before = process.memoryUsage.rss();
    const descriptors = readdirSync("/proc/self/fd").length;

    for (let key = 0; key < 500; key += 10) {
      const keys = Array.from({ length: 10 }, (_, index) => `session ${key + index}`);
      const results = await within(
        `sessions ${key}`,
        Promise.all(keys.map((sessionKey) => executor.executeBash("sleep 0; echo ok", { sessionKey }))),
        60_000,
      );
      for (const { output } of results) expect(output).toBe("ok\n");
    }

    // Each of those that are kept has a bash, a standby and some descriptors.
    await until("idle sessions to be few", () => executor.stats().idle <= 16);
    await until("closed sessions to be gone", () => processesWith(`FTAG=${tag.env.FTAG}`).length <= 16 * 4);
    await until("their descriptors", () => readdirSync("/proc/self/fd").length <= descriptors + 16 * 12);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 2 ** 20);
  });

  it("keeps its state beside 63 others that are idle, and says of a 65th what it lost", async () => {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const executor = createExecutor({}, { hostEnv: { PATH }, usesSnapshot: false });
    onTestFinished(() => executor.dispose());
    const run = (command: string, key: number) => executor.executeBash(command, { sessionKey: `agent ${key}` });
    const all = (command: (key: number) => string, count: number) =>
      within("the sessions", Promise.all(Array.from({ length: count }, (_, key) => run(command(key), key))), 60_000);

    for (let round = 0; round < 3; round += 1) {
      const results = await all((key) => (round === 0 ? `me=${key}; cd /tmp` : 'echo "$me in $PWD"'), 64);
      const expected = results.map((_, key) => (round === 0 ? "" : `${key} in /tmp\n`));
      expect(results.map(({ output }) => output)).toEqual(expected);
      expect(results.filter(({ sessionReset }) => sessionReset)).toEqual([]);
    }
    await run("true", 64);
    await until("one to be closed", () => executor.stats().sessions === 64);
    const results = await all(() => "echo $me", 64);
    const lost = results.flatMap(({ output }, key) => (output === `${key}\n` ? [] : [key]));
    expect(lost.length).toBeGreaterThan(0);
    expect(results.flatMap(({ sessionReset }, key) => (sessionReset === true ? [key] : []))).toEqual(lost);
  });

  it("CC-14 whose run never settles is given up after the grace, and the next call has a fresh shell", async () => {
    let made = 0;
    const closed: number[] = [];
    class Stuck {
      readonly #number = ++made;
      run(options: { command: string }): Promise<ShellRunResult> {
        if (this.#number === 1) return new Promise(() => undefined);
        return runReal(options.command);
      }
      async abort(): Promise<void> {}
      async close(): Promise<void> {
        closed.push(this.#number);
      }
      async liveBackgroundJobCount(): Promise<number> {
        return 0;
      }
    }
    const real = await import("@pi-bash/natives");
    const executor = createExecutor(
      {},
      { natives: { ...real, Shell: Stuck as unknown as typeof Shell }, usesSnapshot: false, graceMs: 200 },
    );
    onTestFinished(() => executor.dispose());
    const controller = new AbortController();

    const running = executor.executeBash("sleep 300", { signal: controller.signal });
    await until("the shell", () => made === 1);
    controller.abort();
    const first = await within("the stuck run", running);
    const next = await within("the next run", executor.executeBash("echo ok"));

    expect(first).toMatchObject({ cancelled: true });
    expect(closed).toContain(1);
    expect(next).toMatchObject({ exitCode: 0, output: "ok\n" });
    expect(made).toBe(2);

    function runReal(command: string): Promise<ShellRunResult> {
      return executeShell({ command, sink: {} });
    }
  });
});

describe("a clock", () => {
  it("CC-10 that is set does not matter", async () => {
    const host = startHost("false-clock");

    await host.ended();

    const result = JSON.parse(host.stdout()) as ShellRunResult;
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, output: { text: "ok\n" } });
    expect(result.wallTimeMs).toBeGreaterThan(900);
    expect(result.wallTimeMs).toBeLessThan(20_000);
  });

  it("CC-11 that runs while the host is stopped does not turn an end in time into a timeout", async () => {
    const run = { command: "sleep 1; seq 1 100000", timeoutMs: 3_000, sink: {} };
    const host = startHost("run-commands", { args: ["one", JSON.stringify([run])] });

    await host.printed("started");
    process.kill(host.pid, "SIGSTOP");
    // The case asks for four seconds of standstill, past the deadline.
    await pause(4_000);
    process.kill(host.pid, "SIGCONT");
    await host.ended();

    const [report] = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];
    expect(report).toMatchObject({ exitCode: 0, timedOut: false, output: { totalBytes: 588_895 } });
  });
});

describe("a session beside others", () => {
  it("CC-02 in fifty sessions keeps fifty states", async () => {
    const shells = Array.from({ length: 50 }, () => new Shell());
    onTestFinished(async () => {
      await Promise.all(shells.map((shell) => shell.close()));
    });

    await Promise.all(shells.map((shell, id) => runIn(shell, `X=${id}`)));
    const texts = (await Promise.all(shells.map((shell) => runIn(shell, "echo $X")))).map(({ text }) => text);

    expect(texts).toEqual(shells.map((_, id) => `${id}\n`));
  });
});
