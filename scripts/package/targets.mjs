/**
 * The systems for which there is a prebuilt package, and how each is named by npm, by Rust and by our loader.
 *
 * The list is `packages/natives/napi.json`, the names are napi's, and `packages/natives/src/target.ts` computes the same at
 * run time. What is known of each target (built, loaded,
 * tested, and where) is not here: `npm run package` finds it out and writes docs/platforms.md.
 */

import { readFileSync } from "node:fs";
import { parseTriple } from "@napi-rs/cli";

/** glibc of the Debian and RHEL releases that Node 20 itself still starts on. */
export const GLIBC_FLOOR = "2.28";

/** @type {{ binaryName: string, packageName: string, targets: string[] }} */
const config = JSON.parse(readFileSync(new URL("../../packages/natives/napi.json", import.meta.url), "utf8"));

/**
 * A target as napi names it, and npm's fields for it.
 * @param {string} triple
 */
function targetOf(triple) {
  const { platformArchABI: name, platform: os, arch: cpu, abi } = parseTriple(triple);
  return { name, triple, os, cpu, ...(os === "linux" ? { libc: abi === "gnu" ? "glibc" : "musl" } : {}) };
}

/** Every target, in the order in which documents list them. */
export const TARGETS = config.targets.map(targetOf);

/**
 * Built only to be tried: Windows by the GNU tools, since Microsoft's are on Windows alone. Named as what it stands in
 * for; `folder` keeps its binaries apart.
 */
export const STAND_INS = [{ ...targetOf("x86_64-pc-windows-gnu"), name: "win32-x64-msvc", folder: "win32-x64-gnu" }];

/** The npm package of a target. @param {{ name: string }} target */
export function packageOf(target) {
  return `${config.packageName}-${target.name}`;
}

/** The addon's file name in `bin/` and in the package. */
export function addonOf(target) {
  return `${config.binaryName}.${target.name}.node`;
}

/** The supervisor's file name beside the addon. */
export function supervisorOf(target) {
  return target.os === "win32" ? "pi-supervisor.exe" : "pi-supervisor";
}

/** The target of this machine; undefined where there is no package for it. */
export function ownTarget() {
  if (process.platform !== "linux") {
    return TARGETS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  }
  // The network part of the report looks up names, which can take seconds.
  process.report.excludeNetwork = true;
  const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return TARGETS.find((target) => target.os === "linux" && target.cpu === process.arch && target.libc === libc);
}
