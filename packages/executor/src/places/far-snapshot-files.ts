/**
 * A snapshot's files on a place: what goes there is put by its digest, and what a command wrote is read by a command.
 */
import { posix } from "node:path";
import type { NativesPort } from "../natives-port.ts";
import { quote } from "../snapshot/quote.ts";
import type { SnapshotFiles } from "../snapshot/snapshot-files.ts";
import type { PlaceFiles } from "./place.ts";

/** Most bytes of a record that are read, as far as a window of a sink goes there. */
const MAX_RECORD_BYTES = 768 * 1024;
/** Time for a command that reads or removes a file, in milliseconds. */
const FILE_MS = 10_000;

export interface FarSnapshotOptions {
  readonly natives: Pick<NativesPort, "executeShell">;
  readonly files: PlaceFiles;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder of this user's `pi-host`. */
  readonly folder: string;
}

/** Files on a place. */
export function farSnapshotFiles({ natives, files, shell, env, folder }: FarSnapshotOptions): SnapshotFiles {
  const run = (command: string) =>
    natives.executeShell({
      shell,
      baseEnv: { ...env },
      command,
      cwd: "/",
      timeoutMs: FILE_MS,
      sink: { maxBytes: MAX_RECORD_BYTES },
    });
  return {
    has: async (path) => (await files.stat(path)).kind !== "missing",
    write: (name, text) => files.put(name, Buffer.from(text, "utf8")),
    target: (name) => Promise.resolve(posix.join(folder, name)),
    // The text of a sink is plain and shows no NUL; in base64 every byte comes through.
    read: async (path) => {
      const { output, exitCode } = await run(`base64 < ${quote(path)}`);
      if (exitCode !== 0 || output === undefined || output.truncated) throw new Error(`\`${path}\` cannot be read`);
      return Buffer.from(output.text, "base64").toString("utf8");
    },
    // `put` sends nothing where a file of that digest is there.
    keep: (path, text) => files.put(posix.basename(path), Buffer.from(text, "utf8")),
    remove: async (path) => {
      await run(`rm -f -- ${quote(path)}`).catch(() => undefined);
    },
    // With its `pi-host` the folder goes.
    dispose: () => Promise.resolve(),
  };
}
