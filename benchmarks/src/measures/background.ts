/** A background child that holds the pipe: how long `sleep 5 & echo done` takes to settle, in milliseconds. */
import type { Runner } from "../contender.ts";
import type { Measured } from "../measured.ts";
import type { Workload } from "../workload.ts";
import { processesWith, signalAll } from "./processes.ts";
import { Reception } from "./reception.ts";

/** Runs it once. A child that lives on is counted in `alive`, which is right for a session, and then ended. */
export async function background(runner: Runner, { expected }: Workload): Promise<Measured> {
  const mark = `PI_BENCH_CHILD_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const reception = new Reception();
  const start = performance.now();
  const ended = await runner.run(`${mark}=1 /bin/sleep 5 & echo done`, { take: (text) => void reception.take(text) });
  const settled = performance.now() - start;
  const left = processesWith(mark);
  // Not SIGKILL: bash announces a child that it ended, in the output of the next command.
  signalAll(left, "SIGTERM");
  return { samples: { settled: [settled], alive: [left.length] }, faults: reception.faults(expected, ended) };
}
