/** Read-only runs as callers have them: what they get, what is refused, and what a host knows beforehand. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { capabilities, executeShell, Shell, ShellError } from "../src/index.ts";

const { available, reason } = capabilities().readOnly;
const lack = available ? "" : ` (${reason})`;

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-bash-read-only-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.skipIf(!available)(`a read-only run${lack}`, () => {
  it("reads with the session's state, writes nothing, and is followed to its folder", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "file"), "kept\n");
    await using shell = new Shell({ cwd: folder });
    await shell.run({ command: "V=1" });

    const read = await shell.run({ command: "cat file; echo $V; cd /usr", readOnly: true, sink: {} });
    const written = await shell.run({ command: `echo x > ${folder}/new`, readOnly: true, sink: {} });

    expect(read.output?.text).toBe("kept\n1\n");
    expect(read.workingDir).toBe("/usr");
    expect(read.readOnly).toEqual({ degraded: capabilities().readOnly.degraded, stateDropped: false });
    expect(written.output?.text).toContain("Permission denied");
    expect(written.exitCode).toBe(1);
    expect(existsSync(join(folder, "new"))).toBe(false);
    expect((await shell.run({ command: "pwd", sink: {} })).output?.text).toBe("/usr\n");
  });

  it("says that what it set in the shell is gone", async () => {
    await using shell = new Shell({ cwd: "/" });

    const result = await shell.run({ command: "export A=1", readOnly: true });

    expect(result.readOnly?.stateDropped).toBe(true);
    expect((await shell.run({ command: "echo ${A-unset}", sink: {} })).output?.text).toBe("unset\n");
  });

  it("has no `readOnly` in its result unless it was one", async () => {
    await using shell = new Shell({ cwd: "/" });

    expect(await shell.run({ command: "true" })).not.toHaveProperty("readOnly");
    expect(await shell.run({ command: "true", readOnly: false })).not.toHaveProperty("readOnly");
  });

  it("can be a one-shot, and one of many at once", async () => {
    await using shell = new Shell({ cwd: "/" });
    const folder = scratch();

    const one = await executeShell({ command: `mkdir ${folder}/x; pwd`, cwd: "/usr", readOnly: true, sink: {} });
    const many = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => shell.run({ command: `echo ${n}`, readOnly: true, concurrency: "clone", sink: {} })),
    );

    expect(one.output?.text).toContain("/usr\n");
    expect(one.readOnly?.degraded).toEqual(capabilities().readOnly.degraded);
    expect(existsSync(join(folder, "x"))).toBe(false);
    expect(many.map((each) => each.output?.text)).toEqual(["1\n", "2\n", "3\n", "4\n", "5\n"]);
  });
});

describe.skipIf(process.platform === "win32")("where no bash is kept (Windows has no bash to name)", () => {
  it("nothing is run, and the error has the reason by itself", async () => {
    const folder = scratch();
    // A bash that bash's driver is not for: a program that only looks like one.
    const shell = join(folder, "bash");
    writeFileSync(shell, '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 });

    const error = await executeShell({ shell, command: `echo x > ${folder}/new`, readOnly: true }).catch((e) => e);

    expect(error).toBeInstanceOf(ShellError);
    expect(error.code).toBe("PI_READ_ONLY_UNAVAILABLE");
    expect(error.reason.length).toBeGreaterThan(10);
    expect(error.message).toBe(
      `cannot run read-only: ${error.reason}; run it without \`readOnly\`, where it may change things`,
    );
    expect(existsSync(join(folder, "new"))).toBe(false);
  });
});
