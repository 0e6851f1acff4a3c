/**
 * Theme C of the failure cases, second part: texts that are cut off, hold what looks like our own framing, or are large.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { openSession } from "../../support/session.ts";

describe("a command's text", () => {
  it.each(['echo "abc', "if true; then", "echo $(", "case x in", "echo )"])(
    "SS-06 that is no complete command is a syntax error: %s",
    async (command) => {
      const { run } = openSession();

      const result = await run(command);
      const next = await run("echo ok");

      expect(result.exitCode).toBe(2);
      expect(result.text).toMatch(/unexpected (EOF|end of file|token)/);
      expect(next).toMatchObject({ exitCode: 0, text: "ok\n", sessionReset: false });
    },
  );

  it("SS-07 may leave a here-document open", async () => {
    const { run } = openSession();

    const result = await run("cat <<EOF\nabc\n");
    const next = await run("echo ok");

    expect(result.exitCode).toBe(0);
    expect(result.text).toMatch(/here-document at line 1 delimited by end-of-file[^\n]*\nabc\n$/);
    expect(next).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it.each(
    [
      "true # c",
      "echo hi \\",
      "cat <<'EOF'\nx\nEOF",
      "}",
      ") ; touch P; (",
      "done",
      "echo a &",
      "! true",
      ";",
      "",
      "# one\n# two",
      "\n".repeat(1000),
    ].map((command): [title: string, command: string] => [JSON.stringify(command).slice(0, 40), command]),
  )("SS-08 means to a session what it means to bash, as a text or in a file: %s", async (_title, command) => {
    const folder = scratchFolder();
    const { shell, run } = openSession({ cwd: folder });
    const file = join(folder, "file");
    writeFileSync(file, command);
    const plain = [["-c", command], [file]].map((words) => spawnSync("bash", words, { encoding: "utf8", cwd: folder }));
    const texts = plain.map(({ stdout }) => stdout);
    const { status } = plain[0] ?? {};

    const result = await run(command);
    const next = await run("echo ok");

    expect(result.exitCode).toBe(status);
    // What a background child writes may come after its command's end; then it is late output.
    if (status !== 2) {
      // A session on a place (the mode `places`) has to ask for it.
      await until("the whole output", async () => texts.includes(result.text + (await shell.lateOutput())));
    }
    expect(existsSync(join(folder, "P"))).toBe(false);
    expect(next).toMatchObject({ exitCode: 0, text: "ok\n", sessionReset: false });
  });

  it("SS-25 may be 300 KB long", async () => {
    const { run } = openSession();

    const result = await run(`: '${"x".repeat(300_000)}'; echo ok`);

    expect(result).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it("SS-25 may hold a here-document of 3 MB", async () => {
    const file = join(scratchFolder(), "copy");
    const body = "0123456789abcde\n".repeat(200_000);
    const { run } = openSession();

    const result = await run(`cat > ${file} <<'END'\n${body}END\necho ok`);

    expect(result).toMatchObject({ exitCode: 0, text: "ok\n" });
    expect(digest(readFileSync(file))).toBe(digest(body));
  });

  it("SS-30 has no history expansion and gets no backslashes", async () => {
    const { run } = openSession();

    const result = await run(`echo "a!b" '!x' \\!`);

    expect(result).toMatchObject({ exitCode: 0, text: "a!b !x !\n" });
  });

  it("SS-36 with carriage returns is taken byte for byte", async () => {
    const { run } = openSession();
    const command = "echo hi\r\nls /\r\n";
    const { stdout, status } = spawnSync("bash", ["-c", command], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    });

    const result = await run(command, { env: { LC_ALL: "C" } });

    expect(result.exitCode).toBe(status);
    expect(result.text.startsWith(stdout)).toBe(true);
  });
});

describe("a command's output", () => {
  it("SS-13 has the user's trace and nothing of the framing", async () => {
    const { run } = openSession();
    await run("PS4='$(echo INJ >&2)+ '");

    await run("set -x");
    const traced = await run("echo hi");
    await run("set +x");
    const plain = await run("echo plain");

    expect(traced.text.match(/\+ /g)).toHaveLength(1);
    expect(traced.text.replaceAll("INJ\n", "")).toMatch(/^\++ echo hi\nhi\n$/);
    expect(plain.text).toBe("plain\n");
  });

  it("SS-22 that holds everything a command can see of its shell cannot forge an end", async () => {
    const saved = join(scratchFolder(), "saved");
    const { run } = openSession();
    const look =
      "set; declare -p; declare -f; env; history; cat /proc/$$/cmdline /proc/$$/environ | tr '\\0' '\\n'; echo END";
    const sink = { maxBytes: 8 * 2 ** 20, plainText: false };

    const first = await run(`${look}; (exit 7)`, { sink });
    writeFileSync(saved, first.text);
    const replay = await run(`cat ${saved}; (exit 9)`, { sink });
    const next = await run("echo ok");

    expect(first.exitCode).toBe(7);
    expect(first.text.endsWith("END\n")).toBe(true);
    expect(replay).toMatchObject({ exitCode: 9, text: first.text });
    expect(next).toMatchObject({ exitCode: 0, text: "ok\n" });
  });

  it("SS-23 has exactly the bytes that were written", async () => {
    const { run } = openSession();

    expect((await run("printf abc")).text).toBe("abc");
    expect((await run("printf 'x\\n\\n'")).text).toBe("x\n\n");
  });
});

function digest(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
