/**
 * What this process has open for a session's runs: nothing of a run that is over, however it ran. A file of its own, since
 * other tests of the same process would open descriptors meanwhile.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Shell, type ShellRunResult } from "../src/index.ts";
import { until } from "./waiting.ts";

/** Runs of each kind: more than what is kept from run to run. */
const RUNS = 20;

/** Pipes that this process has open, both ends counted. */
function openPipes(): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith("pipe:");
    } catch {
      return false; // The one that was open for the listing.
    }
  }).length;
}

const WAYS: Readonly<Record<string, (shell: Shell) => Promise<ShellRunResult>>> = {
  "a builtin": (shell) => shell.run({ command: "echo hi", sink: {} }),
  "a program": (shell) => shell.run({ command: "/bin/echo hi", sink: {} }),
  "a run with nothing to receive its output": (shell) => shell.run({ command: "seq 1000" }),
  "a flood": (shell) => shell.run({ command: "head -c 2000000 /dev/zero", sink: {} }),
  "a copy": (shell) => shell.run({ command: "echo hi", sink: {}, concurrency: "clone" }),
  "a copy that is stopped": (shell) =>
    shell.run({ command: "sleep 300", timeoutMs: 20, sink: {}, concurrency: "clone" }),
  "a command that is stopped": (shell) => shell.run({ command: "sleep 300", timeoutMs: 20, sink: {} }),
  "a command that ends its shell": (shell) => shell.run({ command: "echo hi; kill -9 $$", sink: {} }),
  "a run in a missing folder": async (shell) => {
    await expect(shell.run({ command: "echo hi", cwd: "/nowhere/at/all", sink: {} })).rejects.toThrow();
    return shell.run({ command: ":" });
  },
  "a command that is handed over": async (shell) => {
    const running = shell.run({ command: "echo hi; sleep 0.1", sink: {} });
    await shell.handOver();
    return running;
  },
};

describe.skipIf(process.platform !== "linux")("a run leaves no pipe open when it is over (/proc is Linux's)", () => {
  for (const [kind, run] of Object.entries(WAYS)) {
    it(`${kind}, ${RUNS} times`, async () => {
      await using shell = new Shell();
      await run(shell);
      const before = openPipes();

      for (let round = 0; round < RUNS; round += 1) await run(shell);

      // Both ends of the one that a next command may use again.
      await until(`${openPipes()} pipes are ${before} again`, () => openPipes() <= before + 2);
    });
  }
});
