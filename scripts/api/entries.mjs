/**
 * What a user can import: the packages, their entries, and the source file of each.
 *
 * Read from the manifests' `exports`, as a program that imports them is resolved, so that no entry can be forgotten.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether an entry has names that only packages of ours share: `internal`, or one below it. */
export function isInternal({ name }) {
  return /^@[^/]+\/[^/]+\/internal(?:\/|$)/.test(name);
}

/**
 * @param {string} root the checkout
 * @returns {{ name: string, folder: string, description: string, entries: { name: string, source: string }[] }[]} the
 *   published packages by name; `source` is an absolute path
 */
export function publicPackages(root) {
  const found = [];
  for (const folder of readdirSync(join(root, "packages")).sort()) {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    if (manifest.private === true) continue;
    const entries = Object.entries(manifest.exports).map(([path, conditions]) => ({
      name: join(manifest.name, path),
      source: join(root, "packages", folder, conditions["pi-source"]),
    }));
    found.push({ name: manifest.name, folder, description: manifest.description, entries });
  }
  return found;
}
