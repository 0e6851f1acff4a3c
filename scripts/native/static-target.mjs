/**
 * Linux without a C library of the machine: what is static and runs on every distribution. `pi-host` is, and so is the
 * supervisor, which is started with every session: without a dynamic loader, that takes a third of the time.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

/** What each triple is called in file names, which follow `process.arch`. */
export const ARCHITECTURES = { "x86_64-unknown-linux-musl": "x64", "aarch64-unknown-linux-musl": "arm64" };

/** Rust's own linker links what has no C in it, for any of these triples, wherever this runs. */
export const OWN_LINKER = ["-C", "linker=rust-lld", "-C", "linker-flavor=ld.lld"];

/** The triple for a processor as `process.arch` names it; undefined where there is none. */
export function staticTripleOf(architecture) {
  return Object.keys(ARCHITECTURES).find((triple) => ARCHITECTURES[triple] === architecture);
}

/**
 * Has rustup add the standard library for a triple where it is missing.
 * @throws Error that names the remedy where it cannot
 */
export function requireTarget(triple) {
  const { stdout, error } = spawnSync("rustc", ["--print", "target-libdir", "--target", triple], { encoding: "utf8" });
  if (error) throw new Error("`rustc` is not installed; install Rust (https://rustup.rs)", { cause: error });
  const folder = stdout.trim();
  if (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("libstd-"))) return;
  const { status } = spawnSync("rustup", ["target", "add", triple], { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    throw new Error(`Rust has no standard library for ${triple}; run \`rustup target add ${triple}\` with network`);
  }
}
