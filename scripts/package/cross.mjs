/**
 * Builds the two binaries of a target into `build/binaries/<target>/`, on whatever machine this is.
 *
 * Linux and macOS targets are linked by zig (a C compiler that brings the libraries of all of them), through
 * `cargo zigbuild`; both come from PyPI into a folder of their own. So the glibc that is asked for is a number, not that
 * of the machine. A Windows target for Microsoft's tools can only be built on Windows.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runStep } from "./run-step.mjs";
import { addonOf, GLIBC_FLOOR, supervisorOf } from "./targets.mjs";

const ZIG = "ziglang==0.17.1";
const ZIGBUILD = "cargo-zigbuild==0.24.0";

/** A first build of all crates on a slow machine. */
const BUILD_LIMIT_MS = 3_600_000;

/** The file that cargo makes of `pi-natives`. */
function libraryOf(target) {
  if (target.os === "win32") return "pi_natives.dll";
  return target.os === "darwin" ? "libpi_natives.dylib" : "libpi_natives.so";
}

/** The folder with `cargo-zigbuild` and `zig`; installed when it is missing. */
function zigFolder(root) {
  const venv = join(root, "build", "tools", "zig");
  const bin = join(venv, "bin");
  if (!existsSync(join(bin, "cargo-zigbuild"))) {
    runStep("python3", ["-m", "venv", venv], root);
    runStep(join(bin, "pip"), ["install", "--quiet", ZIG, ZIGBUILD], root);
  }
  return bin;
}

/** Whether this machine can build a target at all; a reason where it cannot. */
export function whyNotHere(target) {
  if (target.os === "win32" && process.platform !== "win32")
    return "needs Microsoft's linker and libraries: built on Windows only";
  if (target.os !== "win32" && process.platform === "win32") return "not built on Windows";
  if (target.os === "linux" && process.platform === "darwin") return "built on Linux only";
  return undefined;
}

/** Builds a target. Returns the folder with its binaries. */
export function buildTarget(root, target) {
  const reason = whyNotHere(target);
  if (reason !== undefined) throw new Error(`${target.name} ${reason}`);
  const isNative = target.os === process.platform && target.os !== "linux";
  const targetFolder = process.env.CARGO_TARGET_DIR ?? join(root, "build", "target");
  const env = { ...process.env, CARGO_TARGET_DIR: targetFolder };
  // An addon is loaded by a program that has its C library already: it must not bring one of its own.
  if (target.libc === "musl") env.RUSTFLAGS = "-C target-feature=-crt-static";
  if (!isNative) env.PATH = `${zigFolder(root)}${delimiter}${process.env.PATH}`;
  const triple = target.libc === "glibc" ? `${target.triple}.${GLIBC_FLOOR}` : target.triple;
  runStep("rustup", ["target", "add", target.triple], root);
  const cargo = isNative ? ["build"] : ["zigbuild"];
  const what = ["--locked", "--release", "--target", triple, "-p", "pi-natives", "-p", "pi-supervisor"];
  runStep("cargo", [...cargo, ...what], root, { env, limitMs: BUILD_LIMIT_MS });

  const made = join(targetFolder, target.triple, "release");
  const to = join(root, "build", "binaries", target.name);
  mkdirSync(to, { recursive: true });
  copyFileSync(join(made, libraryOf(target)), join(to, addonOf(target)));
  copyFileSync(join(made, supervisorOf(target)), join(to, supervisorOf(target)));
  for (const file of [addonOf(target), supervisorOf(target)]) chmodSync(join(to, file), 0o755);
  return to;
}
