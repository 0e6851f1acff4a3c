/**
 * Theme J of the failure cases: stops, interrupts, and prompts that look for a terminal.
 */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHost } from "../../support/host.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one } from "../../support/session.ts";
import { newTag, processState } from "../../support/tag.ts";

describe("a command", () => {
  it("SG-03 that stops its process group does not stop its host", async () => {
    const command = "sh -c 'kill -TTOU 0' & stty size </dev/tty; echo done";
    const runs = [{ command, timeoutMs: 10_000, sink: {} }];

    const host = startHost("run-commands", { args: ["one", JSON.stringify(runs)], detached: true });
    const end = await host.ended();

    expect(end).toEqual({ code: 0, signal: null });
    expect(processState(process.pid)).not.toBe("T");
    expect(host.stdout()).toContain("done");
  });

  it("SG-04 with a stopped child ends at the timeout, and the child with it", async () => {
    const tag = newTag();

    const result = await one("sleep 300 & kill -STOP $!; wait", { timeoutMs: 1_000, env: tag.env });

    expect(result.timedOut).toBe(true);
    await tag.gone();
  });

  it("SG-06 that would ask on a terminal fails and says why", async () => {
    const folder = scratchFolder();
    const gpg = join(folder, "gpg");
    writeFileSync(gpg, "#!/bin/bash\nif ! read -r pass < /dev/tty; then echo 'gpg: cannot open tty' >&2; exit 2; fi\n");
    chmodSync(gpg, 0o755);
    const identity = "-c user.name=a -c user.email=a@example.com";
    const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

    const result = await one(
      `git init -q . && git ${identity} -c commit.gpgsign=true -c gpg.program=${gpg} commit --allow-empty -m x`,
      { cwd: folder, env },
    );

    expect(result.exitCode).not.toBe(0);
    // Newer versions of git print the program's own words behind these.
    expect(result.text).toContain("gpg failed to sign the data");
  });
});

describe("a host", () => {
  it("SG-05 whose process group is interrupted goes on, and its command and session too", async () => {
    const runs = [
      { command: "X=kept; sleep 2; echo first", sink: {} },
      { command: "echo $X", sink: {} },
    ];
    const host = startHost("take-interrupts", { args: [JSON.stringify(runs)], detached: true });

    await host.printed("started");
    process.kill(-host.pid, "SIGINT");
    const end = await host.ended();

    expect(end).toEqual({ code: 0, signal: null });
    expect(host.stdout()).toContain("interrupted");
    expect(host.stdout()).toContain("first");
    expect(host.stdout()).toContain("kept");
  });
});
