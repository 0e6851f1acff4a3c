/** Memory: how much the host grows, in MiB, while a consumer that is slow is given a lot. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "../contender.ts";
import { type Figures, figuresOf } from "../figures.ts";

const BYTES_PER_MIB = 1024 * 1024;

/** How often the size is looked at. */
const LOOK_MS = 5;

/** Streams `bytes` through each contender; the consumer takes a nap every `napEvery` pieces. */
export async function memory(contenders: readonly Contender[], bytes: number, napEvery: number): Promise<Figures[]> {
  const rows: Figures[] = [];
  for (const contender of contenders) {
    const before = process.memoryUsage.rss();
    let peak = before;
    const look = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, LOOK_MS);
    let pieces = 0;
    const consume = (): Promise<void> | undefined => {
      pieces += 1;
      return pieces % napEvery === 0 ? sleep(1) : undefined;
    };
    const delivered = await contender.run(`head -c ${bytes} /dev/zero | tr '\\0' x`, { consume });
    clearInterval(look);
    const grown = (Math.max(peak, process.memoryUsage.rss()) - before) / BYTES_PER_MIB;
    rows.push(figuresOf(contender.name, [grown], delivered.bytes === bytes));
  }
  return rows;
}
