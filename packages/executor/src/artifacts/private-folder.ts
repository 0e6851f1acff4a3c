/**
 * Folders and files that only this user can read: outputs and rc captures may hold secrets.
 *
 * A folder that is a link, belongs to someone else or cannot be closed to others is refused (SC-03, SC-05); files are
 * made new, never followed, never overwritten. Modes are set explicitly, whatever the umask is (SC-04).
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, type FileHandle, lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** 128 bits: no one who cannot read the folder can prepare a file of that name. */
const RANDOM_NAME_BYTES = 16;
/** Windows has no such flag and no such links by default. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NON_BLOCK = constants.O_NONBLOCK ?? 0;

/** A folder that cannot be trusted, or a file in it that is not what it should be. */
export class PrivateFolderError extends Error {
  readonly code = "PI_PRIVATE_FOLDER";

  constructor(path: string, problem: string, cause?: unknown) {
    super(`folder \`${path}\` ${problem}`, cause === undefined ? {} : { cause });
    this.name = "PrivateFolderError";
  }
}

/** A name that cannot be guessed, 32 hexadecimal digits. */
export function randomName(): string {
  return randomSlice(RANDOM_NAME_BYTES).toString("hex");
}

/** Random bytes got at once: asking for them costs more than the bytes, and each command takes a few. */
const BATCH_BYTES = 4_096;
let batch = Buffer.alloc(0);

/** Random bytes that no other call gets, at most 4,096. */
export function randomSlice(size: number): Buffer {
  if (batch.length < size) batch = randomBytes(BATCH_BYTES);
  const slice = batch.subarray(0, size);
  batch = batch.subarray(size);
  return slice;
}

/**
 * Makes `path`, and what is missing of the folders above it; a folder that is there already is fine.
 *
 * Not `mkdir` with `recursive`: below `/proc`, which has nothing made in it and says that it is missing, Node tries
 * again for ever and no signal ends it.
 *
 * @param mode permissions of what is made, before the umask
 * @throws an error with a `code` where a folder cannot be made, or where something else has the name
 */
export async function makeFolders(path: string, mode: number): Promise<void> {
  const missing: string[] = [];
  for (let each = resolve(path); !(await exists(each)) && each !== dirname(each); each = dirname(each)) {
    missing.push(each);
  }
  for (const each of missing.reverse()) {
    try {
      await mkdir(each, { mode });
    } catch (error) {
      // Another process made it meanwhile; a link that leads nowhere has the name, too.
      if (!(await exists(each))) throw error;
    }
  }
  if (!(await stat(path)).isDirectory()) throw new PrivateFolderError(path, "is not a folder");
}

/** Whether something is there, behind links. */
function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Makes `path` if it is missing; refuses it unless it is a folder of ours that others cannot enter. */
export async function ensurePrivateFolder(path: string): Promise<void> {
  await makeFolders(path, FOLDER_MODE);
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw new PrivateFolderError(path, "is a symbolic link; use a folder");
  if (!found.isDirectory()) throw new PrivateFolderError(path, "is not a folder");
  const uid = process.getuid?.();
  if (uid === undefined) return;
  if (found.uid !== uid) throw new PrivateFolderError(path, `belongs to user ${found.uid}, not to ${uid}`);
  if ((found.mode & 0o777) !== FOLDER_MODE) await chmod(path, FOLDER_MODE);
}

/** Makes a new file, 0600. Fails if anything has that name already, a dangling link too. */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  const file = await open(path, flags, FILE_MODE);
  try {
    await file.chmod(FILE_MODE);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens a regular file of ours for reading. Never waits (a FIFO would), never follows a link. */
export async function openPrivateFile(path: string): Promise<{ file: FileHandle; size: number }> {
  const file = await open(path, constants.O_RDONLY | NO_FOLLOW | NON_BLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new PrivateFolderError(path, "exists and is not a regular file; remove it");
    return { file, size: found.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes a whole file: it is there completely or not at all. An older one of that name is replaced. */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const partial = `${path}.${randomName()}.partial`;
  const file = await createPrivateFile(partial);
  try {
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await unlink(partial).catch(() => undefined);
    throw error;
  }
}
