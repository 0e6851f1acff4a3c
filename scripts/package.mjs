/**
 * `npm run package`: builds, packs and proves what is published.
 *
 * Leaves tarballs in `build/tarballs/`. A tarball that is there has passed: manifests and types by publint and attw, an
 * install from the tarballs alone into an empty folder, the tour and an embedded tool in it.
 *
 *   node scripts/package.mjs            this machine's target
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishedPackages, stagePackage, stageTarget } from "./package/stage.mjs";
import { ownTarget } from "./package/targets.mjs";
import { runStep, verifyInstall, verifyManifests, verifyTarget } from "./package/verify.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const staging = join(root, "build", "staging");
const tarballs = join(root, "build", "tarballs");

/** A first build of all crates on a slow machine. */
const BUILD_LIMIT_MS = 3_600_000;

function pack(folder) {
  const before = new Set(readdirSync(tarballs));
  runStep("npm", ["pack", "--loglevel=error", "--pack-destination", tarballs], folder);
  const made = readdirSync(tarballs).find((name) => !before.has(name));
  return join(tarballs, made);
}

function main() {
  const target = ownTarget();
  if (target === undefined) throw new Error(`there is no package for ${process.platform}-${process.arch}`);
  rmSync(join(root, "build"), { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });

  runStep(process.execPath, ["scripts/build.mjs"], root, BUILD_LIMIT_MS);
  const packed = publishedPackages(root).map((name) => {
    const folder = stagePackage(root, staging, name);
    return { folder, tarball: pack(folder), typed: true };
  });
  const folder = stageTarget(root, staging, target, join(root, "packages", "natives", "bin"));
  console.log(verifyTarget(folder, target));
  packed.push({ folder, tarball: pack(folder), typed: false });

  verifyManifests(root, packed);
  console.log(`publint and attw: ${packed.length} packages`);
  for (const line of verifyInstall(
    packed.map(({ tarball }) => tarball),
    target,
  ))
    console.log(line);
  console.log(`packed into build/tarballs: ${readdirSync(tarballs).length} tarballs`);
}

try {
  main();
} catch (error) {
  console.error(`packaging failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
