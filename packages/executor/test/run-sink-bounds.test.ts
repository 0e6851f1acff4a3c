/** How much of a run's file on a place is brought here: twice what is pulled, never more than the store takes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { FarSpill, PULLED_BYTES } from "../src/places/far-spill.ts";
import type { PlaceFiles } from "../src/places/place.ts";
import { storeIn } from "./support/artifacts.ts";
import { SURVIVOR, sinkOf } from "./support/run-sink.ts";

/** Whether the file of a run is here after the run, which said that it wrote `totalBytes`. */
async function isBrought(size: number, totalBytes: number, maxBytes?: number): Promise<boolean> {
  const { store } = storeIn(maxBytes === undefined ? {} : { maxBytes });
  const made = await sinkOf({ store, far: { text: "x".repeat(size) } });
  const { artifactId } = await made.finish({ spilled: true, totalBytes }, { truncated: true });
  expect(artifactId).toBeDefined();
  const isHere = existsSync(made.path);
  if (isHere) expect(readFileSync(made.path).length).toBe(size);
  expect(made.removed.length).toBe(isHere ? 1 : 0);
  return isHere;
}

it("a file that a run did not report is not kept, whatever is in it", async () => {
  const made = await sinkOf();
  writeFileSync(made.path, "left over");
  const result = await made.finish({ text: "all\n" });
  for (const name of ["artifactId", "artifactError"]) expect(result).not.toHaveProperty(name);
  expect(await made.store.list()).toEqual([]);
});

describe("the file of a run on a place", () => {
  it("is brought where the run said that it is small, also where masks have made it larger", async () => {
    expect(await isBrought(100, PULLED_BYTES)).toBe(true);
    expect(await isBrought(PULLED_BYTES + 1, 50)).toBe(true);
    expect(await isBrought(100, PULLED_BYTES + 1)).toBe(false);
  });

  it("stays there where it is more than twice what is brought", async () => {
    expect(await isBrought(2 * PULLED_BYTES, 50)).toBe(true);
    expect(await isBrought(2 * PULLED_BYTES + 1, 50)).toBe(false);
  });

  it("stays there where it is more than the store takes", async () => {
    expect(await isBrought(100, 50, 100)).toBe(true);
    expect(await isBrought(101, 50, 100)).toBe(false);
  });

  it("that grew is brought at the end of its session within the same bound", async () => {
    for (const [size, isHere] of [[100, true] as const, [101, false] as const]) {
      const { store } = storeIn({ maxBytes: 100 });
      const made = await sinkOf({ store, far: { text: "x".repeat(size) } });
      await made.finish({ spilled: true }, { survivors: [SURVIVOR], truncated: true });
      expect(existsSync(made.path)).toBe(false);
      await made.closing[0]?.();
      expect([size, existsSync(made.path)]).toEqual([size, isHere]);
    }
  });

  it("that is the caller's own is brought up to what the store takes, and is not named where that failed", async () => {
    for (const [size, isHere] of [[100, true] as const, [101, false] as const]) {
      const { store } = storeIn({ maxBytes: 100 });
      const artifact = { id: "mine", path: join(scratchFolder(), "mine.log") };
      const made = await sinkOf({ store, artifact, far: { text: "x".repeat(size) } });
      const result = await made.finish({ spilled: true }, { truncated: true });
      expect([existsSync(artifact.path), result.artifactId]).toEqual([isHere, isHere ? "mine" : undefined]);
      expect(result.artifactError).toBe(
        isHere ? undefined : "far gives more of `mine.log` than the 100 bytes that may be brought here",
      );
    }
  });

  it("is read by its parts: no more bytes than were asked for, where they were asked for", async () => {
    const content = Buffer.from("0123456789");
    const files = {
      read: async (_: string, offset: number, length: number) => ({
        bytes: content.subarray(offset, offset + length),
        size: content.length,
      }),
    };
    const { file } = await new FarSpill("far", "/x/1.log", files as unknown as PlaceFiles).open();
    const buffer = Buffer.from("------------");
    expect(await file.read(buffer, 2, 3, 4)).toEqual({ bytesRead: 3 });
    expect(buffer.toString()).toBe("--456-------");
    expect(await file.read(buffer, 0, 12, 8)).toEqual({ bytesRead: 2 });
    expect(await file.read(buffer, 0, 12, 10)).toEqual({ bytesRead: 0 });
  });
});
