/** Latency: from the call to the settled promise, in microseconds, of one command after another. */
import type { Runner } from "../contender.ts";
import type { Fault, Measured } from "../measured.ts";
import type { Workload } from "../workload.ts";
import { Reception } from "./reception.ts";

/** Runs the command `times` times, and goes on until `forMs` milliseconds have passed. */
export async function latency(runner: Runner, workload: Workload, times: number, forMs: number): Promise<Measured> {
  const micros: number[] = [];
  const faults: Fault[] = [];
  const begun = performance.now();
  for (let time = 0; time < times || performance.now() - begun < forMs; time += 1) {
    const reception = new Reception();
    const start = performance.now();
    const ended = await runner.run(workload.command, { take: (text) => void reception.take(text) });
    micros.push((ended.own?.wallMs ?? performance.now() - start) * 1000);
    faults.push(...reception.faults(workload.expected, ended));
  }
  return { samples: { micros }, faults };
}
