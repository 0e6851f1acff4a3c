/** Stopping: from the abort to the settled promise, in milliseconds, and what is still alive a second later. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "../contender.ts";
import { type Figures, figuresOf } from "../figures.ts";

/** A tree of three levels: one ignores SIGTERM, one has a session of its own. */
const TREE = "(trap '' TERM; sleep 300) & setsid sleep 300 & sleep 300 | cat";

/** Time until the tree stands. */
const START_MS = 200;

/** Time that a contender gets to clean up before its survivors are counted. */
const CLEAN_UP_MS = 1_000;

/** Longest wait for a promise that should have settled. */
const PATIENCE_MS = 8_000;

function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false; // it is gone, or another user's
      }
    });
}

/** Aborts the tree with every contender, `rounds` times. Survivors are counted as wrong, and killed. */
export async function stop(contenders: readonly Contender[], rounds: number): Promise<Figures[]> {
  const samples = new Map<string, number[]>();
  const wrong = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const mark = `PI_BENCH_${process.pid}_${round}`;
      const controller = new AbortController();
      const run = contender.run(`export ${mark}=1; ${TREE}`, { signal: controller.signal });
      await sleep(START_MS);
      const start = process.hrtime.bigint();
      controller.abort();
      await Promise.race([run.catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })]);
      const millis = Number(process.hrtime.bigint() - start) / 1e6;
      samples.set(contender.name, [...(samples.get(contender.name) ?? []), millis]);
      await sleep(CLEAN_UP_MS);
      const left = processesWith(mark);
      if (left.length > 0) wrong.add(contender.name);
      for (const pid of left) process.kill(pid, "SIGKILL");
      await run.catch(() => undefined);
    }
  }
  return contenders.map(({ name }) => figuresOf(name, samples.get(name) ?? [], !wrong.has(name)));
}
