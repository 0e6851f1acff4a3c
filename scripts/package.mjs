/**
 * `npm run package`: builds, packs and proves what is published.
 *
 * Leaves tarballs in `build/tarballs/`. What is proved: manifests and types by publint and attw, an install from the
 * tarballs alone into an empty folder, the tour and an embedded tool in it, sizes.
 *
 *   node scripts/package.mjs                       this machine's target, with the binaries of `npm run build`
 *   node scripts/package.mjs --all                 every target that this machine can build; writes docs/platforms.md
 *   node scripts/package.mjs --binaries <target>   only the binaries of a target, into build/binaries/<target>; or those of
 *                                                  all architectures of the bash driver (`bash-driver`) or of the program
 *                                                  that is sent to places (`pi-host`)
 *   node scripts/package.mjs --packed              packs the binaries that are in build/binaries
 *   node scripts/package.mjs --try                 only the proof, of the tarballs that are in build/tarballs
 *   node scripts/package.mjs --published           installs the published version by npm, pnpm, yarn and bun, and uses it
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { binariesOfRelease } from "./package/binaries.mjs";
import { binarySizes, buildTarget, whyNotHere } from "./package/cross.mjs";
import {
  buildDrivers,
  crossBuilt,
  DRIVER_FOLDER,
  driverFor,
  isDriverTarball,
  verifyDriver,
} from "./package/driver.mjs";
import { emulate } from "./package/emulate.mjs";
import { buildHost, buildHosts, HOST_FOLDER, hostsBuilt, ownHost, seenOfHost, verifyHost } from "./package/pi-host.mjs";
import { writePlatformsPage } from "./package/platforms-page.mjs";
import { verifyPublished } from "./package/published.mjs";
import { runNpm, runStep } from "./package/run-step.mjs";
import { publishedPackages, stageDriver, stageHost, stagePackage, stageTarget } from "./package/stage.mjs";
import { ownTarget, STAND_INS, TARGETS } from "./package/targets.mjs";
import { verifyInstall, verifyManifests, verifyTarget } from "./package/verify.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const staging = join(root, "build", "staging");
const tarballs = join(root, "build", "tarballs");

/** A first build of all crates on a slow machine. */
const BUILD_LIMIT_MS = 3_600_000;

function pack(folder) {
  const before = new Set(readdirSync(tarballs));
  runNpm(["pack", "--loglevel=error", "--pack-destination", tarballs], folder);
  const made = readdirSync(tarballs).find((name) => !before.has(name));
  return join(tarballs, made);
}

/**
 * Packs everything; `sources` are targets with the folders of their binaries, `objects` drivers with those of theirs, `hosts`
 * each `pi-host` with that of its files. Without an object there is no package of the driver.
 */
function packAll({ sources, objects, hosts }) {
  for (const folder of [staging, tarballs]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  runStep(process.execPath, ["scripts/build-ts.mjs"], root);
  const packed = publishedPackages(root).map((name) => {
    const folder = stagePackage(root, staging, name);
    return { folder, tarball: pack(folder), typed: true };
  });
  for (const { target, binaries } of sources) {
    const folder = stageTarget(root, staging, target, binaries);
    console.log(verifyTarget(folder, target));
    packed.push({ folder, tarball: pack(folder), typed: false });
  }
  if (objects.length > 0) {
    const folder = stageDriver(root, staging, objects);
    const drivers = objects.map(({ driver }) => driver);
    console.log(verifyDriver(folder, drivers));
    packed.push({ folder, tarball: pack(folder), typed: false });
  }
  for (const { host, folder: files } of hosts) {
    const folder = stageHost(root, staging, host, files);
    console.log(verifyHost(folder, host));
    packed.push({ folder, tarball: pack(folder), typed: false });
  }
  verifyManifests(root, packed);
  console.log(`publint and attw: ${packed.length} packages`);
}

function isTarballOf(target, file) {
  return file.startsWith(`pi-bash-natives-${target.name}-`);
}

/** Paths of the tarballs that an install on a target has, but for that of the target itself. */
function commonTarballs(target) {
  const files = readdirSync(tarballs).filter((file) => !TARGETS.some((other) => isTarballOf(other, file)));
  const fitting = files.filter((file) => !isDriverTarball(file) || driverFor(target) !== undefined);
  return fitting.map((file) => join(tarballs, file));
}

/** Installs and uses what was packed for this machine; returns what it tried. */
function tryPacked() {
  const own = thisTarget();
  const addon = readdirSync(tarballs).filter((file) => isTarballOf(own, file));
  const { lines, tests } = verifyInstall([...commonTarballs(own), ...addon.map((file) => join(tarballs, file))], own);
  for (const line of lines) console.log(line);
  return tests;
}

function thisTarget() {
  const target = ownTarget();
  if (target === undefined) throw new Error(`there is no package for ${process.platform}-${process.arch}`);
  return target;
}

function buildAll() {
  return [...TARGETS, ...STAND_INS].map((target) => {
    const reason = whyNotHere(target);
    if (reason !== undefined) return { target, built: `no: ${reason}` };
    try {
      const binaries = buildTarget(root, target);
      const size = binarySizes(target, binaries);
      console.log(`built ${target.folder ?? target.name}: ${size}`);
      return { target, binaries, built: `yes, ${size}` };
    } catch (error) {
      console.log(`${target.triple}: ${error instanceof Error ? error.message : String(error)}`);
      return { target, built: "no: the build failed on this machine" };
    }
  });
}

/** Uses each target's packages where this machine can; a failure is that target's status and hides no other. */
function tryAll(rows) {
  return rows.map((row) => {
    if (row.binaries === undefined) return { ...row, loaded: "no", tests: "no" };
    if (row.target === thisTarget())
      return { ...row, loaded: `yes, Node ${process.version} (this machine)`, tests: tryPacked() };
    const found = emulate(root, row.target, commonTarballs(row.target), row.binaries);
    console.log(`${row.target.folder ?? row.target.name}: loaded ${found.loaded}; tests ${found.tests}`);
    return { ...row, ...found };
  });
}

/** This machine's driver, by its own C compiler; none where the system has none. */
function ownDriver(folder) {
  const driver = driverFor(thisTarget());
  return driver === undefined ? [] : [{ driver, folder }];
}

/** The drivers, cross-built; none where this machine cannot. */
function allDrivers() {
  return process.platform === "linux" ? crossBuilt(join(buildDrivers(root), "..")) : [];
}

/** The `pi-host` of this machine, built where a checkout has it; none on another system than Linux. */
function ownHosts() {
  const host = ownHost();
  if (host === undefined) return [];
  const folder = join(root, "packages", "places", "bin");
  buildHost(root, host, folder);
  return [{ host, folder }];
}

/** Each `pi-host`; none where this machine cannot build them. */
function allHosts() {
  return process.platform === "linux" ? hostsBuilt(join(buildHosts(root), "..")) : [];
}

function buildBinaries(name) {
  if (name === DRIVER_FOLDER) return buildDrivers(root);
  if (name === HOST_FOLDER) return buildHosts(root);
  const target = TARGETS.find((one) => one.name === name);
  if (target !== undefined) return buildTarget(root, target);
  const names = [...TARGETS.map((one) => one.name), DRIVER_FOLDER, HOST_FOLDER];
  throw new Error(`no target \`${name}\`; there are ${names.join(", ")}`);
}

async function main() {
  const options = {
    all: { type: "boolean" },
    binaries: { type: "string" },
    packed: { type: "boolean" },
    try: { type: "boolean" },
    published: { type: "boolean" },
  };
  const { values } = parseArgs({ options });
  if (values.published) {
    await verifyPublished(root);
    return;
  }
  if (values.try) {
    tryPacked();
    return;
  }
  if (values.binaries !== undefined) {
    console.log(buildBinaries(values.binaries).slice(root.length));
    return;
  }
  if (values.all) {
    const rows = buildAll();
    const sources = rows.filter(({ target, binaries }) => binaries !== undefined && TARGETS.includes(target));
    const hosts = allHosts();
    packAll({ sources, objects: allDrivers(), hosts });
    const tried = tryAll(rows);
    writePlatformsPage(
      root,
      tried,
      hosts.map((one) => seenOfHost(root, one)),
    );
  } else if (values.packed) {
    packAll(binariesOfRelease(join(root, "build", "binaries")));
  } else {
    runStep(process.execPath, ["scripts/build.mjs"], root, { limitMs: BUILD_LIMIT_MS });
    const binaries = join(root, "packages", "natives", "bin");
    packAll({ sources: [{ target: thisTarget(), binaries }], objects: ownDriver(binaries), hosts: ownHosts() });
    tryPacked();
  }
  console.log(`packed into build/tarballs: ${readdirSync(tarballs).length} tarballs`);
}

try {
  await main();
} catch (error) {
  console.error(`packaging failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
