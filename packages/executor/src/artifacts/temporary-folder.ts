/**
 * Temporary folders of this user: `<tmp>/pi-bash-<uid>/<purpose>-<random>`, each with the mark of its process.
 *
 * A host that is killed cannot remove its folders, and outputs in them may be large. So the first folder that a process
 * makes has those of ended processes removed.
 */
import { lstat, readdir, readFile, readlink, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type HostMark, isProcessAlive, ownMark } from "../process-mark.ts";
import { ensurePrivateFolder, randomName, writePrivateFile } from "./private-folder.ts";

/** Name of the file with the mark. */
const OWNER_NAME = ".owner";
const FOLDER_NAME = /^[a-z]+-[0-9a-f]{32}$/;

interface Owner extends HostMark {
  /** Where the process number counts: a folder may be shared by containers, and by machines. */
  readonly numbers: string;
}

/** This process has removed those of ended ones, or tries to. */
let hasSwept = false;

/**
 * A new private folder below the system's temporary one: `<tmp>/pi-bash-<uid>/<purpose>-<random>`.
 *
 * Where the per-user folder is not ours (another user made it first), a random one beside it is used instead.
 */
export async function makeTemporaryFolder(purpose: string): Promise<string> {
  const base = join(tmpdir(), `pi-bash-${String(process.getuid?.() ?? 0)}`);
  const name = `${purpose}-${randomName()}`;
  const folder = join((await isOurs(base)) ? base : `${base}-${randomName()}`, name);
  await ensurePrivateFolder(dirname(folder));
  await ensurePrivateFolder(folder);
  const owner: Owner = { ...ownMark(), numbers: await numbersOf() };
  await writePrivateFile(join(folder, OWNER_NAME), JSON.stringify(owner));
  // No one waits for it: what it cannot remove stays for the next process.
  if (!hasSwept) void removeAbandonedFolders(dirname(folder)).catch(() => undefined);
  hasSwept = true;
  return folder;
}

/**
 * Removes the temporary folders in `base` whose processes have ended. One without a mark stays: it may be in the making, or
 * an older version's.
 */
export async function removeAbandonedFolders(base: string): Promise<void> {
  const here = await numbersOf();
  for (const name of await readdir(base)) {
    if (!FOLDER_NAME.test(name)) continue;
    const folder = join(base, name);
    const owner = await ownerOf(folder);
    if (owner === undefined || owner.numbers !== here || isProcessAlive(owner)) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function ownerOf(folder: string): Promise<Owner | undefined> {
  try {
    const { pid, startTime, numbers } = JSON.parse(await readFile(join(folder, OWNER_NAME), "utf8"));
    const isMark = Number.isSafeInteger(pid) && pid > 0 && typeof startTime === "string" && typeof numbers === "string";
    return isMark ? { pid, startTime, numbers } : undefined;
  } catch {
    return undefined;
  }
}

/** The machine and its pid namespace: pid_namespaces(7). */
async function numbersOf(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${hostname()} ${namespace}`;
}

/** Whether `path` is free or a folder of ours. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return true;
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}
