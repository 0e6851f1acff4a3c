/**
 * Which build of the addon belongs to this process.
 *
 * The names are those of `scripts/build-native.mjs` and of the prebuilt packages, e.g. `linux-x64-gnu`.
 */
import { closeSync, openSync, readSync } from "node:fs";

/** The dynamic loader's path stands in the program headers, at the very start of an executable. */
const ELF_HEADER_BYTES = 4096;

/** The target of this process: platform, architecture and, on Linux, the C library. */
export function currentTarget(): string {
  const system = `${process.platform}-${process.arch}`;
  return process.platform === "linux" ? `${system}-${isMusl() ? "musl" : "gnu"}` : system;
}

/** The file name of the supervisor's executable. */
export function supervisorName(): string {
  return process.platform === "win32" ? "pi-supervisor.exe" : "pi-supervisor";
}

/**
 * Whether this process runs on musl: its own executable names the loader. `process.report` would tell as well, and
 * takes up to seconds for a report of the network nobody asked for.
 */
function isMusl(): boolean {
  try {
    const file = openSync(process.execPath, "r");
    try {
      const header = Buffer.alloc(ELF_HEADER_BYTES);
      const length = readSync(file, header, 0, header.length, 0);
      return header.subarray(0, length).includes("/ld-musl-");
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // An executable that cannot be read: take the common case, the loader tells if it is wrong.
  }
}
