/**
 * `npm run package`: builds, packs and proves what is published.
 *
 * Leaves tarballs in `build/tarballs/`. What is proved: manifests and types by publint and attw, an install from the
 * tarballs alone into an empty folder, the tour and an embedded tool in it, sizes.
 *
 *   node scripts/package.mjs                       this machine's target, with the binaries of `npm run build`
 *   node scripts/package.mjs --all                 every target that this machine can build; writes docs/platforms.md
 *   node scripts/package.mjs --binaries <target>   only the binaries of a target, into build/binaries/<target>
 *   node scripts/package.mjs --packed              packs the binaries that are in build/binaries
 *   node scripts/package.mjs --try                 only the proof, of the tarballs that are in build/tarballs
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildTarget, whyNotHere } from "./package/cross.mjs";
import { emulate } from "./package/emulate.mjs";
import { writePlatformsPage } from "./package/platforms-page.mjs";
import { runStep } from "./package/run-step.mjs";
import { publishedPackages, stagePackage, stageTarget } from "./package/stage.mjs";
import { ownTarget, TARGETS } from "./package/targets.mjs";
import { verifyInstall, verifyManifests, verifyTarget } from "./package/verify.mjs";

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

/** Packs everything; `sources` are targets with the folders of their binaries. */
function packAll(sources) {
  for (const folder of [staging, tarballs]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  runStep(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "tsconfig.build.json"], root);
  const packed = publishedPackages(root).map((name) => {
    const folder = stagePackage(root, staging, name);
    return { folder, tarball: pack(folder), typed: true };
  });
  for (const { target, binaries } of sources) {
    const folder = stageTarget(root, staging, target, binaries);
    console.log(verifyTarget(folder, target));
    packed.push({ folder, tarball: pack(folder), typed: false });
  }
  verifyManifests(root, packed);
  console.log(`publint and attw: ${packed.length} packages`);
}

/** Installs and uses what was packed for this machine. */
function tryPacked() {
  const own = thisTarget();
  const foreign = TARGETS.filter((target) => target !== own).map(({ name }) => `pi-bash-natives-${name}-`);
  const files = readdirSync(tarballs).filter((file) => !foreign.some((prefix) => file.startsWith(prefix)));
  for (const line of verifyInstall(
    files.map((file) => join(tarballs, file)),
    own,
  ))
    console.log(line);
}

function thisTarget() {
  const target = ownTarget();
  if (target === undefined) throw new Error(`there is no package for ${process.platform}-${process.arch}`);
  return target;
}

function buildAll() {
  return TARGETS.map((target) => {
    const reason = whyNotHere(target);
    if (reason !== undefined) return { target, built: `no: ${reason}`, loaded: "no", tests: "no" };
    try {
      const binaries = buildTarget(root, target);
      console.log(`built ${target.name}`);
      return { target, binaries, built: "yes", ...whatRuns(target, binaries) };
    } catch (error) {
      console.log(`${target.name}: ${error instanceof Error ? error.message : String(error)}`);
      return { target, built: "no: the build failed on this machine", loaded: "no", tests: "no" };
    }
  });
}

function whatRuns(target, binaries) {
  if (target === thisTarget())
    return { loaded: "yes", tests: "the packed tarballs: tour and embedded tool; the suite by `npm test`" };
  const { status, detail } = emulate(root, target, binaries);
  return { loaded: status === "loaded" ? "yes, under qemu" : `${status}: ${detail}`, tests: "no" };
}

function binariesIn(folder) {
  return TARGETS.map((target) => ({ target, binaries: join(folder, target.name) })).filter(({ binaries }) =>
    existsSync(binaries),
  );
}

function main() {
  const options = {
    all: { type: "boolean" },
    binaries: { type: "string" },
    packed: { type: "boolean" },
    try: { type: "boolean" },
  };
  const { values } = parseArgs({ options });
  if (values.try) return tryPacked();
  if (values.binaries !== undefined) {
    const target = TARGETS.find(({ name }) => name === values.binaries);
    if (target === undefined)
      throw new Error(`no target \`${values.binaries}\`; there are ${TARGETS.map(({ name }) => name).join(", ")}`);
    console.log(buildTarget(root, target).slice(root.length));
    return undefined;
  }
  if (values.all) {
    const rows = buildAll();
    packAll(rows.filter(({ binaries }) => binaries !== undefined));
    tryPacked();
    writePlatformsPage(root, rows);
  } else if (values.packed) {
    packAll(binariesIn(join(root, "build", "binaries")));
  } else {
    runStep(process.execPath, ["scripts/build.mjs"], root, { limitMs: BUILD_LIMIT_MS });
    packAll([{ target: thisTarget(), binaries: join(root, "packages", "natives", "bin") }]);
    tryPacked();
  }
  console.log(`packed into build/tarballs: ${readdirSync(tarballs).length} tarballs`);
  return undefined;
}

try {
  main();
} catch (error) {
  console.error(`packaging failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
