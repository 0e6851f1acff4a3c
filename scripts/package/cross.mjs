/**
 * Builds the two binaries of a target into `build/binaries/<target>/`, on whatever machine this is.
 *
 * Linux and macOS targets are linked by zig (a C compiler that brings the libraries of all of them), through
 * `napi build --cross-compile` and its `cargo zigbuild`; both come from PyPI into a folder of their own. So the glibc that is
 * asked for is a number, not that of the machine. A Windows target for Microsoft's tools can only be built on Windows.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { cargoFolder, napiBuildWords } from "../native/napi-build.mjs";
import { staticTripleOf } from "../native/static-target.mjs";
import { buildStaticSupervisor } from "../native/supervisor.mjs";
import { runStep } from "./run-step.mjs";
import { addonOf, GLIBC_FLOOR, supervisorOf } from "./targets.mjs";

const ZIG = "ziglang==0.17.1";
const ZIGBUILD = "cargo-zigbuild==0.24.0";

/** A first build of all crates on a slow machine. */
const BUILD_LIMIT_MS = 3_600_000;

/** Debian's C tools for Windows: `gcc-mingw-w64-x86-64` and its binutils. */
const MINGW = "x86_64-w64-mingw32";

/** The folder with `cargo-zigbuild` and `zig`; installed when it is missing. */
export function zigFolder(root) {
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
  if (isMingw(target)) {
    if (process.platform !== "linux") return "built on Linux only";
    return spawnSync(`${MINGW}-gcc`, ["--version"]).error ? `needs \`${MINGW}-gcc\`` : undefined;
  }
  if (target.os === "win32" && process.platform !== "win32")
    return "needs Microsoft's linker and libraries: built on Windows only";
  if (target.os !== "win32" && process.platform === "win32") return "not built on Windows";
  if (target.os === "linux" && process.platform === "darwin") return "built on Linux only";
  return undefined;
}

function isMingw(target) {
  return target.triple.endsWith("-windows-gnu");
}

/**
 * What napi's build script wants of a GNU Windows: a folder with `libnode.dll`. Symbols come from the running
 * `node.exe`, so a library that says just that stands beside an empty file of the name that is looked for.
 */
function nodeImports(root) {
  const folder = join(root, "build", "tools", "libnode");
  const library = join(folder, "libnode.dll.a");
  if (existsSync(library)) return folder;
  mkdirSync(folder, { recursive: true });
  const symbols = nodeApiSymbols(root);
  writeFileSync(join(folder, "node.def"), `LIBRARY node.exe\nEXPORTS\n${symbols.join("\n")}\n`);
  writeFileSync(join(folder, "libnode.dll"), "");
  runStep(`${MINGW}-dlltool`, ["-D", "node.exe", "-d", join(folder, "node.def"), "-l", library], folder);
  return folder;
}

/** Names of the functions of Node-API, from the crate that declares them. */
function nodeApiSymbols(root) {
  const metadata = runStep("cargo", ["metadata", "--locked", "--format-version", "1", "--quiet"], root);
  const json = metadata.slice(metadata.indexOf("{"), metadata.lastIndexOf("}") + 1);
  const crate = JSON.parse(json).packages.find(({ name }) => name === "napi-sys");
  const source = readFileSync(join(crate.manifest_path, "..", "src", "functions.rs"), "utf8");
  return [...new Set(source.match(/\b(?:napi|node_api)_\w+(?=\s*\()/g))];
}

/** What `napi build` is given for a target, and its environment. */
function napiFor(root, target) {
  const env = { ...process.env };
  if (isMingw(target)) {
    env.CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER = `${MINGW}-gcc`;
    env.LIBNODE_PATH = nodeImports(root);
    return { triple: target.triple, isCross: false, env };
  }
  if (target.os === process.platform && target.os !== "linux") return { triple: target.triple, isCross: false, env };
  env.PATH = `${zigFolder(root)}${delimiter}${process.env.PATH}`;
  const triple = target.libc === "glibc" ? `${target.triple}.${GLIBC_FLOOR}` : target.triple;
  return { triple, isCross: true, env };
}

/** Builds a target. Returns the folder with its binaries. */
export function buildTarget(root, target) {
  const reason = whyNotHere(target);
  if (reason !== undefined) throw new Error(`${target.name} ${reason}`);
  const targetFolder = process.env.CARGO_TARGET_DIR ?? join(root, "build", "target");
  const to = join(root, "build", "binaries", target.folder ?? target.name);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  runStep("rustup", ["target", "add", target.triple], root);
  const { triple, isCross, env } = napiFor(root, target);
  const words = napiBuildWords(root, { outputFolder: to, targetFolder, profile: "release", triple, isCross });
  runStep(process.execPath, words, root, { env, limitMs: BUILD_LIMIT_MS });
  rmSync(join(to, "binding.d.ts"));
  // A stand-in carries the name of what it stands in for.
  const [made] = readdirSync(to);
  renameSync(join(to, made), join(to, addonOf(target)));
  copyFileSync(supervisorBuilt(root, target, targetFolder), join(to, supervisorOf(target)));
  for (const file of [addonOf(target), supervisorOf(target)]) chmodSync(join(to, file), 0o755);
  return to;
}

/** Where a target's supervisor was built: on Linux a static one, see `native/supervisor.mjs`. */
function supervisorBuilt(root, target, targetFolder) {
  const triple = target.os === "linux" ? staticTripleOf(target.cpu) : undefined;
  if (triple === undefined) return join(cargoFolder(targetFolder, target.triple, "release"), supervisorOf(target));
  return buildStaticSupervisor(root, { triple, targetFolder, profile: "release", limitMs: BUILD_LIMIT_MS });
}

/** The sizes of a target's binaries, for the table of platforms. */
export function binarySizes(target, folder) {
  return [addonOf(target), supervisorOf(target)]
    .map((file) => `${(statSync(join(folder, file)).size / 1024 / 1024).toFixed(1)}`)
    .join(" + ")
    .concat(" MiB");
}
