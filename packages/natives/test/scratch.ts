/**
 * What the tests of this package share: a folder that goes away, processes that are looked for, and conditions that are
 * waited for with a bound.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Longest that a condition is waited for, in milliseconds. The machine may be busy with other work. */
const PATIENCE_MS = 20_000;

/** A new folder, removed when the test is over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-natives-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `condition` is true; fails with `what` when it never is. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > giveUp) throw new Error(`waited ${PATIENCE_MS} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Ids of living processes whose environment or command line holds `mark`. Linux only. */
export function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => readOf(pid, "environ").includes(mark) || readOf(pid, "cmdline").includes(mark));
}

/** A zombie, or a process that went away meanwhile, reads as nothing. */
function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
