/**
 * Very many sessions over one connection: each keeps its state and answers, and what this process has of them is one program
 * with three streams.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { type PlaceKind, startPlaces } from "../support/places.ts";
import { hostsIn } from "./cuts.ts";
import { inLanes } from "./lanes.ts";
import { backAt, settledCount } from "./process-count.ts";

/** Sessions that are opened at one time. */
const LANES = 32;
/** Descriptors that the connection may cost this process: three streams, and what the event loop keeps for them. */
const MOST_DESCRIPTORS = 16;

/** What it took. */
export interface SessionFigures {
  readonly sessions: number;
  /** From the first to the last that had answered, in milliseconds. */
  readonly openMs: number;
  /** One command in each, in milliseconds. */
  readonly commandsMs: number;
  /** What this process has more than before: descriptors, and MiB of memory. */
  readonly nearDescriptors: number;
  readonly nearMib: number;
  /** What `pi-host` has. */
  readonly farDescriptors: number;
  readonly farMib: number;
}

/** Opens `count` sessions over one connection to a place of `kind`, and uses each. */
export async function soakPlaceSessions(kind: PlaceKind, count: number): Promise<SessionFigures> {
  const places = await startPlaces(kind);
  try {
    const before = await settledCount();
    const place = places.make();
    const { natives, facts } = await place.open();
    const shells = Array.from({ length: count }, () => new natives.Shell());
    const openMs = await timed(async () => {
      await inLanes(count, LANES, async (index) => void (await shells[index]?.run({ command: `X=${index}` })));
    });
    const commandsMs = await timed(async () => {
      await inLanes(count, LANES, async (index) => {
        const result = await shells[index]?.run({ command: "echo $X", sink: {} });
        expect(result).toMatchObject({ exitCode: 0, output: { text: `${index}\n` } });
      });
    });
    const now = await settledCount();
    const [host] = hostsIn(facts.folder);
    const figures = {
      sessions: count,
      openMs: Math.round(openMs),
      commandsMs: Math.round(commandsMs),
      nearDescriptors: now.descriptors - before.descriptors,
      nearMib: Math.round((now.residentBytes - before.residentBytes) / 2 ** 20),
      farDescriptors: readdirSync(`/proc/${host}/fd`).length,
      farMib: residentMib(host ?? 0),
    };
    process.stdout.write(`${kind}: ${JSON.stringify(figures)}\n`);
    expect(figures.nearDescriptors).toBeLessThan(MOST_DESCRIPTORS);
    await Promise.all(shells.map((shell) => shell.close()));
    await place.close();
    await backAt(before);
    return figures;
  } finally {
    await places.stop();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function residentMib(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);
}
