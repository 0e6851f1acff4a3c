/**
 * Builds the native half: the addon, the supervisor and the bash driver beside it, and the addon's TypeScript types, into
 * `packages/natives/bin/` (never committed).
 *
 * turbo calls it as the task `native` when one of the task's inputs has changed. When the sources are those of the last
 * build all the same (turbo also counts every entry of `package.json`), nothing is started.
 *
 * PI_BASH_CARGO_PROFILE=dev builds without optimization (quick to build, slow to run). CARGO_TARGET_DIR is honoured.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceDigest } from "./native/key.mjs";
import { cargoFolder, napiBuildWords } from "./native/napi-build.mjs";
import { binFolder, isBuilt, stampPath } from "./native/stamp.mjs";
import { requireTarget, staticTripleOf } from "./native/static-target.mjs";
import { buildStaticSupervisor } from "./native/supervisor.mjs";
import { placeTypes } from "./native/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const supervisor = process.platform === "win32" ? "pi-supervisor.exe" : "pi-supervisor";

/** Puts a file in place in one step, so that a process that starts meanwhile finds the old one or the new one. */
function install(from, to) {
  const temporary = `${to}.${process.pid}.tmp`;
  copyFileSync(from, temporary);
  chmodSync(temporary, 0o755);
  renameSync(temporary, to);
}

/** The triple of this machine, which names the folder that cargo builds into. */
function hostTriple() {
  const { stdout, error } = spawnSync("rustc", ["-vV"], { encoding: "utf8" });
  if (error?.code === "ENOENT") {
    throw new Error("Rust is not installed; install it (https://rustup.rs), then run this again");
  }
  return /^host: (.*)$/m.exec(stdout ?? "")?.[1];
}

function build(profile) {
  const triple = hostTriple();
  const targetFolder = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
  const bin = binFolder(root);
  mkdirSync(bin, { recursive: true });
  const made = mkdtempSync(join(bin, ".made-"));
  try {
    const words = napiBuildWords(root, { outputFolder: made, targetFolder, profile, triple });
    const { status, signal, error } = spawnSync(process.execPath, words, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`\`napi build\` ended with ${status ?? signal}`);
    const built =
      staticSupervisor(targetFolder, profile) ?? join(cargoFolder(targetFolder, triple, profile), supervisor);
    copyFileSync(built, join(made, supervisor));
    if (process.platform === "linux") buildDriver(made);
    for (const file of readdirSync(made)) install(join(made, file), join(bin, file));
    return readdirSync(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The path of a static supervisor; undefined where there is none for this machine, or no network to build the first one. */
function staticSupervisor(targetFolder, profile) {
  const triple = process.platform === "linux" ? staticTripleOf(process.arch) : undefined;
  if (triple === undefined) return undefined;
  try {
    requireTarget(triple);
  } catch (error) {
    console.log(`native build: ${error instanceof Error ? error.message : error}; the supervisor is linked with libc`);
    return undefined;
  }
  return buildStaticSupervisor(root, { triple, targetFolder, profile });
}

/** The bash driver, by the C compiler that Rust links with. */
function buildDriver(folder) {
  const { status, signal, error } = spawnSync(process.execPath, [join(root, "bash-driver", "build.mjs"), folder], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`the bash driver was not built: ${status ?? signal}`);
}

function main() {
  const profile = process.env.PI_BASH_CARGO_PROFILE || "release";
  const digest = sourceDigest(root, profile);
  if (isBuilt(root, digest)) {
    placeTypes(root);
    console.log("native build: up to date");
    return;
  }
  const files = build(profile);
  placeTypes(root);
  writeFileSync(stampPath(root), `${JSON.stringify({ digest, profile, files }, null, 2)}\n`);
  console.log(`native build: ${files.join(", ")}`);
}

try {
  main();
} catch (error) {
  console.error(`native build failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
