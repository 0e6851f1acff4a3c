/**
 * `npm run bench -- --places`: places beside their bare transports, in one run. Labs of this machine are the far side, so that
 * the network costs nothing and what is seen is the transport's and ours.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Shell } from "@pi-bash/natives";
import { command, container, type RemotePlace, slurm, ssh } from "@pi-bash/places";
import { type Figures, figuresOf } from "../figures.ts";
import { openBare, rateOf, type Way } from "./bare.ts";
import { farSinkOf, flood, liveRateOf, makeFile, manySessionsOf, openSession, removeFile } from "./ours.ts";

/** Sizes and aims; those of the figures are in docs/performance.md. */
const PINGS = 2_000;
const LIVE_MIB = 256;
const MIN_LIVE_ROUNDS = 3;
const MAX_LIVE_ROUNDS = 12;
const LIVE_BUDGET_MS = 15_000;
const SINK_BYTES = 1024 ** 3;
const SINK_ROUNDS = 4;
const SESSIONS = 200;
const MAX_ADDED_MS = 0.2;
const MAX_SLURM_P99_MS = 5;
const MAX_LINK_BYTES = 1024 ** 2;
const MAX_BINARY_BYTES = 3_000_000;
const RATE_SHARES: Readonly<Record<string, number>> = { ssh: 0.7, podman: 0.8, slurm: 0.8 };

const aims: string[] = [];

/** Measures all places that this machine can have, or those of `names`. */
export async function benchPlaces(names: readonly string[], isQuick: boolean): Promise<void> {
  const hostBinary = fileURLToPath(
    new URL(`../../../packages/places/bin/pi-host-linux-${process.arch}`, import.meta.url),
  );
  if (!existsSync(hostBinary)) throw new Error("there is no pi-host; run `npm run build:host`");
  const size = statSync(hostBinary).size;
  aim(`the binary has at most ${MAX_BINARY_BYTES} bytes`, size <= MAX_BINARY_BYTES, `${size}`);
  const wants = (name: string): boolean => names.length === 0 || names.includes(name);
  print(HEAD);
  if (wants("pipe")) {
    const way: Way = { argv: [], env: process.env };
    await benchPlace("pipe", command([hostBinary, "stdio"], { isWhole: true, name: "pipe" }), way, isQuick);
  }
  for (const name of ["ssh", "podman", "slurm"] as const) {
    if (wants(name)) await benchLab(name, hostBinary, isQuick);
  }
  if (wants("sink")) await benchSink(hostBinary, isQuick);
  print(["", "aims", ...aims]);
}

async function benchLab(name: "ssh" | "podman" | "slurm", hostBinary: string, isQuick: boolean): Promise<void> {
  const labs = (await import(new URL("../../../scripts/lab/lab.mjs", import.meta.url).href)) as LabModule;
  const labName = name === "ssh" ? "sshd" : name;
  const absence = labs.absenceOfLab(labName);
  if (absence !== undefined) return print([`${name} is left out: ${absence}`]);
  const lab = await labs.startLab(labName);
  try {
    const common = { hostBinary, env: lab.env };
    const places: Record<typeof name, () => RemotePlace> = {
      ssh: () => ssh("lab", { ...common, configFile: lab.variables["LAB_SSH_CONFIG"] ?? "" }),
      podman: () =>
        container({ ...common, runtime: "podman", name: "lab", program: lab.variables["LAB_POD"]?.split(" ") ?? [] }),
      slurm: () => slurm(common),
    };
    await benchPlace(name, places[name](), lab, isQuick);
  } finally {
    await lab.stop();
  }
}

/** What `scripts/lab/lab.mjs` has; it is not a part of what is compiled here. */
interface LabModule {
  absenceOfLab(name: string): string | undefined;
  startLab(
    name: string,
  ): Promise<Way & { variables: Record<string, string>; env: Record<string, string>; stop(): Promise<void> }>;
}

async function benchPlace(name: string, given: RemotePlace, way: Way, isQuick: boolean): Promise<void> {
  await using place = given;
  const pings = isQuick ? PINGS / 4 : PINGS;
  const connected = performance.now();
  const opened = await place.open();
  print([`${name}: ${(performance.now() - connected).toFixed(0)} ms until it was connected`]);
  const samples = { bare: [] as number[], ours: [] as number[] };
  {
    await using cat = await openBare(way);
    await using shell = await openSession(opened);
    // By turns: another program's load, and a processor that slows down, then hit both.
    for (let round = 0; round < pings; round += 1) {
      samples.bare.push(await cat.roundTrip());
      samples.ours.push(await shell.roundTrip());
    }
  }
  const [bare, ours] = [figuresOf(samples.bare), figuresOf(samples.ours)];
  if (bare === undefined || ours === undefined) throw new Error("there are no samples");
  print([row(name, "round trip, bare, ms", bare), row(name, "`:` in a session, ms", ours)]);
  const added = ours.p50 - bare.p50;
  aim(`${name}: a round trip adds at most ${MAX_ADDED_MS} ms`, added <= MAX_ADDED_MS, `${added.toFixed(3)} ms at p50`);
  if (name === "slurm")
    aim(`slurm: p99 under ${MAX_SLURM_P99_MS} ms`, ours.p99 < MAX_SLURM_P99_MS, ours.p99.toFixed(2));
  const file = await makeFile(opened, (isQuick ? LIVE_MIB / 4 : LIVE_MIB) * 1024 ** 2);
  const rates = { bare: 0, ours: 0 };
  const started = performance.now();
  // By turns, and the best of each: another program's load then hits both. Four programs share the processors behind `podman`,
  // so one round says little; the slow link of `srun` has fewer.
  for (let round = 0; round < MAX_LIVE_ROUNDS; round += 1) {
    if (round >= MIN_LIVE_ROUNDS && performance.now() - started > LIVE_BUDGET_MS) break;
    rates.bare = Math.max(rates.bare, await rateOf(way, file));
    rates.ours = Math.max(rates.ours, await liveRateOf(opened, file));
  }
  await removeFile(opened, file);
  const share = rates.ours / rates.bare;
  print([
    `${name}: live text ${rates.ours.toFixed(0)} MiB/s, bare ${rates.bare.toFixed(0)} MiB/s, ratio ${share.toFixed(2)}`,
  ]);
  const wanted = RATE_SHARES[name];
  if (wanted !== undefined) aim(`${name}: live text at ${wanted} of bare`, share >= wanted, share.toFixed(2));
  // The container may open 1,024 files. A session has five, and about as many more while it is opened.
  const most = name === "podman" ? SESSIONS * 0.4 : SESSIONS;
  const count = isQuick ? most / 4 : most;
  const many = await manySessionsOf(opened, count);
  print([
    `${name}: ${count} sessions over one link in ${many.seconds.toFixed(2)} s, pi-host had ${(many.hostKib / 1024).toFixed(1)} MiB`,
  ]);
}

async function benchSink(hostBinary: string, isQuick: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pi-bash-bench-"));
  const bytes = isQuick ? SINK_BYTES / 8 : SINK_BYTES;
  try {
    let near = Number.POSITIVE_INFINITY;
    let far = { seconds: Number.POSITIVE_INFINITY, linkBytes: 0 };
    // By turns, and the best of each.
    for (let round = 0; round < SINK_ROUNDS; round += 1) {
      near = Math.min(near, await nearSinkOf(folder, bytes));
      const one = await farSinkOf(hostBinary, folder, bytes);
      far = { seconds: Math.min(far.seconds, one.seconds), linkBytes: Math.max(far.linkBytes, one.linkBytes) };
    }
    const share = far.seconds / near;
    print([
      `far sink: ${bytes} bytes in ${far.seconds.toFixed(2)} s, here in ${near.toFixed(2)} s; ${far.linkBytes} bytes crossed the link`,
    ]);
    aim(
      `a large output costs the link under ${MAX_LINK_BYTES} bytes`,
      far.linkBytes < MAX_LINK_BYTES,
      `${far.linkBytes}`,
    );
    aim("a large output takes as long there as here (within a tenth)", share <= 1.1, share.toFixed(2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds of the same command with the sink here. */
async function nearSinkOf(folder: string, bytes: number): Promise<number> {
  const shell = new Shell();
  await shell.run({ command: ":" });
  const started = performance.now();
  await shell.run({
    command: flood(bytes),
    sink: { spillPath: join(folder, "near-spill"), onUpdate: () => undefined },
  });
  const seconds = (performance.now() - started) / 1_000;
  await shell.close();
  // As with the far one: a file that is written again needs no new memory, and one that is left takes the next one's.
  rmSync(join(folder, "near-spill"), { force: true });
  return seconds;
}

const HEAD = ["places beside their bare transports", ""];

function row(name: string, what: string, { best, p50, p90, p99 }: Figures): string {
  const numbers = [best, p50, p90, p99].map((value) => value.toFixed(3).padStart(8)).join(" ");
  return `${`${name}: ${what}`.padEnd(36)} best, p50, p90, p99 ${numbers}`;
}

function aim(text: string, isMet: boolean, measured: string): void {
  aims.push(`${isMet ? "met   " : "missed"}  ${text}  (${measured})`);
}

function print(added: readonly string[]): void {
  process.stdout.write(`${added.join("\n")}\n`);
}
