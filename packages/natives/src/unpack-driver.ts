/**
 * Unpacks the bash driver from an archive that only JavaScript can look into (a zip of Yarn's Plug'n'Play, an `asar` of
 * Electron) to a file that bash can load, in a folder that only this user can write.
 *
 * A file from an earlier run is used again if it is ours alone to write and has exactly these bytes. Whether bash takes the
 * object is the engine's to find out.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** Permissions of the folder and of what is in it: this user alone. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o400;

/** Bits of a mode by which others than the owner have any right, or the right to write. */
const RIGHTS_OF_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes a file with these bytes, which bears their digest in its name, and returns its path.
 *
 * @param bytes the object
 * @param base folder for temporary files
 * @throws Error where the folder cannot be made or is another user's to write
 */
export function unpackDriver(bytes: Uint8Array, base: string = tmpdir()): string {
  // Loading it takes longer than the rest of the package, and few installations unpack anything.
  const { createHash, randomUUID } = process.getBuiltinModule("node:crypto");
  const { uid } = userInfo();
  // As the executor's: a folder of each user's own, in one that all share.
  const folder = privateFolder(join(privateFolder(join(base, `pi-bash-${uid}`), uid), "driver"), uid);
  const path = join(folder, `pi-driver-${createHash("sha256").update(bytes).digest("hex")}.so`);
  if (isCopy(path, bytes, uid)) return path;
  // In one step: another host may load the file at this moment.
  const made = join(folder, `${randomUUID()}.tmp`);
  try {
    writeFileSync(made, bytes, { mode: FILE_MODE, flag: "wx" });
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
  return path;
}

function privateFolder(path: string, uid: number): string {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  // Not through a link: whoever made it could point it elsewhere later.
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new Error(`\`${path}\` is not a folder; remove it`);
  if (found.uid !== uid) throw new Error(`\`${path}\` belongs to another user (${found.uid}); have it removed`);
  if (found.mode & RIGHTS_OF_OTHERS) throw new Error(`others have rights in \`${path}\`; \`chmod 700\` it`);
  return path;
}

function isCopy(path: string, bytes: Uint8Array, uid: number): boolean {
  const found: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.uid !== uid || found.mode & WRITABLE_BY_OTHERS) return false;
  return found.size === bytes.byteLength && readFileSync(path).equals(bytes);
}
