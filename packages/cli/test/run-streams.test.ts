/** What a command of `pi-bash run` reads, and where its standard error goes. Runs the built program, in real shells. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { feed, inShell, runProgram, startProgram, streamFolders } from "./built-program.ts";
import { PROGRAM } from "./console-person.ts";

/** A script that has not ended by then hangs. */
const LIMIT_MS = 50_000;
const BIG_BYTES = 64 * 1024 ** 2;
/** Far above what Node itself takes, far below what is passed on. */
const MAX_GROWTH_BYTES = 48 * 1024 ** 2;

describe.skipIf(process.platform === "win32")("the input of a command", () => {
  it("is ours, to its end", async () => {
    expect(await runProgram(["run", "wc -l"], "a\nb\n")).toEqual({ status: 0, stdout: "2\n", stderr: "" });
    expect((await inShell("pi run 'sort -r' <<<$'a\\nb'")).stdout).toBe("b\na\n");
  });

  it.each([
    ["/dev/null", "pi run 'wc -c; echo $?' </dev/null", "0\n0\n"],
    ["closed", "pi run 'wc -c; echo $?' <&-", "0\n0\n"],
    [
      "a pipe that writes nothing, and the command reads nothing",
      "exec 3< <(exec sleep 300); pi run 'echo read nothing' <&3; kill $!",
      "read nothing\n",
    ],
    ["more than the command reads", "yes | pi run 'head -n 2'; echo ${PIPESTATUS[1]}", "y\ny\n0\n"],
    ["a folder, which holds nothing to read", "pi run 'wc -c; echo $?' </", "0\n0\n"],
    ["a file", "seq 3 >f; pi run 'read a; cat; echo $a' <f", "2\n3\n1\n"],
  ])("can be %s", async (_, script, stdout) => {
    expect(await inShell(script)).toEqual({ stdout, stderr: "", left: [] });
  });

  it("is passed on as it is read: 64 MiB, whole", async () => {
    const { child, ended } = startProgram(["run", "cat | sha256sum"]);
    const chunk = Buffer.alloc(1024 ** 2, "some text\0\xff\n");
    const output = text(child.stdout);
    const digest = await feed(child, chunk, BIG_BYTES);

    expect(await output).toContain(digest);
    expect(await ended).toBe(0);
  });

  it.skipIf(process.platform !== "linux")("does not pile up where the command reads none of it", async () => {
    const peak = `run --env HOST=$$ 'sleep 1; grep VmHWM /proc/$HOST/status'`;
    const idle = await inShell(`exec "${process.execPath}" "${PROGRAM}" ${peak}`);
    const full = await inShell(`exec "${process.execPath}" "${PROGRAM}" ${peak} < <(yes)`);
    const bytes = ({ stdout }: { stdout: string }) => Number(/(\d+) kB/.exec(stdout)?.[1]) * 1024;

    expect(bytes(full) - bytes(idle)).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it("leaves nothing where the program is killed, once the next has run", async () => {
    const folder = scratchFolder();
    const { child, ended } = startProgram(["run", "cat"], folder, { XDG_RUNTIME_DIR: folder });
    await until("it has made its folder", () => streamFolders(folder).length === 1);
    child.kill("SIGKILL");
    await ended;
    expect(streamFolders(folder)).toHaveLength(1);

    expect(await inShell("echo hi | pi run cat", folder)).toEqual({ stdout: "hi\n", stderr: "", left: [] });
  });

  it("is one for all commands of a session: each reads on where the one before left", async () => {
    const commands = `'read a; (exit 4)' 'echo $?; read b' 'echo $a $b; cat' 'cat; echo end; false' 'echo $?'`;

    expect((await inShell(`seq 4 | pi run --session ${commands}`)).stdout).toBe("4\n1 2\n3\n4\nend\n1\n");
  });

  it("is there again after a command that ended the session's shell", async () => {
    expect((await inShell("seq 3 | pi run --session 'read a' 'kill -9 $$' 'cat'")).stdout).toBe("2\n3\n");
  });

  it("leaves lines, `$?` and positions in errors as they are without one", async () => {
    const command = "'echo $? $LINENO\n: $((1/0))\n'";
    const plain = await inShell(`pi run ${command} 2>&1`);
    const fed = await inShell(`echo x | pi run ${command} 2>&1`);
    const apart = await inShell(`echo x | pi run ${command}`);

    expect(plain.stdout).toMatch(/^0 1\n.*line 2: 1\/0: division by 0/);
    expect(fed.stdout).toBe(plain.stdout);
    expect(apart.stdout + apart.stderr).toBe(plain.stdout);
  });

  it("is none where it is a terminal, so that `run` in the background is not stopped", async () => {
    const folder = scratchFolder();
    const pty = new PtySession();
    let raw = "";
    const result = await pty.start(
      {
        command: `set -m; "$NODE" "$PROGRAM" run 'cat; echo read' & wait $!; echo "status $?"`,
        cwd: folder,
        baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder, NODE: process.execPath, PROGRAM },
        timeoutMs: LIMIT_MS,
      },
      (_error, chunk) => {
        raw += chunk;
      },
    );

    expect(result.timedOut).toBe(false);
    expect(raw).toContain("read\r\n");
    expect(raw).toContain("status 0\r\n");
  });
});

describe.skipIf(process.platform === "win32")("the standard error of a command", () => {
  it("goes to ours, where that is another file than our output", async () => {
    const lines = "for i in $(seq 2000); do echo out $i; echo err $i >&2; done; nonsense";
    const { stdout, stderr, left } = await inShell(`pi run '${lines}'`);
    const numbers = (text: string, word: string) => text.match(new RegExp(`^${word} \\d+$`, "gm"))?.length;

    expect([numbers(stdout, "out"), numbers(stderr, "err")]).toEqual([2000, 2000]);
    expect(stdout).not.toContain("err");
    expect(stderr).not.toContain("out ");
    expect(stderr).toMatch(/\nbash: line 1: nonsense: command not found\n$/);
    expect(left).toEqual([]);
  });

  it("is in order with its output, where both are one file", async () => {
    const lines = "for i in $(seq 500); do echo $i; echo $i >&2; done";

    expect((await inShell(`pi run '${lines}' 2>&1`)).stdout).toBe(
      Array.from({ length: 500 }, (_, at) => `${at + 1}\n${at + 1}\n`).join(""),
    );
    expect((await inShell(`pi run '${lines}' >f 2>&1; uniq -c f | grep -vc "      2"`)).stdout).toBe("0\n");
  });

  it("stays in the one text of `--json`, in order", async () => {
    const { stdout, stderr } = await inShell("pi run --json 'echo a; echo b >&2; echo c'");

    expect(JSON.parse(stdout)).toMatchObject({ command: "echo a; echo b >&2; echo c", output: { text: "a\nb\nc\n" } });
    expect(stderr).toBe("");
  });

  it("is whole when the next command of a session begins, and keeps bytes that are no text", async () => {
    const { stderr } = await inShell("pi run --session 'seq 20000 >&2' 'echo next >&2' 'printf \"\\377\" >&2' | cat");

    expect(stderr).toContain("19999\n20000\nnext\n");
    expect(stderr.endsWith("next\n\ufffd")).toBe(true);
  });

  it("that something in the background holds open holds nothing up", async () => {
    const { stdout, stderr } = await inShell("pi run '(sleep 300 >/dev/null &) ; echo done; echo late >&2'");

    expect(stdout).toBe("done\n");
    expect(stderr).toMatch(/^late\npi-bash: still running, ends now: sleep 300/);
  });

  it("ends the command when its reader went away", async () => {
    const { stdout } = await inShell(`pi run 'yes >&2' 2> >(head -n 1 >/dev/null); echo $?`);

    expect(stdout).toBe("141\n");
  });

  it("is shielded on a terminal as the output is", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "command"), String.raw`printf 'a\033[31mred\033[0m\033]0;title\007b\n' >&2`);
    const pty = new PtySession();
    let raw = "";
    await pty.start(
      {
        command: `"$NODE" "$PROGRAM" run "$(<command)" | cat`,
        cwd: folder,
        baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder, NODE: process.execPath, PROGRAM },
        timeoutMs: LIMIT_MS,
      },
      (_error, chunk) => {
        raw += chunk;
      },
    );

    expect(raw).toBe("a\x1b[31mred\x1b[0mb\r\n");
  });
});
