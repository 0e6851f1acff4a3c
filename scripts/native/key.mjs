/**
 * What the native build depends on besides files that are committed: the compiler, the system and its C library.
 *
 * turbo knows files and variables, so this is written to a file that is an input of the task `native`: a cache that another
 * machine has filled gives no addon to a system that it was not built for.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Folders of a crate that no build of the addon reads. `turbo.json` leaves out the same. */
const NOT_BUILT = ["benches", "examples", "tests"];

const keyPath = (root) => join(root, ".turbo", "toolchain.json");

/** Writes the file where it is not what it has to be, so that its times stay. */
export function writeToolchainKey(root) {
  const text = `${JSON.stringify(toolchain(), null, 2)}\n`;
  if (readKey(root) === text) return;
  mkdirSync(join(root, ".turbo"), { recursive: true });
  writeFileSync(keyPath(root), text);
}

function readKey(root) {
  try {
    return readFileSync(keyPath(root), "utf8");
  } catch {
    return undefined;
  }
}

function toolchain() {
  const rustc = spawnSync("rustc", ["-vV"], { encoding: "utf8", timeout: 60_000 });
  return {
    platform: process.platform,
    arch: process.arch,
    libc: libcOf(),
    rustc: rustc.status === 0 ? rustc.stdout.trim().split("\n") : "none",
  };
}

/** A build made against a newer glibc does not load on an older one. */
function libcOf() {
  if (process.platform !== "linux") return undefined;
  // The network part of the report looks up names, which can take seconds.
  process.report.excludeNetwork = true;
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  return glibc === undefined ? "musl" : `glibc ${glibc}`;
}

/** What the native build reads, as paths below the workspace with `/`: the inputs of the task in `turbo.json`. */
export function sourceFiles(root) {
  const files = [
    "Cargo.toml",
    "Cargo.lock",
    "packages/natives/napi.json",
    "scripts/build-native.mjs",
    "bash-driver/build.mjs",
    "bash-driver/protocol.h",
  ];
  for (const folder of ["crates", "scripts/native", "bash-driver/src"]) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, "/");
      if (entry.isFile() && !NOT_BUILT.includes(path.split("/")[2])) files.push(path);
    }
  }
  return files.sort();
}

/** Variables that change what cargo builds; `turbo.json` has the same. */
const VARIABLES = /^(?:RUSTFLAGS|CARGO_ENCODED_RUSTFLAGS|CARGO_(?:BUILD|PROFILE)_.*|CC|CFLAGS)$/;

/** A digest of all that. Contents, not times: a checkout changes times and nothing else. */
export function sourceDigest(root, profile) {
  const variables = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  const hash = createHash("sha256").update(JSON.stringify([profile, variables.sort(), toolchain()]));
  for (const file of sourceFiles(root)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}
