/** Streaming: processor time of the host per MiB of output, in milliseconds, and the event loop's delay meanwhile. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Contender } from "../contender.ts";
import { type Figures, figuresOf } from "../figures.ts";

const BYTES_PER_MIB = 1024 * 1024;

/** A command, what it prints, and the most that the event loop was late. */
export interface StreamResult {
  readonly cpu: Figures[];
  readonly wall: Figures[];
  readonly delay: Figures[];
}

/** Streams `command`'s output through every contender, `rounds` times. */
export async function stream(
  contenders: readonly Contender[],
  command: string,
  bytes: number,
  rounds: number,
): Promise<StreamResult> {
  const series = new Map<string, { cpu: number[]; wall: number[]; delay: number[]; correct: boolean }>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const mine = series.get(contender.name) ?? { cpu: [], wall: [], delay: [], correct: true };
      series.set(contender.name, mine);
      const loop = monitorEventLoopDelay({ resolution: 1 });
      loop.enable();
      const before = process.cpuUsage();
      const start = process.hrtime.bigint();
      const delivered = await contender.run(command);
      const wall = Number(process.hrtime.bigint() - start) / 1e6;
      const used = process.cpuUsage(before);
      loop.disable();
      const mib = bytes / BYTES_PER_MIB;
      mine.cpu.push((used.user + used.system) / 1000 / mib);
      mine.wall.push(wall / mib);
      mine.delay.push(loop.max / 1e6);
      mine.correct &&= delivered.bytes === bytes && delivered.exitCode === 0;
    }
  }
  const pick = (key: "cpu" | "wall" | "delay"): Figures[] =>
    [...series].map(([name, mine]) => figuresOf(name, mine[key], mine.correct));
  return { cpu: pick("cpu"), wall: pick("wall"), delay: pick("delay") };
}
