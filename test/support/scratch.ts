/**
 * Folders for one test: made under the temporary folder, removed when the test is over. What runs in them is not here.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A new folder for the test that runs. Its mode is 0755, so that programs of another user can enter it. A test that runs beside
 * others of its file gives the function of its own context: the global one does not know whose it is.
 */
export function scratchFolder(whenFinished: (remove: () => void) => void = onTestFinished): string {
  // Without links in it: `pwd` after `cd` then prints the same path.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "pi-bash-e2e-"));
  chmodSync(folder, 0o755);
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
