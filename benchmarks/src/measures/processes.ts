/** What the system knows of processes, from `/proc`: sizes, threads, and who carries a mark in the environment. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const KIB_PER_MIB = 1024;

/** Time between two looks, in milliseconds. */
const LOOK_MS = 5;

/** Ids of living processes, this one aside, whose environment has `mark`. */
export function processesWith(mark: string): number[] {
  return numbersIn("/proc").filter(
    (pid) => pid !== process.pid && readOrNothing(`/proc/${pid}/environ`).includes(mark) && !isZombie(pid),
  );
}

/** Waits until no process carries `mark`, at most `ms`; the rest. */
export async function rest(mark: string, ms: number): Promise<number[]> {
  const end = performance.now() + ms;
  for (;;) {
    const left = processesWith(mark);
    if (left.length === 0 || performance.now() > end) return left;
    await pause(LOOK_MS);
  }
}

/** Sends a signal to each; one that is gone already is fine. */
export function signalAll(pids: readonly number[], signal: "SIGKILL" | "SIGTERM"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}

/** Threads of this process. */
export function threads(): number {
  return numbersIn("/proc/self/task").length;
}

/** Forgets the largest size so far, so that `peakMib` is of what comes. */
export function resetPeak(): void {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not permitted: the peak is that of the whole life then, which a fresh host makes nearly the same.
  }
}

/** Largest resident size of this process, in MiB. */
export function peakMib(): number {
  const kib = /^VmHWM:\s+(\d+)/m.exec(readOrNothing("/proc/self/status"))?.[1];
  return kib === undefined ? process.resourceUsage().maxRSS / KIB_PER_MIB : Number(kib) / KIB_PER_MIB;
}

/** Memory of everything below this process, in MiB, shared pages counted in shares. */
export function descendantsMib(): number {
  const kib = descendants("self").map(
    (pid) => /^Pss:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1] ?? "0",
  );
  return kib.reduce((sum, one) => sum + Number(one), 0) / KIB_PER_MIB;
}

function descendants(pid: string): string[] {
  const children = numbersIn(`/proc/${pid}/task`).flatMap((thread) =>
    readOrNothing(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function isZombie(pid: number): boolean {
  // The name stands in parentheses and may hold anything; the state is the first letter after the last one.
  const state = /\) (\w)[^)]*$/.exec(readOrNothing(`/proc/${pid}/stat`))?.[1];
  return state === undefined || state === "Z";
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // It went away, or this system has no such folder.
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It went away between the listing and the look, or is another user's.
  }
}
