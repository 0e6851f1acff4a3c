/**
 * Theme A of the failure cases: what a timeout, an abort or the host's end leaves of a process tree. Nothing.
 *
 * The texts are those of the cases; times are bounds for a busy machine, and what must be stopped sleeps for minutes.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { executeShell } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import type { Count } from "../../programs/timeout-often.ts";
import { startHost } from "../../support/host.ts";
import { until, within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one, openSession } from "../../support/session.ts";
import { newTag } from "../../support/tag.ts";

const programs = fileURLToPath(new URL("../../programs/", import.meta.url));
const daemon = join(programs, "daemon.py");

describe("a timeout", () => {
  it("PT-01 ends a group with background pipelines, not just its shell", async () => {
    const tag = newTag();

    const result = await one("sleep 300 & (sleep 300 | cat) & sleep 300; wait", { timeoutMs: 1_000, env: tag.env });

    expect(result).toMatchObject({ timedOut: true, exitCode: undefined });
    await tag.gone();
  });

  it("PT-02 ends every member of a pipeline", async () => {
    const tag = newTag();

    // The case searches `/`; a pipe that never ends takes as long on every machine.
    const result = await one("grep -r zzz_nope /proc/self/fd/0 < <(yes) | grep -v x | sort | head -30", {
      timeoutMs: 1_000,
      env: tag.env,
    });

    expect(result.timedOut).toBe(true);
    await tag.gone();
  });

  it("PT-05 ends a daemon that forked twice into a session of its own", async () => {
    const tag = newTag();

    const result = await one(`python3 ${daemon}; echo up; sleep 300`, { timeoutMs: 5_000, env: tag.env });

    expect(result).toMatchObject({ timedOut: true, text: "up\n" });
    await tag.gone();
  });

  it("PT-06 ends a writer behind a FIFO and keeps what was read", async () => {
    const tag = newTag();
    const command = "mkfifo p.$$; (while true; do echo child; sleep 0.2; done) > p.$$ & cat p.$$";

    const result = await one(command, { timeoutMs: 5_000, env: tag.env, cwd: scratchFolder() });

    expect(result.timedOut).toBe(true);
    expect(result.text.match(/^child$/gm)?.length).toBeGreaterThanOrEqual(4);
    await tag.gone();
  });

  it("PT-07 catches a process that replaces itself every 5 ms in a new session", async () => {
    const tag = newTag();

    const result = await one(`python3 ${join(programs, "respawner.py")}; sleep 300`, {
      timeoutMs: 1_000,
      env: tag.env,
    });

    expect(result.timedOut).toBe(true);
    await tag.gone();
  });

  it("PT-13 ends a shell that has stopped itself", async () => {
    const tag = newTag();

    const result = await one("sleep 300 & kill -STOP $$; echo never", { timeoutMs: 1_000, env: tag.env });

    expect(result).toMatchObject({ timedOut: true, text: "" });
    await tag.gone();
  });

  it("PT-16 keeps the output so far", async () => {
    const result = await one("for i in 1 2 3; do echo line$i; done; sleep 300", { timeoutMs: 1_000 });

    expect(result).toMatchObject({ timedOut: true, text: "line1\nline2\nline3\n" });
  });

  it("PT-18 of a shell that became another program leaves a session that works, and says what was lost", async () => {
    const session = openSession();
    await session.run("kept=yes");

    const plain = await session.run("exec sleep 300", { timeoutMs: 1_000 });
    const behind = await session.run("kept=no; exec sleep 300", { timeoutMs: 1_000 });
    const after = await session.run("echo $kept");

    expect(plain).toMatchObject({ timedOut: true, exitCode: undefined, sessionReset: false });
    expect(behind).toMatchObject({ timedOut: true, exitCode: undefined, sessionReset: true });
    expect(after).toMatchObject({ exitCode: 0, text: "yes\n", sessionReset: false });
  });

  it("PT-24 needs no program to find and end a tree", async () => {
    const tag = newTag();
    const command = "/bin/sleep 300 & (/bin/sleep 300 | /bin/cat) & /bin/sleep 300; wait";
    const run = { command, timeoutMs: 1_000, env: tag.env, sink: {} };

    const host = startHost("run-commands", { args: ["one", JSON.stringify([run])], env: { PATH: "/nonexistent" } });
    await host.ended();

    expect(reports(host.stdout())).toMatchObject([{ timedOut: true }]);
    await tag.gone();
  });
});

describe("an abort", () => {
  it("PT-10 that came before the run starts nothing", async () => {
    const folder = scratchFolder();
    const tag = newTag();

    const result = await one("touch MARK; sleep 5", { cwd: folder, env: tag.env, signal: AbortSignal.abort() });

    expect(result).toMatchObject({ cancelled: true, exitCode: undefined });
    expect(tag.survivors()).toEqual([]);
    expect(existsSync(join(folder, "MARK"))).toBe(false);
  });

  it("PT-11 twice and once more after the end settles once and does not hit the next run", async () => {
    const { shell, run } = openSession();
    let settlements = 0;

    const running = run("sleep 300").finally(() => {
      settlements += 1;
    });
    await Promise.all([shell.abort(), shell.abort()]);
    const first = await running;
    await shell.abort();
    const last = await run("echo ok");

    expect(first.cancelled).toBe(true);
    expect(settlements).toBe(1);
    expect(last).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it("PT-17 is the result's cause, though the shell's trap exits with 0", async () => {
    const controller = new AbortController();
    let seen = "";

    const running = executeShell(
      {
        command: "trap 'echo cleanup; exit 0' TERM; sleep 300 & echo ready; wait",
        signal: controller.signal,
        sink: { plainText: false },
      },
      (_error, chunk) => {
        seen += chunk;
      },
    );
    await until("the trap to be set", () => seen.includes("ready"));
    controller.abort();
    const result = await within("the abort", running);

    expect(result.cancelled).toBe(true);
    expect(result).not.toHaveProperty("exitCode");
    expect(result.output?.text).toContain("cleanup");
  });
});

describe("a host", () => {
  it("PT-08 never has its own process group signalled", async () => {
    const host = startHost("timeout-often", { args: ["30", "50"], flags: ["--expose-gc"], detached: true });

    const end = await host.ended();

    expect([end, host.stderr()]).toEqual([{ code: 0, signal: null }, ""]);
    const [, after] = JSON.parse(host.stdout()) as [Count, Count];
    expect(after).toMatchObject({ isSiblingAlive: true, signals: 0 });
  });

  it("PT-22 has what it had before after 100 timeouts", async () => {
    const host = startHost("timeout-often", { args: ["100", "50"], flags: ["--expose-gc"] });

    const end = await host.ended();

    expect([end, host.stderr()]).toEqual([{ code: 0, signal: null }, ""]);
    const [before, after] = JSON.parse(host.stdout()) as [Count, Count];
    // A bash kept warm, which comes and goes, has some descriptors and a supervisor; a leak would have a hundred.
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 10);
    // Four of Node's own may start meanwhile, those of libuv's pool; a leak would have a hundred.
    expect(after.threads).toBeLessThanOrEqual(before.threads + 6);
    expect(after.children).toBeLessThanOrEqual(before.children + 2);
    expect(after.residentBytes - before.residentBytes).toBeLessThan(40 * 2 ** 20);
  });

  it.each([
    ["is ended by SIGTERM", "wait", "SIGTERM", { code: null, signal: "SIGTERM" }],
    ["is ended by SIGHUP", "wait", "SIGHUP", { code: null, signal: "SIGHUP" }],
    ["is killed with SIGKILL", "wait", "SIGKILL", { code: null, signal: "SIGKILL" }],
    ["calls process.exit(0)", "exit", undefined, { code: 0, signal: null }],
    ["throws out of everything", "throw", undefined, { code: 1, signal: null }],
    ["comes to its end", "return", undefined, { code: 0, signal: null }],
  ] as const)("PT-20 that %s leaves nothing behind and has its own exit status", async (_how, mode, signal, end) => {
    const tag = newTag();
    const host = startHost("end-in-mid-run", { args: [mode, tag.env.FTAG] });

    await host.printed("ready");
    if (signal !== undefined) process.kill(host.pid, signal);

    expect(await host.ended()).toEqual(end);
    await tag.gone();
  });

  // A user must be given up and a set-user-id program obeyed: neither is possible in every container.
  it.skipIf(!hasForeignUsers())(
    "PT-23 that may not kill a child of another user settles and names it (needs root and set-user-id programs)",
    async () => {
      const folder = scratchFolder();
      const helper = join(folder, "become-root");
      copyFileSync("/usr/bin/setpriv", helper);
      chmodSync(helper, 0o4755);
      const tag = newTag();
      onTestFinished(() => {
        for (const pid of tag.survivors()) process.kill(pid, "SIGKILL");
      });
      const command = `echo up; ${helper} --reuid 0 --regid 0 --clear-groups sleep 300`;
      const run = { command, timeoutMs: 3_000, env: tag.env, sink: {}, cwd: "/" };

      const host = startHost("run-commands", {
        args: ["one", JSON.stringify([run])],
        wrapper: ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"],
        copiesAddon: true,
      });
      await host.ended();

      const alive = tag.survivors();
      expect(alive.length).toBeGreaterThan(0);
      const [report] = reports(host.stdout());
      expect(report).toMatchObject({
        timedOut: true,
        survivors: expect.arrayContaining(alive.map((pid) => expect.objectContaining({ pid }))),
      });
    },
  );
});

describe("a command that a signal ends", () => {
  it.each([
    ["kill -9 $$", "SIGKILL", "SIGKILL"],
    ["kill -SEGV $$", "SIGSEGV", "SIGSEGV"],
    ["sh -c 'kill -9 $$'", "SIGKILL", undefined],
  ] as const)("PT-14 has 128 + n for %s", async (command, name, signal) => {
    const result = await one(command);

    expect(result).toMatchObject({
      exitCode: 128 + constants.signals[name],
      signal,
      cancelled: false,
      timedOut: false,
    });
  });
});

function reports(stdout: string): Report[] {
  return JSON.parse(stdout.slice(stdout.indexOf("["))) as Report[];
}

function hasForeignUsers(): boolean {
  if (process.getuid?.() !== 0) return false;
  const other = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
  if (spawnSync("setpriv", [...other, "true"]).status !== 0) return false;
  const isRestricted = /NoNewPrivs:\s*1/.test(readFileSync("/proc/self/status", "latin1"));
  const mounts = readFileSync("/proc/mounts", "latin1").split("\n");
  return !isRestricted && !mounts.some((line) => /^\S+ \/(tmp)? .*\bnosuid\b/.test(line));
}
