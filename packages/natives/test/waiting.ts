/**
 * What the tests of this package share: processes that are looked for, and conditions that are waited for with a bound.
 */
import { readdirSync, readFileSync } from "node:fs";
import { until as untilTrue } from "../../../test/support/patience.ts";

/** Longest that a condition is waited for, in milliseconds. The machine may be busy with other work. */
const PATIENCE_MS = 20_000;

/** Waits until `condition` is true; fails with `what` when it never is. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  await untilTrue(what, condition, PATIENCE_MS);
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
