/**
 * Links that are cut at random moments and come back (`onCut: { keepMs }`): each byte of each run arrives once, each call ends as
 * it would have without the cuts, sessions keep their state, and after the close nothing is left over there.
 *
 * Lanes run commands, one session each, while links are cut in three ways: this side closes it, the program that carries the link
 * is killed, or the one that carries bytes over there is. Some cuts meet a link that is just coming back.
 */
import { randomInt } from "node:crypto";
import { type OpenedPlace, PlaceError, type RemotePlace } from "@pi-bash/places";
import { expect } from "vitest";
import { pause, until, within } from "../support/patience.ts";
import { childrenOf, type PlaceKind, processesWith, programOf, startPlaces } from "../support/places.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { newTag, type Tag } from "../support/tag.ts";

const WAYS = ["close it", "kill the transport", "kill the carrier"] as const;
/** Sessions that have commands at the same time. */
const LANES = 3;
/** Longest times from a link that stands to its cut, and from a cut to one that meets the link coming back, in milliseconds. */
const LATEST_MS = 120;
const MEETING_MS = 400;
/** Part of the cuts that meet a link which is coming back. */
const MEETING_SHARE = 0.2;
/** A call may meet several cuts, and each try to come back may take its time on a busy machine, in milliseconds. */
const CALL_MS = 60_000;
/** Runs of a session before it is closed and another one is opened. */
const RUNS_OF_SESSION = 12;

/** What a soak did. */
export interface KeptCuts {
  readonly cuts: number;
  readonly runs: number;
  readonly bytes: number;
  /** Runs whose results say that the link was away. */
  readonly awayRuns: number;
  readonly seconds: number;
}

/** Cuts the link to a place of `kind` `count` times while commands run there. */
export async function soakKeptCuts(kind: PlaceKind, count: number, seed: number): Promise<KeptCuts> {
  const random = seededRandom(seed);
  const places = await startPlaces(kind);
  const tag = newTag();
  const begin = performance.now();
  // It stands in the command line of what is kept over there, and of nothing else on this machine.
  const keepMs = 300_000 + randomInt(100_000);
  const done = { runs: 0, bytes: 0, awayRuns: 0 };
  try {
    await using place = places.make({ onCut: { keepMs } });
    const opened = await within("the first connection", place.open(), CALL_MS);
    const stop = new AbortController();
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      runLane(opened, { tag, random: seededRandom(seed + lane + 1), signal: stop.signal, done }),
    );
    const all = Promise.all(lanes);
    const cutting = cutOften(place, opened, { count, random, keepMs });
    // A lane that fails ends the cuts, too.
    await Promise.race([cutting, all.then(() => cutting)]);
    stop.abort();
    await within("the lanes", all, CALL_MS);
    expect((await place.open()).facts.instance).toBe(opened.facts.instance);
    await within("the close", place.close(), CALL_MS);
    const kept = (): number[] => processesWith(`\0--keep-ms\0${keepMs}`);
    await until("what was kept to end", () => kept().length === 0);
  } finally {
    await places.stop();
  }
  await tag.gone();
  return { cuts: count, ...done, seconds: Math.round((performance.now() - begin) / 1_000) };
}

interface Cutting {
  readonly count: number;
  readonly random: Random;
  readonly keepMs: number;
}

async function cutOften(place: RemotePlace, opened: OpenedPlace, { count, random, keepMs }: Cutting): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    if (at > 0 && random() < MEETING_SHARE) await pause(random() * MEETING_MS);
    else {
      await within(`the link before cut ${at}`, opened.files.stat("/"), CALL_MS);
      await pause(random() * LATEST_MS);
    }
    const way = pick(WAYS, random);
    if (way === "close it") await place.cut();
    else for (const pid of way === "kill the transport" ? transports() : carriers(opened, keepMs)) killIfThere(pid);
  }
}

function transports(): number[] {
  return childrenOf().filter((pid) => /^(?:ssh|podman|pi-host.*|env)$/.test(programOf(pid)));
}

/** What carries bytes between the link and the engine; the engine itself has other words. */
function carriers({ facts }: OpenedPlace, keepMs: number): number[] {
  return [...processesWith(`\0attach\0${facts.instance}`), ...processesWith(`\0stdio\0--keep-ms\0${keepMs}`)];
}

interface LaneOptions {
  readonly tag: Tag;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly done: { runs: number; bytes: number; awayRuns: number };
}

/** A command and all that it prints; `{n}` is the number of the run in its session. */
interface Kind {
  command(n: number): string;
  text(n: number): string;
}

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `${line(n + 1)}\n`).join("");

/** What a window keeps of a text while the link is away is 256 KiB: these print less. */
const KINDS: readonly Kind[] = [
  { command: () => "true", text: () => "" },
  { command: (n) => `echo done ${n}`, text: (n) => `done ${n}\n` },
  {
    command: () => 'for i in {1..40}; do echo "$i é€😀"; sleep 0.01; done',
    text: () => lines(40, (i) => `${i} é€😀`),
  },
  { command: () => "seq 30000", text: () => lines(30_000, String) },
  {
    command: () => "for i in {1..4}; do seq 5000; sleep 0.1; done",
    text: () => lines(5_000, String).repeat(4),
  },
  { command: (n) => `sleep 0.2; printf %s ${n}`, text: (n) => `${n}` },
];

async function runLane(opened: OpenedPlace, options: LaneOptions): Promise<void> {
  const { tag, signal } = options;
  while (!signal.aborted) {
    const shell = new opened.natives.Shell({ sessionEnv: tag.env });
    for (let n = 1, stands = true; stands && n <= RUNS_OF_SESSION && !signal.aborted; n += 1) {
      stands = await runOnce(shell, n, options);
    }
    await within("the close of a session", shell.close(), CALL_MS);
  }
}

/** False: the session went with a cancelled call. */
async function runOnce(
  shell: InstanceType<OpenedPlace["natives"]["Shell"]>,
  n: number,
  { random, done }: LaneOptions,
): Promise<boolean> {
  if (random() < 0.15) return stopOnce(shell, random);
  const { command, text } = pick(KINDS, random);
  // The count is kept by the session: a run that was begun twice, or a lost session, shows in it.
  const named = `run ${n}: ${command(n)}`;
  let live = "";
  const run = shell.run({ command: `${command(n)}; echo "[$((runs+=1))]"`, sink: {} }, (_, piece) => {
    live += piece;
  });
  const result = await within(named, run, CALL_MS);
  const expected = `${text(n)}[${shellRuns(shell)}]\n`;
  expect({ ...result, output: undefined }, named).toMatchObject({ exitCode: 0, sessionReset: false });
  if (live !== expected) throw new Error(`${named}: ${difference(live, expected)}`);
  expect(result.output?.totalBytes, named).toBe(Buffer.byteLength(expected));
  done.runs += 1;
  done.bytes += Buffer.byteLength(live);
  if (result.placeNotice !== undefined) done.awayRuns += 1;
  return true;
}

/** Counted runs of a session, by this side. */
const counts = new WeakMap<object, number>();

function shellRuns(shell: object): number {
  const count = (counts.get(shell) ?? 0) + 1;
  counts.set(shell, count);
  return count;
}

/**
 * A command that is cancelled at a random moment ends as cancelled, and its session goes on. On a machine that is so busy that the
 * link is not back within the time of a cancel, the call says so and its session ends: then this is false.
 */
async function stopOnce(shell: InstanceType<OpenedPlace["natives"]["Shell"]>, random: Random): Promise<boolean> {
  const stop = new AbortController();
  const run = shell.run({ command: "sleep 300", signal: stop.signal });
  await pause(random() * LATEST_MS * 2);
  stop.abort();
  const ended = await within(
    "a cancelled run",
    run.catch((error: unknown) => error),
    CALL_MS,
  );
  if (ended instanceof PlaceError) {
    expect(ended).toMatchObject({ code: "PI_PLACE_LOST", message: expect.stringContaining("is not connected") });
    return false;
  }
  expect(ended).toMatchObject({ cancelled: true, timedOut: false });
  return true;
}

function difference(found: string, expected: string): string {
  let at = 0;
  while (at < expected.length && found[at] === expected[at]) at += 1;
  const shown = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 20), at + 20));
  return `${found.length} of ${expected.length} characters, another from ${at} on: ${shown(found)}, not ${shown(expected)}`;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
