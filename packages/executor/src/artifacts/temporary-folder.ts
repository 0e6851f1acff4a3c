/**
 * Temporary folders of this user: `<tmp>/pi-bash-<uid>/<purpose>-<random>-<process>`.
 *
 * A host that is killed cannot remove its folders, and outputs in them may be large. So the first folder that a process
 * makes in a place has those of ended processes there removed. Which process a folder belongs to stands in its name, in
 * base 36: its number and its start in clock ticks; behind them a digest of the machine, the boot and the pid namespace in
 * which those two count. The name is short, because messages show it; no one else can make anything where it lies.
 */
import { createHash } from "node:crypto";
import { lstat, readdir, readlink, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isProcessAlive, ownMark } from "../process-mark.ts";
import { ensurePrivateFolder, randomName } from "./private-folder.ts";

/** Characters of the random part and of the digest. */
const SHORT_CHARS = 8;
const FOLDER_NAME = /^[a-z]+-[0-9a-f]{8}-([0-9a-z]+)-([0-9a-z]*)-([0-9a-f]{8})$/;

/** Where this process has looked for abandoned folders. */
const swept = new Set<string>();

/**
 * A new private folder below `place`, which is the system's temporary one unless given.
 *
 * Where the per-user folder is not ours (another user made it first), a random one beside it is used instead.
 */
export async function makeTemporaryFolder(purpose: string, place = tmpdir()): Promise<string> {
  const base = join(place, `pi-bash-${String(process.getuid?.() ?? 0)}`);
  const { pid, startTime } = ownMark();
  const { boot, ticks } = partsOf(startTime);
  const random = randomName().slice(0, SHORT_CHARS);
  const name = `${purpose}-${random}-${pid.toString(36)}-${shortTicks(ticks)}-${await scopeOf(boot)}`;
  const folder = join((await isOurs(base)) ? base : `${base}-${randomName()}`, name);
  await ensurePrivateFolder(dirname(folder));
  await ensurePrivateFolder(folder);
  // No one waits for it: what it cannot remove stays for the next process.
  if (!swept.has(base)) void removeAbandonedFolders(dirname(folder)).catch(() => undefined);
  swept.add(base);
  return folder;
}

/**
 * Removes the temporary folders in `base` whose processes have ended. Those of another machine, boot or pid namespace stay:
 * whether their processes run cannot be seen from here.
 */
export async function removeAbandonedFolders(base: string): Promise<void> {
  const { boot } = partsOf(ownMark().startTime);
  const here = await scopeOf(boot);
  for (const name of await readdir(base)) {
    const [, pid, ticks = "", scope] = FOLDER_NAME.exec(name) ?? [];
    if (scope !== here || isProcessAlive({ pid: Number.parseInt(pid ?? "", 36), startTime: startOf(boot, ticks) }))
      continue;
    await rm(join(base, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The boot and the clock ticks of a mark's start; both empty where the system does not say. */
function partsOf(startTime: string): { boot: string; ticks: string } {
  const [boot = "", ticks = ""] = startTime.split(" ");
  return { boot, ticks };
}

function shortTicks(ticks: string): string {
  return ticks === "" ? "" : Number(ticks).toString(36);
}

/** The start of a mark, from the boot and the ticks in a name. */
function startOf(boot: string, ticks: string): string {
  return ticks === "" ? "" : `${boot} ${Number.parseInt(ticks, 36)}`;
}

/** Where a process number counts: the machine, its boot, and the pid namespace (pid_namespaces(7)). */
async function scopeOf(boot: string): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update(`${hostname()} ${boot} ${namespace}`).digest("hex").slice(0, SHORT_CHARS);
}

/** Whether `path` is free or a folder of ours. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}
