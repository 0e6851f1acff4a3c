/**
 * Builds `pi-host`, the engine as a program, static and for one Linux: into `packages/places/bin/pi-host-linux-<arch>`, with
 * its SHA-256 beside it in `pi-host-linux-<arch>.sha256` (neither is committed).
 *
 *   node scripts/build-host.mjs [--target <triple>] [--into <folder>] [--if-possible]
 *
 * The triple is `x86_64-unknown-linux-musl` or `aarch64-unknown-linux-musl`; without one, that of this machine. A target of
 * rustup that is missing is added; with `--if-possible`, a target that cannot be added is reported and the script succeeds.
 * `--into` names another folder. CARGO_TARGET_DIR is honoured.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ARCHITECTURES, OWN_LINKER, requireTarget, staticTripleOf } from "./native/static-target.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The cargo profile, in Cargo.toml. */
const PROFILE = "host";

/** Most bytes: it is sent over links, to places where it is missing. */
const MOST_BYTES = 3_000_000;

/** Functions with the same code are one, and relocations are packed, which musl reads since 1.2.4: together 110 KB. */
const LINK_WORDS = [...OWN_LINKER, "-C", "link-arg=--icf=all", "-C", "link-arg=--pack-dyn-relocs=relr"];

/**
 * For all crates of it, so by the environment. With a frame pointer the tables for unwinding need not follow each push: they
 * lose 75 KB, and the code gains 8 KB. LLVM's bound for inlining at `opt-level = "z"` is so low that calls take more room than
 * what they call: with 15 there are 25 KB less, and a command takes 4 µs less. With 22 there are 8 KB more.
 */
const CODE_FLAGS = "-C force-frame-pointers=yes -C llvm-args=-inline-threshold=15";

function defaultTriple() {
  const triple = staticTripleOf(process.arch);
  if (!triple) throw new Error(`there is no \`pi-host\` for ${process.arch}; name a target with \`--target\``);
  return triple;
}

function run(program, words, options = {}) {
  const done = spawnSync(program, words, { cwd: root, encoding: "utf8", ...options });
  if (done.error?.code === "ENOENT") throw new Error(`\`${program}\` is not installed`, { cause: done.error });
  if (done.error) throw done.error;
  return done;
}

/** Puts a file in place in one step: a place that is opened meanwhile reads the old one or the new one. */
function install(write, to) {
  const temporary = `${to}.${process.pid}.tmp`;
  write(temporary);
  renameSync(temporary, to);
}

function main() {
  const { values } = parseArgs({
    options: { target: { type: "string" }, into: { type: "string" }, "if-possible": { type: "boolean" } },
  });
  const isOptional = values["if-possible"] === true;
  if (isOptional && process.platform !== "linux") return;
  const triple = values.target ?? defaultTriple();
  const architecture = ARCHITECTURES[triple];
  if (architecture === undefined) {
    throw new Error(`\`${triple}\` is not a target of \`pi-host\`; it has ${Object.keys(ARCHITECTURES).join(", ")}`);
  }
  try {
    requireTarget(triple);
  } catch (error) {
    if (!isOptional) throw error;
    console.log(`build-host: ${error instanceof Error ? error.message : error}; nothing was built`);
    return;
  }
  const targetFolder = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
  const words = ["rustc", "--locked", "--package", "pi-host", "--bin", "pi-host", "--profile", PROFILE];
  const place = ["--target", triple, "--target-dir", targetFolder];
  const { status, signal } = run("cargo", [...words, ...place, "--", ...LINK_WORDS], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [`CARGO_TARGET_${triple.toUpperCase().replaceAll("-", "_")}_RUSTFLAGS`]: CODE_FLAGS },
  });
  if (status !== 0) throw new Error(`\`cargo build\` ended with ${status ?? signal}`);
  const built = join(targetFolder, triple, PROFILE, "pi-host");
  const bytes = readFileSync(built);
  if (bytes.length > MOST_BYTES) {
    throw new Error(`\`pi-host\` has ${bytes.length} bytes for ${triple}; it may have ${MOST_BYTES}`);
  }
  const folder = resolve(root, values.into ?? join("packages", "places", "bin"));
  mkdirSync(folder, { recursive: true });
  const name = `pi-host-linux-${architecture}`;
  const digest = createHash("sha256").update(bytes).digest("hex");
  install(
    (file) => {
      copyFileSync(built, file);
      chmodSync(file, 0o755);
    },
    join(folder, name),
  );
  install((file) => writeFileSync(file, `${digest}  ${name}\n`), join(folder, `${name}.sha256`));
  console.log(`${name}: ${bytes.length} bytes, sha256 ${digest}`);
}

try {
  main();
} catch (error) {
  console.error(`build-host: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
