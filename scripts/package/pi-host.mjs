/**
 * The packages of `pi-host`, the program that is sent to places: for which machines there is one, how they are built for a
 * release, and what a binary must be to be packed.
 *
 * One package for each processor, and none of them is bound to a system: a place may have another processor than the machine
 * that opens it, so an x64 machine, or one with macOS, has to have the file for arm64 as well. Both are linked by Rust's own
 * linker on any Linux machine (`scripts/build-host.mjs`).
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ELF_MACHINES, readProgram } from "./elf.mjs";
import { runStep } from "./run-step.mjs";
import { runnerOf, whyNoRunner } from "./runners.mjs";
import { ownTarget, TARGETS } from "./targets.mjs";

/** Its folder below the folders of binaries, and its entry in the workflow of a release. */
export const HOST_FOLDER = "pi-host";

/** Most bytes of one, as `scripts/build-host.mjs` has it. */
const MOST_BYTES = 3_000_000;

/** A first build of all crates on a slow machine. */
const BUILD_LIMIT_MS = 3_600_000;

/** @typedef {{ name: string, cpu: "x64" | "arm64", triple: string }} HostTarget `name` ends the package's, e.g. `linux-x64` */

/** Each processor of Linux that there is a prebuilt package for; the file is static, and so the same for each C library. @type {HostTarget[]} */
export const HOST_TARGETS = TARGETS.filter(({ os, libc }) => os === "linux" && libc === "musl").map(
  ({ cpu, triple }) => ({ name: `linux-${cpu}`, cpu, triple }),
);

/** The npm package of one, as `packages/places/src/host-binaries.ts` looks for it. */
export function hostPackageOf(host) {
  return `@pi-bash/host-${host.name}`;
}

/** The file's name, in the package and in `packages/places/bin`. Beside it is its SHA-256, in the form of `sha256sum`. */
export function hostFileOf(host) {
  return `pi-host-${host.name}`;
}

/** What is in a folder of binaries of one. */
export function hostFilesOf(host) {
  return [hostFileOf(host), `${hostFileOf(host)}.sha256`];
}

/** Whether a file is the packed package of one. */
export function isHostTarball(path, host) {
  return basename(path).startsWith(`pi-bash-host-${host.name}-`);
}

/** The one that this machine runs; undefined on another system than Linux. */
export function ownHost() {
  const own = ownTarget();
  return own?.os === "linux" ? HOST_TARGETS.find(({ cpu }) => cpu === own.cpu) : undefined;
}

/** Where the files of each are, below a folder of binaries. */
export function hostsBuilt(binaries) {
  return HOST_TARGETS.map((host) => ({ host, folder: join(binaries, HOST_FOLDER, host.name) }));
}

/** Builds one into a folder, in the target folder of the checkout: cargo has one for each triple. */
export function buildHost(root, host, folder) {
  const words = [join(root, "scripts", "build-host.mjs"), "--target", host.triple, "--into", folder];
  runStep(process.execPath, words, root, { limitMs: BUILD_LIMIT_MS });
}

/** Builds all of them into `build/binaries`. Returns the folder with theirs. */
export function buildHosts(root) {
  if (process.platform !== "linux") throw new Error("`pi-host` is built on Linux only");
  const binaries = join(root, "build", "binaries");
  rmSync(join(binaries, HOST_FOLDER), { recursive: true, force: true });
  for (const { host, folder } of hostsBuilt(binaries)) buildHost(root, host, folder);
  return join(binaries, HOST_FOLDER);
}

/** Those that are missing below a folder of binaries, by name. */
export function missingHosts(binaries) {
  return hostsBuilt(binaries)
    .filter(({ host, folder }) => hostFilesOf(host).some((file) => !existsSync(join(folder, file))))
    .map(({ host }) => `${HOST_FOLDER}/${host.name}`);
}

/** The SHA-256 of bytes, in hexadecimal digits. */
export function digestOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Checks the binary of a staged package. Returns a line for the report.
 *
 * @throws Error for a binary of another processor, one that needs anything of the machine it is sent to, one that is larger
 *   than links should carry, one without its run bit, and one that is not the file that was built
 */
export function verifyHost(folder, host) {
  const path = join(folder, hostFileOf(host));
  const bytes = readFileSync(path);
  const fail = (what) => {
    throw new Error(`${hostFileOf(host)} of ${hostPackageOf(host)} ${what}`);
  };
  const { machine, isStatic } = programOf(bytes, fail);
  if (machine !== ELF_MACHINES[host.cpu]) fail(`is of the machine ${machine}, not ${host.cpu}`);
  if (!isStatic) fail("is not static: it needs a loader or a library of the machine that it is sent to");
  if (bytes.length > MOST_BYTES) fail(`has ${bytes.length} bytes; it may have ${MOST_BYTES}`);
  if (process.platform !== "win32" && (statSync(path).mode & 0o111) === 0) fail("has no run bit");
  if (readFileSync(`${path}.sha256`, "utf8") !== `${digestOf(bytes)}  ${hostFileOf(host)}\n`)
    fail("is not the file that its `.sha256` is of");
  return `${hostPackageOf(host)}: ${(bytes.length / 1e6).toFixed(2)} MB`;
}

function programOf(bytes, fail) {
  try {
    return readProgram(bytes);
  } catch (error) {
    return fail(`cannot be run: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * What is known of a binary that was built, for the page of platforms.
 *
 * @returns {{ host: HostTarget, bytes: number, ran: string }} `ran` says whether it has reported its version here
 */
export function seenOfHost(root, { host, folder }) {
  const path = join(folder, hostFileOf(host));
  const bytes = statSync(path).size;
  const target = TARGETS.find(({ os, libc, cpu }) => os === "linux" && libc === "musl" && cpu === host.cpu);
  const isOwn = ownHost() === host;
  const reason = isOwn ? undefined : whyNoRunner(target);
  if (reason !== undefined) return { host, bytes, ran: `not tried: ${reason}` };
  const { before, where } = isOwn ? { before: [], where: "this machine" } : runnerOf(root, target);
  const [command, ...words] = [...before, path, "--version"];
  try {
    return { host, bytes, ran: `yes, ${runStep(command, words, root).trim()} (${where})` };
  } catch (error) {
    console.log(error instanceof Error ? error.message : String(error));
    return { host, bytes, ran: "failed" };
  }
}
