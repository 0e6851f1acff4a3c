/**
 * What the console costs a person: a key after three hundred finished calls, and keys while a gigabyte streams.
 *
 *   node benchmarks/dist/console/main.js [--quick]
 *
 * It drives the real program on a terminal and reads its processor time, so that the figures hold on a machine that does
 * other work, too. Exits with 1 where an aim is missed. Linux only: the times are those of `/proc`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Person } from "./person.ts";

const CALLS = 300;
const QUICK_CALLS = 20;
const OUTPUT_BYTES = 50 * 1024;
const KEYS = 60;
/** Time between two keys while something streams, in milliseconds: a quick typist's. */
const KEY_EVERY_MS = 150;
const LINE = `${"The quick brown fox jumps over the lazy dog. ".repeat(2).slice(0, 79)}\n`;
const FILE_BYTES = 8 * 1024 ** 2;
/** How often the file is written: a gigabyte. */
const COPIES = 128;
const QUICK_COPIES = 16;

/** What was measured, and what it may be. */
interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly aim: { readonly most: number } | { readonly least: number } | undefined;
}

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "pi-bash-bench-console-"));
try {
  const [calls, copies] = values.quick ? [QUICK_CALLS, QUICK_COPIES] : [CALLS, COPIES];
  const figures = [...(await afterManyCalls(calls)), ...(await whileStreaming(copies))];
  process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
  for (const figure of figures) process.stdout.write(`${lineOf(figure)}\n`);
  if (!figures.every(isMet)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A key after many finished calls: from the key to its drawing, and the processor time of one. */
async function afterManyCalls(calls: number): Promise<Figure[]> {
  writeFileSync(join(folder, "output"), LINE.repeat(Math.ceil(OUTPUT_BYTES / LINE.length)).slice(0, OUTPUT_BYTES));
  const person = new Person(folder);
  try {
    await person.begin();
    for (let call = 0; call < calls; call += 1) await person.does("cat output");
    const before = person.cpuMs();
    const waits: number[] = [];
    for (let key = 1; key <= KEYS; key += 1) {
      const typed = performance.now();
      const { at } = await person.sees(`› ${"k".repeat(key)}`, "k");
      waits.push(at - typed);
    }
    const cpu = (person.cpuMs() - before) / KEYS;
    return [
      { what: `a key after ${calls} calls of 50 KB, processor time`, value: cpu, unit: "ms", aim: { most: 5 } },
      { what: "from the key to its drawing, median", value: at(waits, 0.5), unit: "ms", aim: undefined },
      { what: "memory at most", value: person.peakMib(), unit: "MiB", aim: { most: 256 } },
    ];
  } finally {
    await person.leave();
  }
}

/** Drawings a second, and keys, while a person's command writes `copies` times 8 MiB. */
async function whileStreaming(copies: number): Promise<Figure[]> {
  writeFileSync(join(folder, "stream"), LINE.repeat(Math.floor(FILE_BYTES / LINE.length)));
  const person = new Person(folder);
  try {
    await person.begin();
    await person.does("!true");
    const memory = person.peakMib();
    const cpu = person.cpuMs();
    person.forget();
    const started = performance.now();
    let isOver = false;
    const ended = person.does(`!cat${" stream".repeat(copies)}`).then((frame) => {
      isOver = true;
      return frame;
    });
    const waits: number[] = [];
    for (let key = 1; !isOver; key += 1) {
      const typed = performance.now();
      const seen = await person.sees(`› ${"k".repeat(key)}`, "k");
      if (!isOver) waits.push(seen.at - typed);
      await new Promise((resolve) => setTimeout(resolve, KEY_EVERY_MS));
    }
    const seconds = ((await ended).at - started) / 1_000;
    const drawn = person.frames.filter((frame) => frame.text.includes("quick brown"));
    const perSecond = drawn.length / seconds;
    const mib = (copies * FILE_BYTES) / 1024 ** 2;
    return [
      { what: `${mib} MiB stream, drawings of its output a second`, value: perSecond, unit: "", aim: { least: 30 } },
      {
        what: "from a key to its drawing meanwhile, 95 of 100 under",
        value: at(waits, 0.95),
        unit: "ms",
        aim: { most: 50 },
      },
      { what: "memory on top, at most", value: person.peakMib() - memory, unit: "MiB", aim: { most: 64 } },
      { what: "processor time", value: (person.cpuMs() - cpu) / mib, unit: "ms/MiB", aim: undefined },
      { what: "duration", value: seconds, unit: "s", aim: undefined },
    ];
  } finally {
    await person.leave();
  }
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function isMet({ value, aim }: Figure): boolean {
  if (aim === undefined) return true;
  return "most" in aim ? value <= aim.most : value >= aim.least;
}

function lineOf(figure: Figure): string {
  const { what, value, unit, aim } = figure;
  const bound = aim === undefined ? "" : "most" in aim ? `, at most ${aim.most}` : `, at least ${aim.least}`;
  const verdict = aim === undefined ? "       " : isMet(figure) ? "met    " : "MISSED ";
  return `${verdict} ${what}: ${value.toFixed(2)} ${unit}${bound}`;
}
