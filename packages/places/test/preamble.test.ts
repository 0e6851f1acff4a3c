/** What a place writes before its frames. */
import { describe, expect, it } from "vitest";
import { MAX_BANNER_BYTES, PreambleError, type PreambleLine, PreambleReader } from "../src/wire/preamble.ts";

function read(text: string, size: number): { line: PreambleLine | undefined; reader: PreambleReader } {
  const reader = new PreambleReader("n0nce");
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const line = reader.feed(bytes.subarray(at, at + size));
    if (line !== undefined) return { line, reader };
  }
  return { line: undefined, reader };
}

describe("the preamble of a place", () => {
  it.each([1, 2, 7, 1_000])("is found behind a banner, in pieces of %i bytes", (size) => {
    const { line, reader } = read("Welcome\nPI-HOST other ready\n\nPI-HOST n0nce need Linux-x86_64\n", size);
    expect(line?.words).toEqual(["need", "Linux-x86_64"]);
    expect(reader.banner).toBe("Welcome\nPI-HOST other ready\n");
  });

  it("gives back the bytes that follow its line", () => {
    const { line } = read("\nPI-HOST n0nce ready\n\x0b\0\0\0", 1_000);
    expect(line?.rest.toString("latin1")).toBe("\x0b\0\0\0");
  });

  it("is not waited for past 64 KiB of other words, of which the beginning is kept", () => {
    const reader = new PreambleReader("n0nce");
    const flood = Buffer.alloc(16 * 1024, "motd ");
    expect(() => {
      for (let count = 0; count < 10; count += 1) reader.feed(flood);
    }).toThrow(PreambleError);
    expect(reader.banner.length).toBe(MAX_BANNER_BYTES);
  });

  it("has no endless line", () => {
    const reader = new PreambleReader("n0nce");
    expect(() => reader.feed(Buffer.from(`\nPI-HOST n0nce refused ${"x".repeat(9_000)}`))).toThrow(PreambleError);
  });
});
