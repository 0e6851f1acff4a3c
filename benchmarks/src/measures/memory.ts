/** Memory: how much the host grows, in MiB, while a consumer that blocks the thread is given a lot. */
import type { Runner } from "../contender.ts";
import type { Measured } from "../measured.ts";
import type { Workload } from "../workload.ts";
import { peakMib, resetPeak } from "./processes.ts";
import { Reception } from "./reception.ts";

const BYTES_PER_MIB = 1024 * 1024;

/** How long the first piece blocks the thread: a queue without a bound fills meanwhile. */
const FIRST_BLOCK_MS = 1_000;

/** How long and how often a piece blocks it later. */
const BLOCK_MS = 5;
const BLOCK_EVERY = 32;

/** Streams the workload to the consumer. The host should be fresh. */
export async function memory(runner: Runner, { command, expected }: Workload): Promise<Measured> {
  await runner.run("echo hi", { take: () => undefined });
  resetPeak();
  const base = process.memoryUsage.rss() / BYTES_PER_MIB;
  const reception = new Reception();
  let pieces = 0;
  const ended = await runner.run(command, {
    take: (text) => {
      if (pieces === 0) block(FIRST_BLOCK_MS);
      else if (pieces % BLOCK_EVERY === 0) block(BLOCK_MS);
      pieces += 1;
      reception.take(text);
      return undefined;
    },
  });
  const grown = Math.max(0, peakMib() - base);
  return { samples: { grown: [grown] }, faults: reception.faults(expected, ended) };
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
