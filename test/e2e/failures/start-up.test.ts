/**
 * Theme D of the failure cases: rc files, snapshots, the host's environment, and prefixes.
 *
 * These go through the executor, which makes the snapshot; what a host's environment does to bash is asked of the runtime.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createExecutor, type Executor } from "@pi-bash/executor";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { openSession } from "../../support/session.ts";

/** An executor for a person whose home holds this `.bashrc`; disposed of when the test is over. */
function executorOf(bashrc: string): Executor {
  const home = scratchFolder();
  writeFileSync(join(home, ".bashrc"), bashrc);
  const { PATH = "/usr/bin:/bin" } = process.env;
  const executor = createExecutor({}, { hostEnv: { HOME: home, PATH, SHELL: "/bin/bash", TMPDIR: home } });
  onTestFinished(() => executor.dispose());
  return executor;
}

describe("an rc file", () => {
  it.each(["echo noise", "exit 3", "read x", "sleep 60", "exec cat", "set -e; false"])(
    "RC-01 with `%s` does not disturb the first command",
    async (bashrc) => {
      const executor = executorOf(`${bashrc}\n`);

      const result = await within("the first command", executor.executeBash("echo ok"), 30_000);

      expect(result).toMatchObject({ exitCode: 0, output: "ok\n" });
    },
  );

  it("RC-05 whose snapshot is deleted or cut short between two runs is still in force", async () => {
    const temporary = scratchFolder();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const executor = executorOf("greet() { echo hello; }\nalias hi=greet\n");
    const first = await executor.executeBash("greet; hi", { sessionKey: "one" });

    const snapshots = snapshotsIn(temporary);
    expect(snapshots).toHaveLength(1);
    for (const file of snapshots) truncateSync(file, Math.floor(statSync(file).size / 2));
    const second = await executor.executeBash("greet; hi", { sessionKey: "two" });
    for (const file of snapshots) rmSync(file);
    const third = await executor.executeBash("greet; hi", { sessionKey: "three" });

    for (const result of [first, second, third])
      expect(result).toMatchObject({ exitCode: 0, output: "hello\nhello\n" });
  });

  it("RC-08 with an alias before a function of its name, a keyword's alias and odd bodies is taken over", async () => {
    const body = "cat <<'END'\nit's \"$x\"\nEND\n";
    const executor = executorOf(`alias foo='x'\nunalias foo\nfoo() {\n${body}}\nalias foo='x'\nalias if='echo no'\n`);

    const result = await executor.executeBash("\\foo; true && echo fine");

    expect(result).toMatchObject({ exitCode: 0, output: 'it\'s "$x"\nfine\n' });
  });
});

describe("a host's environment", () => {
  it("RC-03 that steers a shell's start does not steer ours", async () => {
    const file = join(scratchFolder(), "f");
    writeFileSync(file, "echo POLLUTED; exit 9\n");

    const [report] = await hostRun("echo cmd", { BASH_ENV: file, ENV: file, SHELLOPTS: "xtrace", PS4: "+ " });

    expect(report).toMatchObject({ exitCode: 0, output: { text: "cmd\n" } });
  });

  it("RC-04 brings no functions", async () => {
    const [report] = await hostRun("ls / | head -1", {
      "BASH_FUNC_ls%%": "() { echo pwned; }",
      "BASH_FUNC_printf%%": "() { :; }",
    });

    expect(report).toMatchObject({ exitCode: 0 });
    expect(JSON.stringify(report)).not.toContain("pwned");
  });

  async function hostRun(command: string, env: Record<string, string>): Promise<Report[]> {
    const args = ["session", JSON.stringify([{ command, sink: {} }])];
    const host = startHost("run-commands", { args, env: { ...stringsOf(process.env), ...env } });
    await host.ended();
    return JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];
  }
});

describe("a host that is process 1", () => {
  const wrapper = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
  const [program = "", ...words] = wrapper;
  const canUnshare = spawnSync(program, [...words, "true"]).status === 0;

  it.runIf(canUnshare)(
    `of a pid namespace, as in a container without an init, keeps sessions and leaves nothing${canUnshare ? "" : " (unshare needed)"}`,
    async () => {
      const mark = `60.${process.pid}`;
      const commands = ["V=kept; echo $$", "kill -9 $$", `sleep ${mark} & echo $V`, "(sleep 0.01; echo late) | cat"];
      const args = ["session", JSON.stringify(commands.map((command) => ({ command, sink: {} })))];
      const host = startHost("run-commands", { args, wrapper, env: stringsOf(process.env) });
      await host.ended();
      const reports = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];

      expect(reports).toMatchObject([
        { exitCode: 0 },
        { exitCode: 137, signal: "SIGKILL" },
        { exitCode: 0, output: { text: "kept\n" }, survivors: [{ command: expect.stringContaining(mark) }] },
        { exitCode: 0, output: { text: "late\n" } },
      ]);
      expect(spawnSync("pgrep", ["-f", `sleep ${mark}`], { encoding: "utf8" }).stdout).toBe("");
    },
  );
});

describe("a prefix", () => {
  it.each(["cd /usr && pwd", "echo a\necho b", "(echo a)", "for i in 1; do echo $i; done"])(
    "RC-06 is put before the command and means what bash makes of it: %j",
    async (command) => {
      const home = scratchFolder();
      const { PATH = "/usr/bin:/bin" } = process.env;
      const executor = createExecutor(
        { shellPrefix: "env X=1" },
        { hostEnv: { HOME: home, PATH, TMPDIR: home }, usesSnapshot: false, cwd: home },
      );
      onTestFinished(() => executor.dispose());
      const oracle = spawnSync("bash", ["-c", `env X=1 ${command}`], { encoding: "utf8", cwd: home });
      const { run } = openSession({ cwd: home });

      const result = await within("the prefixed command", executor.executeBash(command));
      const direct = await run(`env X=1 ${command}`);

      expect(result.exitCode).toBe(oracle.status);
      expect(direct.exitCode).toBe(oracle.status);
      if (oracle.status === 0) expect(result.output).toBe(oracle.stdout);
    },
  );
});

function stringsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function snapshotsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /snapshot/.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
}
