/** How the loader finds out which C library the process has: by reading an executable's own headers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { currentTarget, loaderOf } from "../src/target.ts";

const HEADER_BYTES = 64;
const ENTRY_BYTES = 56;

/** An executable of nothing but headers, whose loader's path stands `distance` bytes behind them. */
function executable(path: string | undefined, distance: number): string {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(0x7f454c46, 0);
  header[4] = 2;
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  header.writeUInt16LE(ENTRY_BYTES, 54);
  header.writeUInt16LE(2, 56);
  const load = Buffer.alloc(ENTRY_BYTES);
  load.writeUInt32LE(1, 0);
  const interpreter = Buffer.alloc(ENTRY_BYTES);
  const name = Buffer.from(`${path ?? ""}\0`);
  interpreter.writeUInt32LE(path === undefined ? 1 : 3, 0);
  interpreter.writeBigUInt64LE(BigInt(HEADER_BYTES + 2 * ENTRY_BYTES + distance), 8);
  interpreter.writeBigUInt64LE(BigInt(name.length), 32);
  const file = join(scratchFolder(), "program");
  writeFileSync(file, Buffer.concat([header, load, interpreter, Buffer.alloc(distance), name]));
  return file;
}

describe("the loader of an executable", () => {
  it("is found where the linker put it, and where a rewriting tool put it", () => {
    for (const distance of [0, 100_000]) {
      expect(loaderOf(executable("/lib/ld-musl-x86_64.so.1", distance))).toBe("/lib/ld-musl-x86_64.so.1");
    }
  });

  it("is none for a static program, a text, and a file of a few bytes", () => {
    const text = join(scratchFolder(), "text");
    writeFileSync(text, `#!/bin/sh\n${"# a script\n".repeat(20)}`);
    const short = join(scratchFolder(), "short");
    writeFileSync(short, Buffer.from([0x7f, 0x45, 0x4c, 0x46]));

    expect(loaderOf(executable(undefined, 0))).toBeUndefined();
    expect(loaderOf(text)).toBeUndefined();
    expect(loaderOf(short)).toBeUndefined();
  });

  // The file format is that of Linux.
  it.runIf(process.platform === "linux")("of this process agrees with what the process says of its C library", () => {
    const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };

    expect(loaderOf(process.execPath)).toMatch(/^\/.*\/ld-[^/]+$/);
    expect(currentTarget().endsWith("-gnu")).toBe(report.header.glibcVersionRuntime !== undefined);
  });
});
