/**
 * A host that times out many commands and then counts what it has: descriptors, threads, children, memory, signals.
 *
 *   timeout-often <count> <timeout in milliseconds>
 *
 * A sibling in its own process group tells whether that group was signalled. Prints one line of JSON: a `Count` before and
 * one after.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { executeShell } from "@pi-bash/natives";

/** What a host has at one moment. */
export interface Count {
  readonly descriptors: number;
  readonly threads: number;
  /** Living children and zombies of the host, the supervisor among them. */
  readonly children: number;
  readonly residentBytes: number;
  /** Signals that the host got so far. */
  readonly signals: number;
  readonly isSiblingAlive: boolean;
}

/** Runs at the same time: a run waits most of its life. */
const LANES = 10;

const [, , count = "1", timeout = "50"] = process.argv;
const sibling = spawn("sleep", ["999"], { stdio: "ignore" });
let signals = 0;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGCONT", "SIGUSR2"] as const) {
  process.on(name, () => {
    signals += 1;
  });
}

async function timeOut(times: number): Promise<void> {
  let left = times;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const result = await executeShell({ command: "sleep 300 | cat", timeoutMs: Number(timeout), sink: {} });
      if (!result.timedOut) throw new Error(`not timed out: ${JSON.stringify(result)}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/**
 * The first of the counts that satisfies `isSettled`, or the last one after 15 seconds: a thread for blocking work ends
 * when it was idle for ten.
 */
async function countOnce(isSettled: (now: Count, before: Count) => boolean): Promise<Count> {
  let before = look();
  for (let round = 0; round < 75; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = look();
    if (isSettled(now, before)) return now;
    before = now;
  }
  return before;
}

function total({ descriptors, threads, children }: Count): number {
  return descriptors + threads + children;
}

function look(): Count {
  (globalThis as { gc?: () => void }).gc?.();
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
    children: childrenOf(process.pid),
    residentBytes: process.memoryUsage.rss(),
    signals,
    isSiblingAlive: sibling.exitCode === null && sibling.signalCode === null,
  };
}

function childrenOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readOrNothing(`/proc/${pid}/task/${thread}/children`).split(" "))
    .filter((word) => word !== "").length;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // The thread ended between the listing and the look.
  }
}

await timeOut(LANES * 2);
const before = await countOnce((now, earlier) => total(now) === total(earlier));
await timeOut(Number(count));
const after = await countOnce(
  (now) =>
    now.threads <= before.threads && now.children <= before.children && now.descriptors <= before.descriptors + 10,
);
sibling.kill("SIGKILL");
process.stdout.write(`${JSON.stringify([before, after])}\n`);
process.exit(0);
