/** Commands where there is no addon: the same results and bounds, by `child_process`. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { capabilities, executeShell, Shell } from "../src/fallback/shell.ts";

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still alive`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function codeOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => "it ran",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );
}

describe("without the addon", () => {
  it("a command has its output in true order, its status and its directory", async () => {
    const folder = scratchFolder();

    const result = await executeShell({
      command: "echo one; echo two >&2; echo three; pwd; exit 7",
      cwd: folder,
      sink: {},
    });

    expect(result).toMatchObject({ exitCode: 7, cancelled: false, timedOut: false, survivors: [] });
    expect(result.output?.text).toBe(`one\ntwo\nthree\n${folder}\n`);
  });

  it("an unmatched quote is bash's own error, and a signal has its name", async () => {
    expect((await executeShell({ command: "echo 'x", sink: {} })).exitCode).toBe(2);
    expect(await executeShell({ command: "kill -9 $$" })).toMatchObject({ exitCode: 137, signal: "SIGKILL" });
  });

  it("a deadline ends the whole group, also what ignores SIGTERM, with the output up to then", async () => {
    const result = await executeShell({
      command: "echo before; trap '' TERM; (trap '' TERM; sleep 300) & echo $!; wait",
      timeoutMs: 300,
      sink: {},
    });

    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    expect(result.exitCode).toBeUndefined();
    const [before, pid] = result.output?.text.split("\n") ?? [];
    expect(before).toBe("before");
    await gone(Number(pid));
  });

  it("an abort ends a run, and one that was aborted before starts nothing", async () => {
    const marker = join(scratchFolder(), "started");
    const stop = new AbortController();
    const run = executeShell({ command: "echo up; sleep 300", signal: stop.signal }, () => stop.abort());

    expect(await run).toMatchObject({ cancelled: true });
    expect(await executeShell({ command: `touch ${marker}`, signal: AbortSignal.abort() })).toMatchObject({
      cancelled: true,
    });
    expect(existsSync(marker)).toBe(false);
  });

  it("a background child is listed, does not hold the result up, and is gone when the shell is closed", async () => {
    const shell = new Shell();

    const result = await shell.run({ command: "sleep 300 & echo $!", sink: {} });

    const pid = Number(result.output?.text);
    expect(result.survivors.map((survivor) => survivor.pid)).toEqual([pid]);
    expect(await shell.liveBackgroundJobCount()).toBe(1);
    expect(await shell.handOver()).toBe(false);
    expect(isAlive(pid)).toBe(true);
    await shell.close();
    await gone(pid);
    expect(await codeOf(shell.run({ command: "true" }))).toBe("PI_SHELL_CLOSED");
  });

  it("large output keeps its end in memory and the whole in a private file", async () => {
    const spillPath = join(scratchFolder(), "spill");

    const { output } = await executeShell({ command: "seq 1 100000", sink: { maxBytes: 1000, spillPath } });

    expect(output).toMatchObject({ truncated: true, spilled: true, totalBytes: 588_895, totalLines: 100_000 });
    expect(output?.text.endsWith("99999\n100000\n")).toBe(true);
    expect(output?.outputBytes).toBeLessThanOrEqual(1000);
    expect(output?.shownRange.endLine).toBe(100_000);
    expect(statSync(spillPath).size).toBe(588_895);
    expect(statSync(spillPath).mode & 0o777).toBe(0o600);
  });

  it("a file that cannot be written is named, and the result is unchanged", async () => {
    const spillPath = join(scratchFolder(), "missing", "spill");

    const { exitCode, output } = await executeShell({ command: "seq 1 100000", sink: { maxBytes: 1000, spillPath } });

    expect(exitCode).toBe(0);
    expect(output?.spilled).toBe(false);
    expect(output?.spillError).toContain("ENOENT");
  });

  it("characters that are split between reads arrive whole, and a slow callback loses nothing", async () => {
    let text = "";
    await executeShell({ command: "for i in {1..2000}; do printf 'zażółć→'; done" }, async (_error, chunk) => {
      text += chunk;
      await new Promise((resolve) => setTimeout(resolve, 20));
    });

    expect(text).toBe("zażółć→".repeat(2000));
  });

  it("a callback that throws does not harm the run", async () => {
    const result = await executeShell(
      {
        command: "echo a; echo b",
        sink: {
          onUpdate: () => {
            throw new Error("mine");
          },
        },
      },
      () => {
        throw new Error("mine, too");
      },
    );

    expect(result.output?.text).toBe("a\nb\n");
  });

  it("a command of 300 KB runs", async () => {
    const { output } = await executeShell({ command: `: ${"x".repeat(300_000)}; echo done`, sink: {} });

    expect(output?.text).toBe("done\n");
  });

  it("bad input is refused by the same codes, before anything is started", async () => {
    expect(await codeOf(executeShell({ command: "a\0b" }))).toBe("PI_NUL_IN_COMMAND");
    expect(await codeOf(executeShell({ command: "true", cwd: "/no/such/folder" }))).toBe("PI_MISSING_CWD");
    expect(await codeOf(executeShell({ command: "true", cwd: "/etc/passwd" }))).toBe("PI_CWD_NOT_A_DIRECTORY");
    expect(await codeOf(executeShell({ command: "true", env: { "a-b": "1" } }))).toBe("PI_INVALID_ENV");
    expect(await codeOf(executeShell({ command: "true", timeoutMs: Number.NaN }))).toBe("PI_INVALID_OPTION");
    expect(await codeOf(executeShell({ command: "true", shell: "/etc/passwd" }))).toBe("PI_UNUSABLE_SHELL");
    expect(await codeOf(executeShell({ command: "true", limits: { openFiles: 20 } }))).toBe("PI_INVALID_OPTION");
    expect(await codeOf(executeShell({ command: "true", readOnly: true }))).toBe("PI_READ_ONLY_UNAVAILABLE");
  });

  it("variables that no program can be given are refused by the same words as the core's, with their size", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`V${at}`, "x".repeat(100_000)]));

    await expect(executeShell({ command: "true", env: { BIG: "x".repeat(200_000) } })).rejects.toMatchObject({
      code: "PI_INVALID_ENV",
      message: expect.stringContaining("`BIG` has 200004 bytes"),
    });
    await expect(executeShell({ command: "true", baseEnv: many })).rejects.toMatchObject({
      code: "PI_INVALID_ENV",
      message: expect.stringContaining("option `baseEnv` makes an environment of 30 variables and 3000140 bytes"),
    });
  });

  it("commands of a shell come one after another, and all of them end when it is closed", async () => {
    const shell = new Shell();
    const order: number[] = [];
    const first = shell.run({ command: "sleep 0.2" }).then(() => order.push(1));
    const second = shell.run({ command: "true" }).then(() => order.push(2));
    await Promise.all([first, second]);
    const last = shell.run({ command: "sleep 300" });
    await shell.close();

    expect(order).toEqual([1, 2]);
    expect(await last).toMatchObject({ cancelled: true });
  });

  it("says what is missing", () => {
    expect(capabilities()).toMatchObject({ session: "per-command", supervisor: false, pty: false });
  });
});
