/** A file of a place that lies about its file: what is brought here has a bound, and a reader has an end. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readAt } from "../src/artifacts/readable-file.ts";
import { FarSpill } from "../src/places/far-spill.ts";
import type { PlaceFiles } from "../src/places/place.ts";

const MEBIBYTE = 1024 ** 2;

/** A spill whose place answers each question with `bytes`, and says that there are `size`. */
function spillOf(bytes: Buffer, size: number) {
  const folder = mkdtempSync(join(tmpdir(), "pi-far-spill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const removed: string[] = [];
  const files: PlaceFiles = {
    read: () => Promise.resolve({ bytes, size }),
    remove: async (name) => void removed.push(name),
    stat: () => Promise.resolve({ kind: "missing" }),
    put: () => Promise.reject(new Error("it takes no file")),
  };
  return { spill: new FarSpill("far", "/x/1.log", files), folder, path: join(folder, "1.log"), removed };
}

it.each([
  ["is said to be larger than may be brought here", Buffer.alloc(MEBIBYTE), 2 ** 50],
  ["goes on beyond what was said", Buffer.alloc(4 * MEBIBYTE), MEBIBYTE],
  ["ends before what was said", Buffer.alloc(0), MEBIBYTE],
])("a file that %s is not brought here, and nothing is left of it", async (_, bytes, size) => {
  const { spill, path, folder, removed } = spillOf(bytes, size);
  await expect(spill.pull(path, 3 * MEBIBYTE)).rejects.toMatchObject({
    message: expect.stringMatching(/^far gives (more|less) of `1.log` than /),
  });
  expect({ files: readdirSync(folder), removed }).toEqual({ files: [], removed: [] });
});

it("a file of which nothing comes is an error for its reader, and not a question without end", async () => {
  const { spill } = spillOf(Buffer.alloc(0), 2 ** 50);
  const { file, size } = await spill.open();
  await expect(readAt(file, size - 10, 10)).rejects.toMatchObject({
    message: "far gives less of `1.log` than it says there is",
  });
});

/** A spill whose place has all of `content`, and counts the questions. */
function wholeSpill(content: Buffer) {
  const made = spillOf(content, content.length);
  const asked: [offset: number, length: number][] = [];
  const files: PlaceFiles = {
    read: async (_, offset, length) => {
      asked.push([offset, length]);
      return { bytes: content.subarray(offset, offset + length), size: content.length };
    },
    remove: async (name) => void made.removed.push(name),
    stat: () => Promise.resolve({ kind: "missing" }),
    put: () => Promise.reject(new Error("it takes no file")),
  };
  return { ...made, asked, spill: new FarSpill("far", "/x/1.log", files) };
}

describe("a file that is whole", () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => `${at}\n`).join(""));

  it("is read in parts, one question for all parts of a block, and its reader can be closed", async () => {
    const { spill, asked } = wholeSpill(content);
    const { file, size } = await spill.open();
    expect({ size, known: spill.sizeBytes }).toEqual({ size: content.length, known: content.length });

    for (const at of [0, 500, MEBIBYTE - 5]) {
      expect(await readAt(file, at, 100)).toEqual(content.subarray(at, at + 100));
    }
    expect(await readAt(file, size - 3, 3)).toEqual(content.subarray(-3));
    expect(await readAt(file, 0, 10)).toEqual(content.subarray(0, 10));
    expect(asked.map(([offset]) => offset)).toEqual([0, 0, MEBIBYTE, 0]);
    await expect(file.close()).resolves.toBeUndefined();
  });

  it("is brought here byte by byte, for this user only, and is removed there", async () => {
    const { spill, path, folder, removed } = wholeSpill(content);
    await spill.pull(path, content.length);

    expect(readFileSync(path).equals(content)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect({ files: readdirSync(folder), removed }).toEqual({ files: ["1.log"], removed: ["1.log"] });
  });

  it("is not brought here where it has one byte more than it may", async () => {
    const { spill, path, folder, removed } = wholeSpill(content);

    await expect(spill.pull(path, content.length - 1)).rejects.toMatchObject({
      message: `far gives more of \`1.log\` than the ${content.length - 1} bytes that may be brought here`,
    });
    expect({ files: readdirSync(folder), removed }).toEqual({ files: [], removed: [] });
  });
});
