/**
 * Stopping a tree: from the abort to the settled promise, and to the last dead process, in milliseconds; who lives on, and
 * whether the next command is answered.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Runner } from "../contender.ts";
import type { Fault, Measured } from "../measured.ts";
import { processesWith, rest, signalAll } from "./processes.ts";

/** Processes of the tree: its shells included, at least these must stand before it is stopped. */
const TREE_SIZE = 4;

/** Longest wait for the tree to stand. */
const START_MS = 10_000;

/** Longest wait for a promise that should have settled. */
const PATIENCE_MS = 5_000;

/** Time that a contender gets to clean up after it settled, before survivors are counted. */
const CLEAN_UP_MS = 1_000;

/** Longest wait for a promise after everything was killed for it. */
const LAST_WAIT_MS = 2_000;

/** The tree: one ignores SIGTERM and SIGHUP, one has a session of its own, one is a daemon, one is at the third level. */
function tree(mark: string, standing: string): string {
  return `export ${mark}=1
(trap '' TERM HUP; /bin/sleep 300; :) & setsid /bin/sleep 300 &
(setsid /bin/sleep 300 >/dev/null 2>&1 &)
: > ${standing}
/bin/sleep 300 | cat`;
}

/** Aborts the tree once. */
export async function stop(runner: Runner, folder: string): Promise<Measured> {
  const mark = `PI_BENCH_TREE_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const standing = join(folder, mark);
  const controller = new AbortController();
  const faults: Fault[] = [];
  const options = { signal: controller.signal, take: () => undefined };
  const run = runner.run(tree(mark, standing), options).then(
    () => true,
    () => true,
  );
  const isUp = () => existsSync(standing) && processesWith(mark).length >= TREE_SIZE;
  for (const end = performance.now() + START_MS; !isUp() && performance.now() < end; ) await pause(10);
  const start = performance.now();
  controller.abort();
  const isSettled = await Promise.race([run, pause(PATIENCE_MS, false, { ref: false })]);
  const settled = performance.now() - start;
  const left = await rest(mark, CLEAN_UP_MS);
  const dead = performance.now() - start;
  if (!isSettled) faults.push({ kind: "unsettled", amount: PATIENCE_MS });
  if (left.length > 0) faults.push({ kind: "alive", amount: left.length });
  signalAll(left, "SIGKILL");
  rmSync(standing, { force: true });
  const isAtRest = await Promise.race([run, pause(LAST_WAIT_MS, false, { ref: false })]);
  if (isAtRest && !(await isUsable(runner))) faults.push({ kind: "unusable", amount: 1 });
  const samples = { settled: [settled], ...(left.length === 0 ? { dead: [dead] } : {}) };
  return { samples, faults, isSpent: !isAtRest };
}

async function isUsable(runner: Runner): Promise<boolean> {
  const next = runner.run("echo hi", { take: () => undefined }).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
  return Promise.race([next, pause(PATIENCE_MS, false, { ref: false })]);
}
