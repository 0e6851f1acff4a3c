/**
 * A host as a process: there is one at a time, it starts over what a dead one left, and nothing outlives it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ended, type Keeping, keeping, LIMIT_MS, PROGRAM, pidIn } from "../../support/kept.ts";
import { until, within } from "../../support/patience.ts";
import { isAlive, untilGone } from "../../support/process.ts";
import { answerOf, request } from "./bare-client.ts";

const isRoot = process.getuid?.() === 0;

/** Has a session sleep in the background and in a job; the ids of both processes. */
async function busySession(kept: Keeping, name: string): Promise<number[]> {
  const files = ["shell", "job"].map((what) => join(kept.folder, `${name}.${what}`));
  const script = (file = "") => `setsid sleep 300 & echo $! >${file}`;
  const calls = [
    { tool: "bash", params: { command: script(files[0]) } },
    {
      tool: "task",
      params: {
        kind: "bash",
        script: `${script(files[1])}; wait`,
        timeout_secs: 600,
        display_name: "x",
        run_in_background: true,
      },
    },
  ];
  const lines = calls.map((call, id) => `${JSON.stringify({ id, type: "tool", ...call })}\n`).join("");
  await kept.pi(["rpc", "--host", "--session", name, "--mode", "yolo"], lines);
  return Promise.all(files.map(pidIn));
}

/** Kills what a detached host of the test left, where the test failed. */
function endDetached(kept: Keeping): void {
  onTestFinished(async () => void (await kept.pi(["host", "--stop"])));
}

describe("a host", { timeout: 3 * LIMIT_MS }, () => {
  it("in the background answers when its start returns, and a second start finds it", async () => {
    const kept = keeping();
    endDetached(kept);

    const first = await kept.pi(["host", "--detach"]);
    const second = await kept.pi(["host", "--detach"]);
    const status = await kept.pi(["host", "--status"]);
    const third = await kept.pi(["host"]);

    expect(first).toMatchObject({ status: 0, stdout: `A host runs at ${kept.socket}.\n` });
    expect(second).toMatchObject({ status: 0, stdout: `A host ran already at ${kept.socket}.\n` });
    expect(status.stdout).toMatch(/^process \d+, pi-bash .*: 0 sessions, 0 clients\n$/);
    expect(third).toMatchObject({ status: 125 });
    expect(third.stderr).toContain("a host runs for this user already");
    expect(statSync(kept.socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(kept.socket, "..")).mode & 0o777).toBe(0o700);
  });

  it("is one, however many start at once", async () => {
    const kept = keeping();
    const hosts = Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, [PROGRAM, "host"], { cwd: kept.folder, env: kept.env, stdio: "ignore" });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    });
    const running = (): ChildProcess[] => hosts.filter(({ exitCode }) => exitCode === null);

    await until("all but one to have given up", () => running().length === 1, LIMIT_MS);

    expect(hosts.filter(({ exitCode }) => exitCode === 125)).toHaveLength(7);
    expect((await kept.pi(["host", "--status"])).stdout).toContain(`process ${running()[0]?.pid},`);
  });

  it("ends everything that it keeps when it is asked to, and by its signal", async () => {
    const kept = keeping();
    for (const end of ["stop", "signal"]) {
      const host = await kept.host();
      const pids = await busySession(kept, `of-${end}`);
      const agent = await kept.agent(["--session", `agent-${end}`]);
      if (end === "stop")
        expect((await kept.pi(["host", "--stop"])).stdout).toBe("ended the host and its 2 sessions\n");
      else host.kill("SIGTERM");
      await within("the host to end", ended(host), LIMIT_MS);

      for (const pid of [...pids, agent.pid]) await untilGone(pid);
      expect(host.exitCode).toBe(end === "stop" ? 0 : 143);
      expect(readdirSync(join(kept.runtime, "pi-bash")).filter((name) => !name.startsWith("host.lock."))).toEqual([]);
    }
  });

  it("that was killed leaves no process, and the next one starts over its socket", async () => {
    const kept = keeping();
    const host = await kept.host();
    const pids = await busySession(kept, "web");
    const agent = await kept.agent(["--session", "other"]);

    host.kill("SIGKILL");

    for (const pid of [...pids, agent.pid]) await untilGone(pid);
    expect(existsSync(kept.socket)).toBe(true);
    expect((await kept.pi(["sessions"])).stderr).toContain("no host runs for this user");
    await kept.host();
    expect(await kept.pi(["sessions"])).toMatchObject({ status: 0, stdout: "no sessions are kept\n" });
    expect((await kept.pi(["rpc", "--host", "--session", "web"])).status).toBe(0);
  });

  it("ends a session that is idle for the time that was asked for, and no other", async () => {
    const kept = keeping();
    await kept.host("--idle-timeout", "0.5");
    await busySession(kept, "busy");
    await kept.pi(["rpc", "--host", "--session", "idle"]);
    const agent = await kept.agent(["--session", "attended"]);

    await until(
      "the idle one to be gone",
      async () => !(await kept.pi(["sessions"])).stdout.includes("\nidle "),
      LIMIT_MS,
    );

    const { stdout } = await kept.pi(["sessions"]);
    expect(stdout).toContain("\nbusy ");
    expect(stdout).toContain("\nattended ");
    expect(await agent.call("bash", { command: "echo here" })).toContain("here");
  });

  it("with 100 idle sessions has a bounded memory and few descriptors, and gives both back", async () => {
    const kept = keeping();
    const host = await kept.host();
    const facts = () => {
      const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
      const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
      return { rssMiB, descriptors: readdirSync(`/proc/${host.pid}/fd`).length };
    };
    const line = `${JSON.stringify({ id: 1, type: "tool", tool: "bash", params: { command: "X=1" } })}\n`;
    await answerOf(await kept.dial(), request(kept, "warm"), line);
    const before = facts();
    for (let index = 0; index < 100; index += 1) await answerOf(await kept.dial(), request(kept, `s${index}`), line);
    const full = facts();
    for (let index = 0; index < 100; index += 10) {
      const ids = Array.from({ length: 10 }, (_, at) => `s${index + at}`);
      expect((await kept.pi(["end", ...ids])).status).toBe(0);
    }

    // Seen: 0.3 MiB and 5 descriptors a session.
    expect((full.rssMiB - before.rssMiB) / 100).toBeLessThan(2);
    expect((full.descriptors - before.descriptors) / 100).toBeLessThanOrEqual(8);
    await until("the descriptors to be closed", () => facts().descriptors < before.descriptors + 20, LIMIT_MS);
  });
});

describe("the folder of a host", { timeout: 2 * LIMIT_MS }, () => {
  it("is closed to others where it is ours, and refused by a client while it is open", async () => {
    const kept = keeping();
    const folder = join(kept.runtime, "pi-bash");
    mkdirSync(folder);
    chmodSync(folder, 0o777);

    const asked = await kept.pi(["mcp", "--host"]);
    await kept.host();

    expect(asked).toMatchObject({ status: 125 });
    expect(asked.stderr).toContain("is open to other users");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("is refused where it is a link, or where others may write above it", async () => {
    const kept = keeping();
    mkdirSync(join(kept.folder, "elsewhere"), { mode: 0o700 });
    symlinkSync(join(kept.folder, "elsewhere"), join(kept.runtime, "pi-bash"));
    const link = await Promise.all([kept.pi(["host"]), kept.pi(["sessions"])]);
    const open = keeping();
    chmodSync(open.runtime, 0o777);
    const above = await Promise.all([open.pi(["host"]), open.pi(["sessions"])]);

    expect(link.map(({ status }) => status)).toEqual([125, 125]);
    for (const { stderr } of link) expect(stderr).toMatch(/is a symbolic link|is not a folder/);
    expect(readdirSync(join(kept.folder, "elsewhere"))).toEqual([]);
    expect(above.map(({ status }) => status)).toEqual([125, 125]);
    for (const { stderr } of above) expect(stderr).toContain("can be written to by other users");
  });

  // Only root can make a folder of another user.
  it.skipIf(!isRoot)("is refused where it belongs to another user", async () => {
    const { chownSync } = await import("node:fs");
    const kept = keeping();
    const folder = join(kept.runtime, "pi-bash");
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 65_534, 65_534);

    const refused = await Promise.all([kept.pi(["host"]), kept.pi(["mcp", "--host"])]);

    expect(refused.map(({ status }) => status)).toEqual([125, 125]);
    for (const { stderr } of refused) expect(stderr).toContain("belongs to user 65534");
  });

  it("may have a file or a dead socket in the socket's place, or the lock of a process that is gone", async () => {
    const kept = keeping();
    const folder = join(kept.runtime, "pi-bash");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(kept.socket, "not a socket");
    writeFileSync(join(folder, "host.lock.7"), JSON.stringify({ pid: process.pid, startTime: "of another process" }));

    expect((await kept.pi(["sessions"])).stderr).toContain("no host runs for this user");
    await kept.host();

    expect((await kept.pi(["host", "--status"])).status).toBe(0);
    expect(readdirSync(folder)).toContain("host.lock.8");
    expect(readdirSync(folder)).not.toContain("host.lock.7");
  });

  it("has its socket left alone where something answers there", async () => {
    const kept = keeping();
    const folder = join(kept.runtime, "pi-bash");
    mkdirSync(folder, { mode: 0o700 });
    // As a host of another container does, whose process has no number here.
    const server = createServer((socket) => socket.end('{"ok":true}\n')).listen(kept.socket);
    onTestFinished(() => void server.close());
    await until("it to listen", () => server.listening);

    const refused = await kept.pi(["host"]);

    expect(refused).toMatchObject({ status: 125 });
    expect(refused.stderr).toContain("a host runs for this user already");
    expect(existsSync(kept.socket)).toBe(true);
  });

  it("has to have a path that a socket can have", async () => {
    const kept = keeping({ XDG_RUNTIME_DIR: `/${"x".repeat(120)}` });

    const refused = await kept.pi(["host"]);

    expect(refused).toMatchObject({ status: 125 });
    expect(refused.stderr).toContain("too long for a socket");
  });

  it("is below the temporary folder where the user has no runtime folder", async () => {
    const kept = keeping({ XDG_RUNTIME_DIR: "" });
    const host = await kept.host();

    expect(existsSync(join(kept.folder, `pi-bash-${process.getuid?.()}`, "host", "host.sock"))).toBe(true);
    expect(isAlive(host.pid ?? 0)).toBe(true);
  });
});
