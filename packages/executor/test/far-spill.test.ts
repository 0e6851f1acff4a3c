/** A file of a place that lies about its file: what is brought here has a bound, and a reader has an end. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
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
  await expect(spill.pull(path, 3 * MEBIBYTE)).rejects.toThrow(/gives (more|less) of `1.log`/);
  expect({ files: readdirSync(folder), removed }).toEqual({ files: [], removed: [] });
});

it("a file of which nothing comes is an error for its reader, and not a question without end", async () => {
  const { spill } = spillOf(Buffer.alloc(0), 2 ** 50);
  const { file, size } = await spill.open();
  await expect(readAt(file, size - 10, 10)).rejects.toThrow("gives less");
});
