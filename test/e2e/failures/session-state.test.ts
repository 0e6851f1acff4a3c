/**
 * Theme C of the failure cases, first part: what stays from run to run, and what a run may do to its shell.
 *
 * Texts that try to break the framing are in `framing.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { pause } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { openSession, type TestSession } from "../../support/session.ts";
import { newTag } from "../../support/tag.ts";

/** The session answers, exactly. */
async function expectAlive({ run }: TestSession): Promise<void> {
  expect(await run("/bin/echo ok")).toMatchObject({ exitCode: 0, text: "ok\n" });
}

describe("a session", () => {
  it("SS-01 keeps directory, variables, functions, aliases, options and umask", async () => {
    const { run } = openSession();

    await run(
      "cd /usr; export A=1; f(){ echo F$A; }; shopt -s expand_aliases; alias g='echo G'; set -o pipefail; umask 027",
    );
    const result = await run("pwd; f; g; set -o | grep pipefail; umask");

    expect(result).toMatchObject({ exitCode: 0, text: "/usr\nF1\nG\npipefail       \ton\n0027\n", workingDir: "/usr" });
  });

  it("SS-02 is there again after `exit`, with all that was set, and so without a word of loss", async () => {
    const { run } = openSession();

    const first = await run("exit 42");
    const second = await run("echo ok");

    expect(first).toMatchObject({ exitCode: 42, sessionReset: false });
    expect(second).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it("SS-05 works under `set -euo pipefail`", async () => {
    const session = openSession();
    await session.run("set -euo pipefail");

    for (let round = 0; round < 5; round += 1) {
      const unset = await session.run("echo $NOPE");
      expect(unset.exitCode).not.toBe(0);
      expect(unset.text).toBe("bash: line 1: NOPE: unbound variable\n");
      expect(await session.run("false")).toMatchObject({ exitCode: 1, text: "" });
      const listing = await session.run("ls /nope-nope | cat");
      expect(listing.exitCode).toBe(2);
      expect(listing.text).toContain("/nope-nope");
      await expectAlive(session);
    }
  });

  it("SS-10 gives the next run its own output after `exec >file`", async () => {
    const out = join(scratchFolder(), "OUT");
    const { run } = openSession();

    const first = await run(`exec >${out} 2>&1; echo in`);
    const second = await run("echo visible");

    expect(first).toMatchObject({ exitCode: 0, text: "" });
    expect(second).toMatchObject({ exitCode: 0, text: "visible\n" });
    expect(readFileSync(out, "utf8")).toBe("in\n");
  });

  it("SS-16 runs traps for the user's commands and not for its own", async () => {
    const { shell, run } = openSession();

    const set = await run("trap 'echo D:$BASH_COMMAND' DEBUG");
    const traced = await run("true");
    const exitTrap = await run("trap - DEBUG; trap 'echo BYE' EXIT");
    const after = await run("echo a");
    const errTrap = await run("trap 'echo ERR' ERR");
    const failed = await run("(exit 3)");
    const plain = await run("echo b");
    await shell.close();

    expect(set.text).toBe("");
    expect(traced.text).toBe("D:true\n");
    // An EXIT trap belongs to the command that sets it, and runs at its end.
    expect(exitTrap.text).toBe("D:trap - DEBUG\nBYE\n");
    expect(after.text).toBe("a\n");
    expect(errTrap.text).toBe("");
    expect(failed).toMatchObject({ exitCode: 3, text: "ERR\n" });
    expect(plain.text).toBe("b\n");
  });

  it("SS-29 keeps `$?`, `$!` and the job table", async () => {
    const { run } = openSession();

    await run("false");
    const status = await run("echo $?");
    await run("sleep 300 &");
    const jobs = await run("jobs; kill %1; wait %1; echo $?");

    expect(status.text).toBe("1\n");
    expect(jobs.text).toMatch(/^\[1\]\+\s+Running\s+sleep 300 &\n/);
    expect(jobs.text).toMatch(/143\n$/);
  });

  it("SS-31 does not end by TMOUT", async () => {
    const { run } = openSession();

    const first = await run("TMOUT=1; echo $$");
    // What is tested is that time passes and nothing happens: there is no condition to wait for.
    await pause(2_000);
    const second = await run("echo $$");

    expect(second).toMatchObject({ exitCode: 0, text: first.text });
  });

  it("SS-34 ends jobs in process groups of their own at a timeout", async () => {
    const tag = newTag();
    const session = openSession();

    const result = await session.run("set -m; sleep 300 | cat & sleep 300", { timeoutMs: 1_000, env: tag.env });

    expect(result.timedOut).toBe(true);
    await tag.gone();
    await expectAlive(session);
  });
});

describe("a session whose shell is maltreated works again", () => {
  it("SS-11 after every descriptor was closed", async () => {
    const session = openSession();

    await session.run('exec <&- >&- 2>&-; for fd in {3..255}; do eval "exec $fd>&-"; done');

    await expectAlive(session);
  });

  it("SS-18 after its words became aliases for `false`", async () => {
    const session = openSession();

    const set = await session.run(
      "shopt -s expand_aliases; alias printf=false echo=false builtin=false eval=false command=false",
    );
    await expectAlive(session);

    expect(set.exitCode).toBe(0);
  });

  it("SS-18 after its builtins were disabled", async () => {
    const session = openSession();

    // A shell that cannot report any more may be replaced, and then the command's own status is not known.
    const set = await session.run("enable -n printf echo eval trap read");
    await expectAlive(session);

    if (!set.sessionReset) expect(set.exitCode).toBe(0);
  });

  it("SS-19 after IFS, globbing, noclobber, POSIX mode and umask were turned", async () => {
    const session = openSession();

    await session.run("IFS=0123456789; set -fC; shopt -s nullglob failglob; set -o posix; umask 777");
    const status = await session.run("(exit 37)");

    expect(status).toMatchObject({ exitCode: 37, text: "" });
    await expectAlive(session);
  });

  it("SS-20 after its variables became read-only and itself restricted", async () => {
    const { run } = openSession();

    await run("readonly PATH IFS PS1 PS4 PROMPT_COMMAND OLDPWD PWD _ __rc __status 2>/dev/null; set -r");
    const result = await run("/bin/echo ok", { cwd: "/usr" }).catch((error: unknown) => error);
    const next = await run("echo ok");

    // A restricted shell cannot change its directory: a typed error, or a shell that was replaced.
    if (result instanceof Error) expect(result).toMatchObject({ code: expect.stringMatching(/^PI_/) });
    else expect(result).toMatchObject({ text: expect.stringMatching(/ok\n$|restricted/) });
    expect(next).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it.each(["ulimit -n 6; ulimit -f 0", "ulimit -n 4", "ulimit -n 3"])("SS-32 after `%s`", async (command) => {
    const session = openSession();

    await session.run(command);
    const next = await session.run("echo ok").catch((error: unknown) => error);

    if (next instanceof Error) expect(next).toMatchObject({ code: expect.stringMatching(/^PI_/) });
    else expect(next).toMatchObject({ exitCode: 0, text: "ok\n" });
    expect(await session.run("echo ok")).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  // Root is not bound by the limit of processes.
  it.skipIf(!canBeNobody())("SS-32 after `ulimit -u 1` of a common user (needs root to become one)", async () => {
    const commands = ["ulimit -u 1", "echo ok", "echo ok"].map((command) => ({ command, cwd: "/", sink: {} }));
    const host = startHost("run-commands", {
      args: ["session", JSON.stringify(commands)],
      wrapper: ["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups"],
      copiesAddon: true,
    });
    await host.ended();

    const [, next, last] = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];

    if (next !== undefined && "code" in next) expect(next.code).toMatch(/^PI_/);
    else expect(next).toMatchObject({ exitCode: 0, output: { text: "ok\n" } });
    expect(last).toMatchObject({ exitCode: 0, output: { text: "ok\n" } });
  });

  it.each([
    ["return 3", 2],
    ["break", 0],
    ["UID=5; echo no", 1],
    // A file of it gives 1; `bash -c` of it gives 127.
    [": ${NOPE:?msg}", 1],
    ["exec /nonexistent", 127],
  ])("SS-35 after `%s`, which has status %i", async (command, exitCode) => {
    const session = openSession();

    const result = await session.run(command);

    expect(result.exitCode).toBe(exitCode);
    expect(result.text).toMatch(exitCode === 0 ? /only meaningful in a/ : /^bash: line 1: /);
    expect(result.text).not.toContain("no\n");
    await expectAlive(session);
  });

  it("SS-12 after programs that read standard input", async () => {
    const session = openSession();

    expect(await session.run("cat")).toMatchObject({ exitCode: 0, text: "" });
    // Port 1 refuses at once; without `ssh` bash itself opens the connection.
    const ssh = "ssh -o ConnectTimeout=1 127.0.0.1 -p 1 true 2>/dev/null || : </dev/tcp/127.0.0.1/1";
    expect((await session.run(ssh)).exitCode).not.toBe(0);
    expect(await session.run("python3")).toMatchObject({ exitCode: 0, text: "" });
    await expectAlive(session);
  });

  it("SS-26 after a command with a NUL, of which nothing was run", async () => {
    const folder = scratchFolder();
    const session = openSession({ cwd: folder });

    await expect(session.run("echo a\0b; touch P")).rejects.toMatchObject({ code: "PI_NUL_IN_COMMAND" });

    expect(existsSync(join(folder, "P"))).toBe(false);
    await expectAlive(session);
  });
});

function canBeNobody(): boolean {
  if (process.getuid?.() !== 0) return false;
  return spawnSync("setpriv", ["--reuid", "65533", "--regid", "65533", "--clear-groups", "true"]).status === 0;
}
