/**
 * The addon's types on their way: `bin/binding.d.ts`, as `napi build` wrote it, to the sources (committed, so that a change
 * of the interface is seen in review) and from there to `dist`.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const sourceOf = (root) => join(root, "packages", "natives", "src", "generated", "binding.d.ts");

/** The committed types; the empty text where there are none. */
export function committedTypes(root) {
  return existsSync(sourceOf(root)) ? readFileSync(sourceOf(root), "utf8") : "";
}

/** Puts the types of the last native build among the sources. A checkout without a native build keeps the committed ones. */
export function placeTypes(root) {
  const made = join(root, "packages", "natives", "bin", "binding.d.ts");
  if (!existsSync(made) || readFileSync(made, "utf8") === committedTypes(root)) return;
  mkdirSync(join(sourceOf(root), ".."), { recursive: true });
  copyFileSync(made, sourceOf(root));
}

/** The compiler copies no `.d.ts`, and the built declarations refer to this one. */
export function publishTypes(root) {
  const folder = join(root, "packages", "natives", "dist", "generated");
  mkdirSync(folder, { recursive: true });
  copyFileSync(sourceOf(root), join(folder, "binding.d.ts"));
}
