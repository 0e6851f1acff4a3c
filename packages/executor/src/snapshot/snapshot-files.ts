/**
 * The files that a snapshot needs, as a port: the rc, the scripts and the record, on this machine or on a place.
 *
 * Only the user can read them, whichever machine they are on.
 */
import { lstat, readFile, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPrivateFile, ensurePrivateFolder, writePrivateFile } from "../artifacts/private-folder.ts";
import { makeTemporaryFolder } from "../artifacts/temporary-folder.ts";

/** Files of one snapshot. */
export interface SnapshotFiles {
  /** Whether something stands at `path`. */
  has(path: string): Promise<boolean>;
  /** Writes a new file of `name`; its path. */
  write(name: string, text: string): Promise<string>;
  /** Path of a file that a command may write to, which is empty or not there. */
  target(name: string): Promise<string>;
  /** The text of a file that a command wrote. */
  read(path: string): Promise<string>;
  /** Writes `text` again where the file at `path` is gone or another one; its path. */
  keep(path: string, text: string): Promise<string>;
  /** Removes a file. Never rejects. */
  remove(path: string): Promise<void>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

/** Files in a private folder of this machine, made with the first of them. */
export function nearSnapshotFiles(): SnapshotFiles {
  let made: Promise<string> | undefined;
  const folder = (): Promise<string> => {
    made ??= makeTemporaryFolder("snapshots");
    return made;
  };
  return {
    has: async (path) => (await lstat(path).catch(() => undefined)) !== undefined,
    write: async (name, text) => {
      const path = join(await folder(), name);
      await writePrivateFile(path, text);
      return path;
    },
    target: async (name) => {
      const path = join(await folder(), name);
      await (await createPrivateFile(path)).close();
      return path;
    },
    read: (path) => readFile(path, "utf8"),
    keep: async (path, text) => {
      if ((await readFile(path, "utf8").catch(() => undefined)) === text) return path;
      await ensurePrivateFolder(dirname(path));
      await writePrivateFile(path, text);
      return path;
    },
    remove: (path) => unlink(path).catch(() => undefined),
    dispose: async () => {
      const path = await made?.catch(() => undefined);
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}
