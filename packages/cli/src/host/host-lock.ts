/**
 * At most one host in a folder, without a lock of the system's that Node could take.
 *
 * # Theory of operation
 * `host.lock.N` names the process that holds the folder; the highest number counts. Whoever finds the process of the
 * highest gone makes the next one, by a hard link, which one process alone can make. Numbers only grow, since the highest
 * file stays when its host has ended: so a process that was held up between its look and its link finds either the name
 * taken, or a higher one beside its own, and has lost.
 */
import { link, lstat, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateFile, type HostMark, isProcessAlive, ownMark, randomName } from "@pi-bash/executor/internal";

const NAME = /^host\.lock\.(\d{1,15})$/;
/** Tries before the folder counts as busy: each lost one means that another host has begun. */
const MAX_TRIES = 100;
/** Most bytes of a lock file. */
const MAX_MARK_BYTES = 1_024;

/** What became of a try. */
export type LockOutcome = { readonly isHeld: true } | { readonly isHeld: false; readonly holder: number | undefined };

/** Takes the folder for as long as this process lives. */
export async function lockFolder(folder: string): Promise<LockOutcome> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const highest = Math.max(0, ...(await numbersIn(folder)));
    const holder = highest === 0 ? undefined : await markIn(folder, highest);
    if (holder !== undefined && isProcessAlive(holder)) return { isHeld: false, holder: holder.pid };
    if (await take(folder, highest + 1)) return { isHeld: true };
  }
  return { isHeld: false, holder: undefined };
}

/** Makes the file of a number; false: another process has it, or a higher one. */
async function take(folder: string, number: number): Promise<boolean> {
  const draft = join(folder, `host.draft.${randomName()}`);
  const file = await createPrivateFile(draft);
  try {
    // Whole before it has its name: a reader never sees half of it.
    await file.writeFile(JSON.stringify(ownMark()));
    await file.close();
    await link(draft, pathOf(folder, number));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await file.close();
    await unlink(draft);
  }
  const numbers = await numbersIn(folder);
  const isLost = numbers.some((other) => other > number);
  const stale = isLost ? [number] : numbers.filter((other) => other < number);
  await Promise.all(stale.map((other) => unlink(pathOf(folder, other)).catch(() => undefined)));
  return !isLost;
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Undefined: there is none, or it is not one of ours; then its holder is gone. */
async function markIn(folder: string, number: number): Promise<HostMark | undefined> {
  try {
    const path = pathOf(folder, number);
    const found = await lstat(path);
    if (!found.isFile() || found.size > MAX_MARK_BYTES) return undefined;
    const mark: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof mark !== "object" || mark === null || !("pid" in mark) || !("startTime" in mark)) return undefined;
    const { pid, startTime } = mark;
    return Number.isSafeInteger(pid) && typeof startTime === "string" ? { pid: Number(pid), startTime } : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(folder: string, number: number): string {
  return join(folder, `host.lock.${number}`);
}
