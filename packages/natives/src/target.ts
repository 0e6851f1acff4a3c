/**
 * Which build of the addon belongs to this process.
 *
 * The names are those that `napi build` gives to addons and prebuilt packages, e.g. `linux-x64-gnu`.
 */
import { closeSync, openSync, readSync } from "node:fs";

/** Where a 64-bit ELF file says where its program headers are, how long each is, and how many there are. */
const HEADER_BYTES = 64;
const TABLE_OFFSET = 32;
const ENTRY_LENGTH = 54;
const ENTRY_COUNT = 56;

/** The kind of the program header that points at the dynamic loader's path, and where in a header the rest stands. */
const PT_INTERP = 3;
const FILE_OFFSET = 8;
const FILE_LENGTH = 32;

/** A path of a file system is not longer. */
const MAX_PATH_BYTES = 4096;

/** The target of this process: platform, architecture and, where there are several, the C library. */
export function currentTarget(): string {
  const system = `${process.platform}-${process.arch}`;
  if (process.platform === "win32") return `${system}-msvc`;
  return process.platform === "linux" ? `${system}-${isMusl() ? "musl" : "gnu"}` : system;
}

/** The file name of the supervisor's executable. */
export function supervisorName(): string {
  return process.platform === "win32" ? "pi-supervisor.exe" : "pi-supervisor";
}

/**
 * Whether this process runs on musl: its own executable names the loader. `process.report` would tell as well, and
 * takes up to seconds for a report of the network no one asked for.
 */
function isMusl(): boolean {
  try {
    return loaderOf(process.execPath)?.includes("/ld-musl-") ?? false;
  } catch {
    return false; // An executable that cannot be read: take the common case, the loader tells if it is wrong.
  }
}

/**
 * The dynamic loader that an executable names. Its place in the file is looked up: a tool that rewrites executables
 * (`patchelf`, as in Python's wheels of Node and in Nix) moves it to the end.
 *
 * @param executable absolute path of a 64-bit little-endian ELF file
 * @returns the loader's path; undefined where the file is no such ELF file or names none
 * @throws Error of the file system when the file cannot be read
 */
export function loaderOf(executable: string): string | undefined {
  const file = openSync(executable, "r");
  try {
    const read = (position: number, length: number) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, position));
    };
    const header = read(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2) return undefined;
    const entryLength = header.readUInt16LE(ENTRY_LENGTH);
    const table = read(Number(header.readBigUInt64LE(TABLE_OFFSET)), entryLength * header.readUInt16LE(ENTRY_COUNT));
    for (let at = 0; at + FILE_LENGTH + 8 <= table.length; at += entryLength) {
      if (table.readUInt32LE(at) !== PT_INTERP) continue;
      const length = Math.min(Number(table.readBigUInt64LE(at + FILE_LENGTH)), MAX_PATH_BYTES);
      return read(Number(table.readBigUInt64LE(at + FILE_OFFSET)), length)
        .toString("latin1")
        .replace(/\0.*$/s, "");
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}
