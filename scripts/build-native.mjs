/**
 * Builds the native half: the addon, the supervisor beside it, and the addon's TypeScript types.
 *
 * One cargo call builds both, so that they are always of one version. It writes `packages/natives/bin/` (never
 * committed) and `packages/natives/src/generated/binding.d.ts` (committed, so that a change of the interface is seen
 * in review). When the sources are the ones of the last build, nothing is started: `npm start` stays quick.
 *
 *   node scripts/build-native.mjs            build what is not built
 *   node scripts/build-native.mjs --check    the same, but fail when the committed types are not what the sources give
 *
 * PI_BASH_CARGO_PROFILE=dev builds without optimization (quick to build, slow to run). CARGO_TARGET_DIR is honoured.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { generateTypeDef } from "@napi-rs/cli";

const root = fileURLToPath(new URL("..", import.meta.url));
const natives = join(root, "packages", "natives");
const binFolder = join(natives, "bin");
const stampPath = join(binFolder, "build.json");
const typesPath = join(natives, "src", "generated", "binding.d.ts");

const HEADER = `/**
 * Types of the native addon, generated from \`crates/pi-natives\` by \`npm run build:native\`. Never edit this file: change
 * the Rust source, whose comments are the ones below.
 */
`;

/** The part of a file name that tells for which system it is, e.g. `linux-x64-gnu`. */
function platformName() {
  if (process.platform !== "linux") return `${process.platform}-${process.arch}`;
  // The network part of the report looks up names, which can take seconds.
  process.report.excludeNetwork = true;
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  return `linux-${process.arch}-${glibc ? "gnu" : "musl"}`;
}

function libraryName() {
  if (process.platform === "win32") return "pi_natives.dll";
  return process.platform === "darwin" ? "libpi_natives.dylib" : "libpi_natives.so";
}

/** A digest of everything the build reads. Contents, not times: a checkout changes times and nothing else. */
function sourceDigest(profile) {
  const hash = createHash("sha256").update(`${profile}\n${process.env.RUSTFLAGS ?? ""}\n`);
  const files = ["Cargo.toml", "Cargo.lock", "scripts/build-native.mjs"];
  for (const entry of readdirSync(join(root, "crates"), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) files.push(join(entry.parentPath ?? entry.path, entry.name).slice(root.length));
  }
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampPath, "utf8"));
  } catch {
    return undefined; // Never built, or cut off while it was written: both mean that it has to be built.
  }
}

/** Puts a file in place in one step, so that a process that starts meanwhile finds the old one or the new one. */
function install(from, to) {
  const temporary = `${to}.${process.pid}.tmp`;
  copyFileSync(from, temporary);
  chmodSync(temporary, 0o755);
  renameSync(temporary, to);
}

function runCargo(profile, targetFolder, typesFolder) {
  const profileArguments = profile === "dev" ? [] : ["--profile", profile];
  const env = { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: typesFolder };
  // The macro writes its types only while it compiles: without the file of an earlier build, it has to compile again.
  if (!existsSync(join(typesFolder, "pi-natives"))) env.NAPI_FORCE_BUILD_PI_NATIVES = String(Date.now());
  const cargo = spawnSync(
    "cargo",
    ["build", "--locked", "--target-dir", targetFolder, ...profileArguments, "-p", "pi-natives", "-p", "pi-supervisor"],
    { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] },
  );
  if (cargo.error?.code === "ENOENT") {
    throw new Error("`cargo` is not installed; install Rust (https://rustup.rs), then run this again");
  }
  if (cargo.error) throw cargo.error;
  if (cargo.status !== 0) throw new Error(`\`cargo build\` failed (${cargo.status ?? cargo.signal})`);
}

/** Writes the types, or compares them; returns whether the file is what the sources give. */
async function updateTypes(typesFolder, checkOnly) {
  const { dts } = await generateTypeDef({ typeDefDir: typesFolder, cwd: root, dtsHeader: HEADER, constEnum: false });
  if (!dts.includes("export ")) return true; // A binding without exports has no types to keep.
  const committed = existsSync(typesPath) ? readFileSync(typesPath, "utf8") : "";
  if (committed === dts) return true;
  if (checkOnly) return false;
  mkdirSync(join(natives, "src", "generated"), { recursive: true });
  writeFileSync(typesPath, dts);
  return true;
}

/** The compiler copies no `.d.ts`, and the built declarations refer to this one. */
function publishTypes() {
  if (!existsSync(typesPath)) return;
  mkdirSync(join(natives, "dist", "generated"), { recursive: true });
  copyFileSync(typesPath, join(natives, "dist", "generated", "binding.d.ts"));
}

async function main() {
  const checkOnly = process.argv.includes("--check");
  const profile = process.env.PI_BASH_CARGO_PROFILE ?? "release";
  const targetFolder = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
  const typesFolder = join(targetFolder, "napi-types", profile);
  const executable = process.platform === "win32" ? "pi-supervisor.exe" : "pi-supervisor";
  const outputs = {
    [libraryName()]: join(binFolder, `pi-natives.${platformName()}.node`),
    [executable]: join(binFolder, executable),
  };

  const digest = sourceDigest(profile);
  const types = () =>
    createHash("sha256")
      .update(existsSync(typesPath) ? readFileSync(typesPath) : "")
      .digest("hex");
  const stamp = readStamp();
  const present = Object.values(outputs).every((path) => existsSync(path));
  if (present && stamp?.digest === digest && stamp.types === types()) {
    publishTypes();
    console.log("native build: up to date");
    return;
  }

  mkdirSync(typesFolder, { recursive: true });
  mkdirSync(binFolder, { recursive: true });
  runCargo(profile, targetFolder, typesFolder);
  for (const [name, to] of Object.entries(outputs)) {
    install(join(targetFolder, profile === "dev" ? "debug" : profile, name), to);
  }
  const current = await updateTypes(typesFolder, checkOnly);
  publishTypes();
  if (!current) {
    throw new Error("`binding.d.ts` is not what crates/pi-natives gives; run `npm run build:native` and commit it");
  }
  writeFileSync(stampPath, `${JSON.stringify({ digest, types: types(), profile }, null, 2)}\n`);
  console.log(
    `native build: ${Object.values(outputs)
      .map((path) => path.slice(root.length))
      .join(", ")}`,
  );
}

try {
  await main();
} catch (error) {
  console.error(`native build failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
