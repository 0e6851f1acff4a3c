/**
 * A copy of the work tree in which Stryker may change files: sources, tests and what was built. A run that is killed
 * leaves the checkout as it was.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../child.mjs";

const LEFT_OUT = new Set([".git", "node_modules", "target", ".turbo", "build", "mutants.out"]);
/** The workspace's own packages are symbolic links into it, so each copy has its own. */
const OWN_SCOPE = "@pi-bash";

function linkModules(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name !== OWN_SCOPE) symlinkSync(join(from, name), join(to, name));
  }
  const own = join(from, OWN_SCOPE);
  if (!existsSync(own)) return;
  mkdirSync(join(to, OWN_SCOPE));
  for (const name of readdirSync(own)) symlinkSync(readlinkSync(join(own, name)), join(to, OWN_SCOPE, name));
}

/** Returns the copy's folder; who asks removes it. */
export function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), "pi-bash-mutants-"));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  for (const folder of [".", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))]) {
    linkModules(join(root, folder, "node_modules"), join(copy, folder, "node_modules"));
  }
  return copy;
}
