/**
 * Which builds of `pi-host` this installation has, by machine.
 *
 * Two places are looked in: `bin/` of this package (a checkout) and the package of each target. A build is known by its
 * SHA-256, which is worked out once for a process.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { HostBinary } from "./handshake.ts";

/** What `uname` says, and how npm names the target. */
const TARGETS = [
  { machine: "Linux-x86_64", target: "linux-x64" },
  { machine: "Linux-aarch64", target: "linux-arm64" },
] as const;

const require = createRequire(import.meta.url);

const known = new Map<string, Promise<HostBinary>>();

/** The builds there are; with `only`, one file for this machine. Rejects where `only` cannot be read. */
export async function hostBinaries(only?: string): Promise<HostBinary[]> {
  if (only !== undefined) return [await binaryAt(only, ownMachine())];
  const found = TARGETS.map(({ machine, target }) => ({ machine, path: pathOf(target) }));
  return Promise.all(
    found.filter(({ path }) => path !== undefined).map(({ machine, path = "" }) => binaryAt(path, machine)),
  );
}

/** The architecture of a far machine, as `process.arch` names it. */
export function nodeArch(arch: string): string {
  if (arch === "x86_64" || arch === "amd64") return "x64";
  return arch === "aarch64" ? "arm64" : arch;
}

function pathOf(target: string): string | undefined {
  // `src` and `dist` are both beside `bin`.
  const own = fileURLToPath(new URL(`../bin/pi-host-${target}`, import.meta.url));
  if (existsSync(own)) return own;
  try {
    return require.resolve(`@pi-bash/host-${target}`);
  } catch {
    return undefined;
  }
}

function binaryAt(path: string, machine: string): Promise<HostBinary> {
  const found = known.get(path);
  if (found !== undefined) return found;
  const made = readFile(path).then((bytes) => ({
    machine,
    digest: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
    read: () => readFile(path),
  }));
  known.set(path, made);
  made.catch(() => known.delete(path));
  return made;
}

function ownMachine(): string {
  return process.arch === "arm64" ? "Linux-aarch64" : "Linux-x86_64";
}
