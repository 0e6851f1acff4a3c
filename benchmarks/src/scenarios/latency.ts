/** Latency: how long one small command takes, from the call to its settled promise. Microseconds. */
import type { Contender } from "../contender.ts";
import { type Figures, figuresOf } from "../figures.ts";

/** A command and what it prints. */
export interface LatencyCase {
  readonly command: string;
  readonly bytes: number;
}

/** Every contender in turn, `rounds` times, so that noise meets all of them. */
export async function latency(
  contenders: readonly Contender[],
  { command, bytes }: LatencyCase,
  rounds: number,
): Promise<Figures[]> {
  const samples = new Map<string, number[]>();
  const wrong = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const start = process.hrtime.bigint();
      const delivered = await contender.run(command);
      const micros = Number(process.hrtime.bigint() - start) / 1000;
      if (delivered.bytes !== bytes || delivered.exitCode !== 0) wrong.add(contender.name);
      const mine = samples.get(contender.name) ?? [];
      mine.push(micros);
      samples.set(contender.name, mine);
    }
  }
  return contenders.map(({ name }) => figuresOf(name, samples.get(name) ?? [], !wrong.has(name)));
}
