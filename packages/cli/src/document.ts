/**
 * Where the pages of the documents lie: the package has those that its help names, a checkout has all of them.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** From here to what has `docs/` in it: the installed package, and the root of a checkout. */
const ROOTS = ["..", "../../.."];

/**
 * Absolute path of a page; its name where it is in neither place.
 *
 * @param page path below the root, e.g. `docs/cli.md`
 */
export function pagePath(page: string): string {
  const places = ROOTS.map((root) => fileURLToPath(new URL(`${root}/${page}`, import.meta.url)));
  return places.find((path) => existsSync(path)) ?? page;
}
