/**
 * Publishes the tarballs of `build/tarballs/`: the packages with binaries first, so that whoever gets the new
 * `@pi-bash/natives` or `@pi-bash/places` can also get theirs. What the registry has already is left alone, so a release that was
 * cut off is completed by running it again; the program ends well only when the registry has everything.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { binaryNames, isPublished, releaseNames } from "./registry.mjs";
import { runNpm } from "./run-step.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "build", "tarballs");

/** What others need comes first; the order among the rest does not matter. */
const FIRST = ["@pi-bash/contract", "@pi-bash/natives", "@pi-bash/command"];

function manifestOf(file) {
  return JSON.parse(execFileSync("tar", ["-xzOf", join(folder, file), "package/package.json"], { encoding: "utf8" }));
}

/** Binaries, then the packages below all others, then the others. */
function rankOf({ name }) {
  if (binaryNames().includes(name)) return 0;
  const at = FIRST.indexOf(name);
  return at === -1 ? FIRST.length + 1 : at + 1;
}

/**
 * A release says of which commit and workflow it is. Only a workflow with the right to ask for an identity can; one that
 * has lost it must not publish without.
 */
function provenance() {
  if (process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined) return ["--provenance"];
  const { hostname } = new URL(process.env.npm_config_registry ?? "https://registry.npmjs.org/");
  if (!["127.0.0.1", "localhost"].includes(hostname))
    throw new Error("there is no identity for provenance: the job needs `id-token: write`");
  console.log("without provenance: a registry on this machine");
  return [];
}

const packages = readdirSync(folder)
  .filter((file) => file.endsWith(".tgz"))
  .map((file) => ({ file, manifest: manifestOf(file) }))
  .sort((a, b) => rankOf(a.manifest) - rankOf(b.manifest) || a.file.localeCompare(b.file));
const absent = releaseNames(root).filter((name) => !packages.some(({ manifest }) => manifest.name === name));
if (absent.length > 0) throw new Error(`there are no tarballs of ${absent.join(", ")}`);
const extra = provenance();
for (const { file, manifest } of packages) {
  if (isPublished(root, manifest.name, manifest.version)) {
    console.log(`is there already: ${file}`);
    continue;
  }
  try {
    runNpm(["publish", "--access", "public", ...extra, join(folder, file)], folder);
    console.log(`published ${file}`);
  } catch (error) {
    // A registry takes a moment to show what it has taken.
    if (!/cannot publish over|previously published/i.test(String(error))) throw error;
    console.log(`was published meanwhile: ${file}`);
  }
}
