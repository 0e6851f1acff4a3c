/**
 * Calls one of whose programs waits for a person: ended with the advice, in the session and as a job; and those that ended by
 * themselves without an answer.
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobDelivery } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { ToolError } from "../src/tool-error.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

/** Waits to read its own output, as `vim` does without a terminal. */
const WAITS = "python3 -c 'import select; select.select([2], [], [])'";

// Blocked calls are shown by Linux alone.
const canSee = process.platform === "linux" && spawnSync("python3", ["--version"]).status === 0;
const hasVim = canSee && spawnSync("vim", ["--version"]).status === 0;

describe.skipIf(!canSee)("a call whose program waits for a person", { timeout: 60_000 }, () => {
  it("is ended with the name of the program and what to do, and the session goes on with its state", async () => {
    const { bash } = scene();
    await bash({ command: "KEPT=yes" });

    const error = await thrown(bash({ command: `echo begun; ${WAITS}; echo never` }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(
      /^\[Ended after \d+\.\d s: `python\S*` \(pid \d+\) waits for a person's input and this call has no terminal, so it has no one to answer\.\]\nbegun\n/,
    );
    expect(error.message).toContain(
      "Run it without questions (git: `-m`, `--no-edit`; others: `-y`, `--yes`, `--batch`)",
    );
    expect(error.message).not.toContain("never");
    expect(error.details).toMatchObject({ inputWanted: { program: expect.stringMatching(/^python/), ended: true } });
    expect(error.details).not.toHaveProperty("survivors");
    expect(textOf(await bash({ command: "echo $KEPT" }))).toMatch(/^yes\n/);
  });

  it("goes on where the setting says so, and the result has the note", async () => {
    const { bash } = scene({ "bash.onInputWait": "note" });

    const error = await thrown(bash({ command: WAITS, timeout: 5 }));

    expect(error.message).toMatch(/^\[Command timed out after 5 seconds\]/);
    expect(error.message).toMatch(/`python\S*` \(pid \d+\) waits for a person's input and has no terminal\./);
    expect(error.details).toMatchObject({ stopped: "deadline", inputWanted: { ended: false } });
  });

  it("is ended as a job too, which fails with the same text", async () => {
    const manager = await jobs();
    const delivered: JobDelivery[] = [];
    manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
    const { bash } = scene({ "async.enabled": true }, { asyncJobManager: manager });

    await bash({ command: WAITS, async: true });

    await until(() => delivered.length > 0, "a delivery");
    expect(delivered[0]?.job.state).toBe("failed");
    expect(delivered[0]?.text).toMatch(/\n\[Ended after .* waits for a person's input/);
  });

  it.skipIf(!hasVim)("is a commit that opens vim: nothing is committed and nothing is left", async () => {
    const { bash, folder } = scene();
    await bash({ command: "git init -q . && git config user.email a@b.c && git config user.name a" });

    const error = await thrown(bash({ command: "GIT_EDITOR='vim -u NONE' git commit --allow-empty", timeout: 30 }));

    expect(error.details).toMatchObject({ inputWanted: { program: "vim", ended: true } });
    expect(error.details).not.toHaveProperty("survivors");
    expect(existsSync(join(folder, ".git/index.lock"))).toBe(false);
  });
});

describe("a call that ended without the answer that it asked for", () => {
  it("says so where the status is 0 all the same", async () => {
    const { bash, folder } = scene();
    writeFileSync(join(folder, "f"), "");

    const result = await bash({ command: "rm -i f" });

    expect(textOf(result)).toMatch(
      /It seems to have asked for input \("rm: remove .*\?"\) and got none; exit status 0/,
    );
    expect(existsSync(join(folder, "f"))).toBe(true);
  });

  it("says so of a bare `read`, whose output is empty", async () => {
    const result = await scene().bash({ command: "read -p 'Go on? ' answer" });

    expect(textOf(result)).toContain('It seems to have asked for input ("read") and got none.');
  });
});
