/** Signals and aborts: any number of them, at any time, settle a run exactly once. */
import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { executeShell, Shell, ShellError } from "../src/index.ts";
import { until } from "./waiting.ts";

describe("cancelling", () => {
  it("PT-10 with a signal that is aborted already starts nothing", async () => {
    const mark = join(scratchFolder(), "mark");
    const options = { command: `touch '${mark}'; sleep 60`, signal: AbortSignal.abort() };
    await using shell = new Shell();

    const [oneShot, run] = await Promise.all([executeShell(options), shell.run(options)]);

    expect([oneShot.cancelled, run.cancelled]).toEqual([true, true]);
    expect([oneShot.exitCode, run.exitCode]).toEqual([undefined, undefined]);
    expect(existsSync(mark)).toBe(false);
  });

  it("PT-11 twice, and once more after the end, settles once and leaves the session usable", async () => {
    await using shell = new Shell();
    let settled = 0;
    const run = shell.run({ command: "sleep 60" }).finally(() => {
      settled += 1;
    });

    await Promise.all([shell.abort(), shell.abort()]);
    const result = await run;
    await shell.abort();
    const after = await shell.run({ command: "echo ok", sink: {} });

    expect(result.cancelled).toBe(true);
    expect(settled).toBe(1);
    expect(after.exitCode).toBe(0);
    expect(after.output?.text).toBe("ok\n");
  });

  it("by a signal in mid-run stops the command and keeps the session's state", async () => {
    await using shell = new Shell();
    await shell.run({ command: "KEPT=yes; cd /usr" });
    const controller = new AbortController();

    const result = await shell.run({ command: "echo a; sleep 60", signal: controller.signal }, () =>
      controller.abort(),
    );
    const after = await shell.run({ command: "echo $KEPT $PWD", sink: {} });

    expect(result.cancelled).toBe(true);
    expect(result.timedOut).toBe(false);
    expect(after.output?.text).toBe("yes /usr\n");
  });

  it("by a signal that comes after the end has no effect, also not on the next run", async () => {
    await using shell = new Shell();
    const controller = new AbortController();
    await shell.run({ command: "true", signal: controller.signal });
    const next = shell.run({ command: "sleep 0.3; exit 7" });

    controller.abort();

    expect((await next).exitCode).toBe(7);
  });

  it("leaves no listener on the signal, however the run ends", async () => {
    await using shell = new Shell();
    const { signal } = new AbortController();

    await shell.run({ command: "true", signal });
    await shell.run({ command: "true", cwd: "/nope", signal }).catch(() => undefined);
    await shell.run({ command: "sleep 30", timeoutMs: 50, signal });

    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("CC-03 a run that waits for its turn ends at once and never runs", async () => {
    await using shell = new Shell();
    const folder = scratchFolder();
    const mark = join(folder, "mark");
    const started = join(folder, "started");
    const first = shell.run({
      command: `touch '${started}'; until [ -e '${folder}/go' ]; do sleep 0.02; done; exit 8`,
    });
    await until("the first run", () => existsSync(started));
    const controller = new AbortController();
    const queued = shell.run({ command: `touch '${mark}'`, signal: controller.signal });

    controller.abort();
    const cancelled = await queued;
    await executeShell({ command: `touch '${folder}/go'` });

    expect(cancelled.cancelled).toBe(true);
    expect((await first).exitCode).toBe(8);
    expect(existsSync(mark)).toBe(false);
  });

  it("CC-09 closing ends a run as cancelled, twice is once, and a later run is refused", async () => {
    const shell = new Shell();
    const folder = scratchFolder();
    const run = shell.run({ command: `touch '${folder}/started'; sleep 60` });
    await until("the run", () => existsSync(join(folder, "started")));

    await Promise.all([shell.close(), shell.close()]);
    await shell.close();
    const error: unknown = await shell.run({ command: "true" }).catch((reason: unknown) => reason);

    expect((await run).cancelled).toBe(true);
    expect(error).toBeInstanceOf(ShellError);
    expect((error as ShellError).code).toBe("PI_SHELL_CLOSED");
    expect((error as ShellError).message).toBe("Shell is closed");
  });

  it("an idle session aborts, counts its jobs and closes without ever having started a bash", async () => {
    const shell = new Shell();

    await shell.abort();
    const jobs = await shell.liveBackgroundJobCount();
    await shell.close();

    expect(jobs).toBe(0);
  });
});

describe("an exit", () => {
  it.each([0, 1, 2, 127, 255])("status %i arrives", async (status) => {
    expect((await executeShell({ command: `exit ${status}` })).exitCode).toBe(status);
  });

  it("by a signal has its name and 128 + n", async () => {
    const result = await executeShell({ command: "kill -9 $$" });

    expect(result.exitCode).toBe(137);
    expect(result.signal).toBe("SIGKILL");
  });

  it("by the deadline has neither status nor signal", async () => {
    const result = await executeShell({ command: "sleep 60", timeoutMs: 200 });

    expect(result.timedOut).toBe(true);
    expect(result.cancelled).toBe(false);
    expect("exitCode" in result).toBe(false);
    expect("signal" in result).toBe(false);
    expect(result.wallTimeMs).toBeGreaterThanOrEqual(190);
  });
});
