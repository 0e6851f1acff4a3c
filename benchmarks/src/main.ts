/**
 * The benchmark's command line: which scenarios run, with how many rounds, and where the figures go.
 *
 *   node benchmarks/dist/main.js [--quick] [--json FILE] [SCENARIO…]
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { oursOneShot, oursWithChunks, oursWithSink } from "./adapters/ours.ts";
import { childProcess, execaPeer } from "./adapters/peers.ts";
import type { Contender } from "./contender.ts";
import { type Figures, tableOf } from "./figures.ts";
import { latency } from "./scenarios/latency.ts";
import { memory } from "./scenarios/memory.ts";
import { stop } from "./scenarios/stop.ts";
import { stream } from "./scenarios/stream.ts";

/** Figures by title and unit. */
interface Section {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly Figures[];
}

const MIB = 1024 * 1024;

/** 80-column lines; `yes` writes them as fast as a pipe takes them. */
function lines(bytes: number): string {
  return `yes ${"x".repeat(79)} | head -c ${bytes}`;
}

function scenarios(everyone: readonly Contender[], quick: boolean): Record<string, () => Promise<Section[]>> {
  const rounds = quick ? 50 : 500;
  const [chunks, sink] = everyone;
  const streaming = async (title: string, command: string, bytes: number): Promise<Section[]> => {
    const result = await stream(everyone, command, bytes, quick ? 3 : 5);
    return [
      { title: `${title}: host processor time`, unit: "ms/MiB", rows: result.cpu },
      { title: `${title}: wall time`, unit: "ms/MiB", rows: result.wall },
      { title: `${title}: longest event-loop delay`, unit: "ms", rows: result.delay },
    ];
  };
  return {
    builtin: async () => [
      { title: "builtin", unit: "us", rows: await latency(everyone, { command: "echo hi", bytes: 3 }, rounds) },
    ],
    external: async () => [
      { title: "external", unit: "us", rows: await latency(everyone, { command: "/bin/echo hi", bytes: 3 }, rounds) },
    ],
    session: async () => {
      // Alone: with others in turn, caches are cold and forks of the host disturb.
      const own = [chunks, sink].filter((one) => one !== undefined);
      const rows = await latency(own, { command: "echo hi", bytes: 3 }, rounds * 4);
      return [{ title: "builtin, sessions alone", unit: "us", rows }];
    },
    stream: () => streaming("80-column lines", lines((quick ? 32 : 256) * MIB), (quick ? 32 : 256) * MIB),
    multibyte: () => {
      const line = "é€漢字".repeat(10);
      const bytes = (quick ? 8 : 64) * (Buffer.byteLength(line) + 1) * 10_000;
      return streaming("multibyte", `yes ${line} | head -n ${(quick ? 8 : 64) * 10_000}`, bytes);
    },
    stop: async () => [{ title: "stop a tree", unit: "ms", rows: await stop(everyone, quick ? 2 : 5) }],
    memory: async () => {
      const rows = await memory(everyone, (quick ? 128 : 1024) * MIB, 64);
      return [{ title: "memory growth, slow consumer", unit: "MiB", rows }];
    },
  };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
  });
  const execa = await execaPeer();
  const everyone = [oursWithChunks(), oursWithSink(), oursOneShot(), childProcess(), ...(execa ? [execa] : [])];
  if (execa === undefined) process.stdout.write("execa is not installed: left out\n");
  const all = scenarios(everyone, values.quick);
  const sections: Section[] = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(all)) {
    const scenario = all[name];
    if (scenario === undefined) throw new RangeError(`no scenario ${name}; there are ${Object.keys(all).join(", ")}`);
    for (const section of await scenario()) {
      sections.push(section);
      process.stdout.write(`\n${section.title}\n${tableOf(section.unit, section.rows).join("\n")}\n`);
    }
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(sections, undefined, 2)}\n`);
  await Promise.all(everyone.map((contender) => contender.close()));
}

await main();
