/**
 * What programs find in their environment, and the user's rc in a session.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { real } from "./support/real.ts";

/** A repository with a few commits, for the commands that would open an editor. */
function repository(folder: string): string {
  const path = join(folder, "repo");
  mkdirSync(path);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", path, "-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      stdio: "ignore",
      env: { PATH: process.env["PATH"], HOME: folder },
    });
  git("init", "-q");
  for (const subject of ["one", "two", "three"]) git("commit", "-q", "--allow-empty", "-m", subject);
  return path;
}

describe("programs of a session", () => {
  it("EV-01: never open an editor or a pager", async () => {
    const { executor, folder } = real();
    const cwd = repository(folder);
    const identity = {
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@b",
    };

    const result = await executor.executeBash(
      "git rebase -i --keep-empty HEAD~2 && git commit --amend --allow-empty && git log -2 --format=%s; echo rc=$?",
      {
        cwd,
        env: identity,
        timeoutMs: 40_000,
      },
    );

    expect(result.output).toMatch(/three\ntwo\nrc=0\n$/);
  });

  it("EV-03: work in the repository they are in, not in the one of a hook that started the host", async () => {
    const { executor, folder } = real({
      hostEnv: { GIT_DIR: "/nowhere/.git", GIT_INDEX_FILE: "/nowhere/index", GIT_WORK_TREE: "/nowhere" },
    });
    const repo = repository(folder);

    const result = await executor.executeBash(`git -C ${repo} rev-parse --show-toplevel`);

    expect(result.output).toBe(`${repo}\n`);
  });

  it("EV-10: do not see the agent's keys, in their environment nor in their parent's", async () => {
    const { executor } = real({ hostEnv: { ANTHROPIC_API_KEY: "SECRETXSECRETX" } });

    const result = await executor.executeBash(
      "env; cat /proc/$PPID/environ /proc/$$/environ 2>/dev/null | tr '\\0' '\\n'; echo end",
    );

    expect(result.output).toContain("end\n");
    expect(result.output).not.toContain("SECRETX");
    expect(result.withheldNames).toEqual(["ANTHROPIC_API_KEY"]);
  });

  it("EV-12: are not hurt by a library that the host was preloaded with", async () => {
    const { executor } = real({ hostEnv: { LD_PRELOAD: "/nonexistent.so" } });

    expect(await executor.executeBash("/bin/echo ok")).toMatchObject({ output: "ok\n", exitCode: 0 });
  });

  it("EV-13: find no input to wait for, and know that they run unattended", async () => {
    const { executor, folder } = real();
    const asking = join(folder, "asking");
    writeFileSync(asking, '#!/bin/sh\nprintf "Continue? "\nread answer || echo "no input, CI=$CI"\n');
    chmodSync(asking, 0o755);

    expect((await executor.executeBash(asking, { timeoutMs: 30_000 })).output).toBe("Continue? no input, CI=1\n");
  });

  it("RC-03, RC-04: are run by a shell that the host's variables cannot steer", async () => {
    const folder = tmpdir();
    const { executor } = real({
      hostEnv: {
        BASH_ENV: join(folder, "none"),
        SHELLOPTS: "xtrace",
        PS4: "+ ",
        "BASH_FUNC_ls%%": "() { echo pwned; }",
        "BASH_FUNC_printf%%": "() { :; }",
      },
    });

    expect((await executor.executeBash("printf 'cmd\\n'; ls / | grep -c pwned")).output).toBe("cmd\n0\n");
  });
});

describe("a host without a usable temporary folder", () => {
  it("VO-07: runs commands all the same, and says what it lacks", async () => {
    const file = join(scratchFolder(), "file");
    writeFileSync(file, "");
    vi.stubEnv("TMPDIR", file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { executor } = real({ rc: "mine() { :; }\n", folder: dirname(file) });

    const first = await executor.executeBash("echo ok");
    const long = await executor.executeBash("seq 1 20000");

    expect(first).toMatchObject({ output: "ok\n", exitCode: 0, notices: [{ kind: "snapshot" }] });
    expect(long).toMatchObject({ exitCode: 0, truncated: true, artifactError: expect.any(String) });
  });
});

describe("the user's rc", () => {
  it("is there in the session: functions, aliases, PATH", async () => {
    const rc = "_private() { echo private; }\nmine() { _private; }\nalias hi='echo hi'\nexport PATH=$HOME/bin:$PATH\n";
    const { executor, home } = real({ rc });

    const result = await executor.executeBash('mine; hi; echo "${PATH%%:*}"');

    expect(result.output).toBe(`private\nhi\n${home}/bin\n`);
    expect(result).not.toHaveProperty("notices");
  });

  it.each(["echo noise", "exit 3", "read x", "exec cat", "set -e; false"])(
    "RC-01: `%s` in it leaves no trace in a command",
    async (rc) => {
      const { executor } = real({ rc: `${rc}\n` });

      expect(await executor.executeBash("echo ok")).toMatchObject({ output: "ok\n", exitCode: 0 });
    },
  );

  it("a failure to load it is reported once and hurts nothing", async () => {
    const { executor } = real({ rc: "exit 3\n" });

    const first = await executor.executeBash("echo ok", { sessionKey: "a" });
    const second = await executor.executeBash("echo ok", { sessionKey: "b" });

    expect(first.notices?.map((notice) => notice.kind)).toEqual(["snapshot"]);
    expect(second).not.toHaveProperty("notices");
    expect([first.output, second.output]).toEqual(["ok\n", "ok\n"]);
  });

  it("RC-05: comes back for the next session when its file was removed", async () => {
    const temporary = scratchFolder();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { executor } = real({ rc: "mine() { echo mine; }\n" });
    await executor.executeBash("mine", { sessionKey: "a" });
    const files = readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".sh"));
    for (const file of files) rmSync(join(temporary, file));

    const old = await executor.executeBash("mine", { sessionKey: "a" });
    const fresh = await executor.executeBash("mine", { sessionKey: "b" });

    expect(files.length).toBe(1);
    expect([old.output, fresh.output]).toEqual(["mine\n", "mine\n"]);
  });
});
