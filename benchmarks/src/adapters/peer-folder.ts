/**
 * The folder where optional peers are installed (`npm run bench:peers`): its packages are looked up there and nowhere else,
 * so that an ordinary install neither needs nor sees them.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = new URL("../../peers/", import.meta.url);

/** Imports a peer. Rejects where it is not installed or not for this machine. */
export async function importPeer<T>(name: string): Promise<T> {
  const found = entryOf(name);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return (await import(pathToFileURL(found).href)) as T;
}

/** Whether a peer is there: in the peers' folder, or among what an ordinary install brings. */
export function hasPeer(name: string): boolean {
  if (existsSync(new URL(`node_modules/${name}/package.json`, folder))) return true;
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false;
  }
}

/** The path of a file of a peer, whether it is there or not. */
export function peerFile(name: string, file: string): string {
  return fileURLToPath(new URL(`node_modules/${name}/${file}`, folder));
}

/** The path of the peers' `bun`; `undefined` where it is not installed. */
export function bunProgram(): string | undefined {
  const { platform, arch } = process;
  const machine = arch === "arm64" ? "aarch64" : arch;
  const installed = fileURLToPath(new URL(`node_modules/@oven/bun-${platform}-${machine}/bin/bun`, folder));
  return existsSync(installed) ? installed : undefined;
}

/** The file that `import` takes; `undefined` where the package is missing or says it in a way not known here. */
function entryOf(name: string): string | undefined {
  const home = new URL(`node_modules/${name}/`, folder);
  try {
    const { exports, main } = JSON.parse(readFileSync(new URL("package.json", home), "utf8")) as Manifest;
    const entry = targetOf(exports) ?? main ?? "index.js";
    return fileURLToPath(new URL(entry, home));
  } catch {
    return undefined;
  }
}

/** What of a manifest is looked at. */
interface Manifest {
  readonly exports?: Exports;
  readonly main?: string;
}

type Exports = string | { readonly [condition: string]: Exports };

function targetOf(exports: Exports | undefined): string | undefined {
  if (exports === undefined || typeof exports === "string") return exports;
  return targetOf(exports["."] ?? exports["import"] ?? exports["default"]);
}
