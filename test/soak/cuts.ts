/**
 * Links that are cut at random moments: whatever ran, each call settles in time and says the truth, and nothing is left over
 * there.
 *
 * A link is cut in three ways: this side closes it, the program that carries it is killed, or `pi-host` is.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { type OpenedPlace, PlaceError, type RemotePlace } from "@pi-bash/places";
import { expect } from "vitest";
import { pause, until, within } from "../support/patience.ts";
import { childrenOf, type PlaceKind, processesWith, programOf, startPlaces } from "../support/places.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { newTag, type Tag } from "../support/tag.ts";
import { ENDLESS } from "./aborts.ts";

/** Commands that end by themselves, some before the cut and some not; each with what it prints when it was let end. */
const ENDING: readonly (readonly [command: string, text: string])[] = [
  ["echo done", "done\n"],
  ["sleep 0.02; echo done", "done\n"],
  ["sleep 0.1; echo done", "done\n"],
  ["seq 20000 | tail -n 1", "20000\n"],
  ["for i in 1 2 3; do sleep 0.02; done; echo done", "done\n"],
];

/** Status of a command whose program is not there: a container has few. */
const NOT_FOUND = 127;

const WAYS = ["close it", "kill the transport", "kill pi-host"] as const;

/** Longest time from a call to the cut, in milliseconds. */
const LATEST_MS = 150;

/** Cuts the link to a place of `kind` `count` times; the same `seed` chooses the same commands, ways and moments. */
export async function soakCuts(kind: PlaceKind, count: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const places = await startPlaces(kind);
  const tag = newTag();
  try {
    await using place = places.make();
    for (let round = 0; round < count; round += 1) await cutOnce(place, tag, random);
    // The place is of use afterwards.
    const { natives } = await within("the last connection", place.open());
    const last = await within("the last command", natives.executeShell({ command: "echo ok", sink: {} }));
    expect(last.output?.text).toBe("ok\n");
  } finally {
    await places.stop();
  }
  await tag.gone();
}

async function cutOnce(place: RemotePlace, tag: Tag, random: Random): Promise<void> {
  const isEnding = random() < 0.4;
  const [command, text] = isEnding ? pick(ENDING, random) : [pick(ENDLESS, random), undefined];
  const way = pick(WAYS, random);
  const afterMs = random() * LATEST_MS;
  const named = `\`${command}\`, ${way} after ${afterMs.toFixed(1)} ms`;

  const opened = await within(`a connection before ${named}`, place.open());
  const shell = new opened.natives.Shell({ sessionEnv: tag.env });
  const run = shell.run({ command, sink: {} }).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  await pause(afterMs);
  await cut(place, opened, way);
  const { result, error } = await within(named, run);

  if (error !== undefined) {
    expect(error, named).toBeInstanceOf(PlaceError);
    expect(error, named).toMatchObject({ code: expect.stringMatching(/^PI_PLACE_(?:LOST|UNREACHABLE)$/) });
  } else if (text !== undefined && result?.cancelled === false) {
    // It ended before the cut, or its end was on the way: then it is whole.
    expect(result, named).toMatchObject({ exitCode: 0, output: { text } });
  } else if (result?.exitCode !== NOT_FOUND) {
    expect(result?.cancelled, named).toBe(true);
  }
  await within(`the close after ${named}`, shell.close());
  const left = (): string =>
    tag
      .survivors()
      .map((pid) => `${pid} ${programOf(pid)}`)
      .join(", ");
  await until(`nothing to be left of ${named}`, () => left() === "").catch((error: unknown) => {
    throw new Error(`${String(error)}: ${left()}`);
  });
}

async function cut(place: RemotePlace, { facts }: OpenedPlace, way: (typeof WAYS)[number]): Promise<void> {
  if (way === "close it") return place.cut();
  // All labs are on this machine, so that its process list has both ends.
  const victims = way === "kill the transport" ? childrenOf().filter(isTransport) : hostsIn(facts.folder);
  for (const pid of victims) killIfThere(pid);
}

/**
 * The program that carries a link, a child of this process; for a place without any, the one that became `pi-host`. Its
 * supervisor has the same file: who kills both at once leaves programs alive, here as on this machine.
 */
function isTransport(pid: number): boolean {
  return /^(?:ssh|podman|srun|pi-host.*|env)$/.test(programOf(pid));
}

/** Processes of `pi-host` that have the instance's folder open, as they do while they live. Its name is random. */
export function hostsIn(folder: string): number[] {
  return processesWith("\0stdio").filter((pid) => opens(pid, basename(folder)));
}

function opens(pid: number, name: string): boolean {
  try {
    const links = readdirSync(`/proc/${pid}/fd`);
    return links.some((each) => readlinkSync(`/proc/${pid}/fd/${each}`).includes(name));
  } catch {
    return false; // It ended meanwhile.
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
