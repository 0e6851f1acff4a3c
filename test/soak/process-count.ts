/**
 * What this process has: descriptors, threads, children, memory. For soaks, which compare a moment after much work with one
 * before it.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { pause, until } from "../support/patience.ts";
import { isZombie } from "../support/tag.ts";

/** Counts of one moment. */
export interface ProcessCount {
  readonly descriptors: number;
  readonly threads: number;
  /** Processes below this one, at any depth. */
  readonly descendants: number;
  readonly residentBytes: number;
}

/** What may remain more than before: descriptors and threads of the test runner, and a bash kept warm, come and go. */
const TOLERANCE = 8;

/** Time between two looks at counts that may still change, in milliseconds. */
const LOOK_MS = 300;

/** The counts when they stay the same from one look to the next: what is closed or made in the background is done. */
export async function settledCount(): Promise<ProcessCount> {
  let before = countNow();
  for (let look = 0; look < 30; look += 1) {
    await pause(LOOK_MS);
    const now = countNow();
    if (now.descriptors === before.descriptors && now.descendants === before.descendants) return now;
    before = now;
  }
  return before;
}

function countNow(): ProcessCount {
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
    descendants: descendants().length,
    residentBytes: process.memoryUsage.rss(),
  };
}

/** Waits until all but memory is back at what it was and there is no zombie; throws with what stays. */
export async function backAt(before: ProcessCount): Promise<void> {
  const keys = ["descriptors", "threads", "descendants"] as const;
  const rest = () => {
    const now = countNow();
    const more = keys.filter((key) => now[key] > before[key] + TOLERANCE);
    const zombies = descendants().filter(isZombie);
    return [...more.map((key) => `${key} ${before[key]} → ${now[key]}`), ...zombies.map((pid) => `zombie ${pid}`)];
  };
  await until("the counts of before", () => rest().length === 0).catch((error: unknown) => {
    const commands = descendants().map((pid) => commandOf(pid));
    const what = [rest().join(", "), `below: ${commands.join("; ")}`, `open: ${openDescriptors().join(", ")}`];
    throw new Error(`left behind: ${what.join("; ")}`, { cause: error });
  });
}

/** What this process has open, each kind with its number: without the inodes by which two of a kind differ. */
function openDescriptors(): string[] {
  const counts = new Map<string, number>();
  for (const name of readdirSync("/proc/self/fd")) {
    const kind = targetOf(name).replace(/\[\d+\]/, "");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`);
}

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "gone"; // The one that listed the folder.
  }
}

/** Ids of the processes below `pid`, at any depth. */
function descendants(pid = "self"): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(String(child))]);
}

function commandOf(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`;
  } catch {
    return `${pid} gone`;
  }
}

function childrenOf(pid: string): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // It ended between the two looks.
  }
}
