/**
 * Real bash as the judge: runs a text and says what came out.
 *
 * The start-up files and the environment of whoever runs the tests stay outside, and every run is bounded. Not for
 * commands that are expected to hang: a run that reaches the bound fails the test.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Far above what any of the commands needs, so that only a hang reaches it. */
const LIMIT_MS = 30_000;

export interface Judged {
  readonly output: string;
  readonly exitCode: number | null;
}

/** Runs a text with `bash -c`, standard error joined to standard output. */
export function bash(text: string, cwd: string = tmpdir()): Judged {
  const run = spawnSync("bash", ["--noprofile", "--norc", "-c", `exec 2>&1\n${text}`], {
    cwd,
    encoding: "utf8",
    timeout: LIMIT_MS,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", HOME: "/home/nobody" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (run.error !== undefined) throw new Error(`bash did not finish: ${text}`, { cause: run.error });
  return { output: run.stdout, exitCode: run.status };
}

/** A folder that is removed when the test file has run. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-command-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
