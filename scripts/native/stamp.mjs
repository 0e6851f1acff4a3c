/** What `packages/natives/bin` was built of: `build.json` beside the binaries, written after them. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where the loader looks in a checkout. */
export const binFolder = (root) => join(root, "packages", "natives", "bin");

/** The file that says what the binaries beside it were built of. */
export const stampPath = (root) => join(binFolder(root), "build.json");

function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampPath(root), "utf8"));
  } catch {
    return undefined; // Never built, or cut off while it was written: both mean that it has to be built.
  }
}

/** Whether the binaries are there and are those of the sources with this digest. */
export function isBuilt(root, digest) {
  const stamp = readStamp(root);
  return (
    stamp !== undefined &&
    stamp.digest === digest &&
    stamp.files.every((file) => existsSync(join(binFolder(root), file)))
  );
}

/**
 * Removes binaries of other sources before turbo restores the right ones. turbo writes into a file that is there: an addon
 * that a running process has mapped would change below it, and a supervisor that runs cannot be written at all. What is
 * removed stays whole for whoever has it open.
 */
export function removeUnfitting(root, digest) {
  if (existsSync(binFolder(root)) && !isBuilt(root, digest)) rmSync(binFolder(root), { recursive: true });
}
