/** Parts of artifacts, exactly: tails over blocks and bounds, lines and matches at their limits, masks, files far away. */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ArtifactError } from "../src/artifacts/address.ts";
import { readArtifact } from "../src/artifacts/read.ts";
import { FarSpill } from "../src/places/far-spill.ts";
import type { PlaceFiles } from "../src/places/place.ts";
import { saved, storeIn } from "./support/artifacts.ts";
import { wordMask } from "./support/log-file.ts";

const BLOCK = 64 * 1024;

/** Reads a part of a text. */
async function part(text: string, query: string, options: { maxBytes?: number } = {}) {
  const { store, id } = await saved(text);
  return await store.read(`artifact://${id}${query}`, options);
}

describe("a tail", () => {
  it.each<[string, string, number, string]>([
    ["of an empty file", "", 3, ""],
    ["of one newline", "\n", 1, "\n"],
    ["of one newline, two lines", "\n", 2, "\n"],
    ["of empty lines", "\n\n\n", 2, "\n\n"],
    ["of a line without an end", "one\ntwo", 1, "two"],
    ["of one line with an end", "one\ntwo\n", 1, "two\n"],
    ["of all lines", "one\ntwo\n", 2, "one\ntwo\n"],
    ["of more lines than there are", "one\ntwo", 9, "one\ntwo"],
    ["that begins at a block", `${"x".repeat(9)}\n${"y".repeat(BLOCK - 1)}\n`, 1, `${"y".repeat(BLOCK - 1)}\n`],
    ["of a line longer than a block", `a\n${"y".repeat(BLOCK + 9)}\nz`, 2, `${"y".repeat(BLOCK + 9)}\nz`],
  ])("%s is exact", async (_, text, lines, expected) => {
    expect(await part(text, `?tail=${lines}`)).toMatchObject({
      text: expected,
      truncated: false,
      totalBytes: text.length,
    });
  });

  it.each([
    ["exactly", 10, "22222\n333\n", false],
    ["not quite", 9, "2222\n333\n", true],
  ])("that fits its bound %s is %s", async (_, maxBytes, text, truncated) => {
    const found = await part("1111111\n22222\n333\n", "?tail=2", { maxBytes });
    expect([found.text, found.truncated]).toEqual([text, truncated]);
  });

  it("of fewer lines than were asked for, because more would not fit, says so and cuts no character", async () => {
    const found = await part(`a\n${"é".repeat(BLOCK)}\nend\n`, "?tail=5", { maxBytes: 1_000 });

    expect(found.truncated).toBe(true);
    expect(found.text.endsWith("é\nend\n") || found.text === "end\n").toBe(true);
    expect(found.text).not.toContain("\uFFFD");
    expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(1_000);
  });

  it("has no numbers of lines, and everything else has", async () => {
    expect(await part("one\ntwo\n", "?tail=1")).not.toHaveProperty("startLine");
    expect(await part("one\ntwo\n", "")).not.toHaveProperty("startLine");
    expect(await part("one\ntwo\n", "?lines=2")).toMatchObject({ startLine: 2, endLine: 2 });
    expect(await part("one\ntwo\n", "?grep=t")).toMatchObject({ startLine: 2, endLine: 2, matches: 1 });
    expect(await part("one\ntwo\n", "?grep=x")).toEqual({
      id: expect.any(String),
      kind: "bash",
      totalBytes: 8,
      text: "",
      truncated: false,
      matches: 0,
    });
  });
});

describe("lines", () => {
  it.each<[string, string, number, string, boolean, number?]>([
    ["that fit exactly", "?lines=1-3", 6, "1\n2\n3\n", false],
    ["of which one does not fit", "?lines=1-3", 5, "1\n2\n", true],
    ["of which the first alone does not fit", "?lines=1-3", 1, "1\n", true],
    ["that match and fit exactly", "?grep=[0-9]", 20, "1:1\n2:2\n3:3\n4:4\n5:5\n", false, 5],
    ["that match and do not fit are counted", "?grep=[0-9]", 9, "1:1\n2:2\n", true, 5],
    ["that match, the last ones", "?grep=[0-9]&tail=2", 20, "4:4\n5:5\n", false, 5],
    ["that match, the last ones that fit", "?grep=[0-9]&tail=4", 9, "4:4\n5:5\n", true, 5],
    ["that match, the last one however long", "?grep=[0-9]&tail=2", 1, "5:5\n", true, 5],
    ["of a range that match", "?lines=2-4&grep=[1245]", 20, "2:2\n4:4\n", false, 2],
  ])("%s", async (_, query, maxBytes, text, truncated, matches) => {
    const found = await part("1\n2\n3\n4\n5\n", query, { maxBytes });
    expect([found.text, found.truncated, found.matches]).toEqual([text, truncated, matches]);
  });

  it("a short one after one that did not fit is not shown in its place", async () => {
    expect((await part("1\n22222222\n3\n", "?lines=1-3", { maxBytes: 5 })).text).toBe("1\n");
  });

  it("that are longer than the bound are shown by their beginning, with what is left out", async () => {
    const found = await part(`${"é".repeat(20)}\nb\n`, "?lines=1", { maxBytes: 10 });
    expect(found.text).toBe("ééééé… (30 more bytes)\n");
  });

  it("that match are shown up to 4 KiB, also where a character would be cut", async () => {
    const fits = await part(`${"x".repeat(4_096)}\n`, "?grep=x");
    expect(fits.text).toBe(`1:${"x".repeat(4_096)}\n`);
    const over = await part(`y${"é".repeat(2_048)}\n`, "?grep=y");
    expect(over.text).toBe(`1:y${"é".repeat(2_047)}… (2 more bytes)\n`);
    const long = await part(`y${"x".repeat(BLOCK + 99)}\n`, "?grep=y");
    expect(long.text).toBe(`1:y${"x".repeat(4_095)}… (${BLOCK + 100 - 4_096} more bytes)\n`);
  });

  it("are tried on their first 64 KiB", async () => {
    expect((await part(`${"x".repeat(BLOCK - 4)}late\n`, "?grep=late$")).matches).toBe(1);
    expect((await part(`${"x".repeat(BLOCK)}late\n`, "?grep=late")).matches).toBe(0);
  });
});

describe("a whole artifact", () => {
  it("is given up to the bound, and beyond it the error says its size and how to read a part", async () => {
    expect((await part("x".repeat(100), "", { maxBytes: 100 })).text).toHaveLength(100);
    const { store, id } = await saved("x".repeat(3 * 1024 * 1024));
    const reading = store.read(id, { maxBytes: 1_000 });
    await expect(reading).rejects.toMatchObject({ code: "PI_ARTIFACT_TOO_LARGE", name: "ArtifactError" });
    await expect(reading).rejects.toThrow(
      `Artifact ${id} has 3.0 MiB. Read a part of it: artifact://${id}?lines=1-3000, artifact://${id}?tail=200 or artifact://${id}?grep=PATTERN`,
    );
  });

  it("that is gone says so, and one that is not a file cannot be read", async () => {
    const { store, id, path } = await saved("x");
    rmSync(path);
    await expect(store.read(id)).rejects.toThrow(`Artifact ${id} has no output on disk (yet).`);
    mkdirSync(path);
    await expect(store.read(id)).rejects.toThrow(`Artifact ${id} cannot be read.`);
    chmodSync(path, 0o700);
    const failure: unknown = await store.read(id).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ArtifactError);
    expect((failure as ArtifactError).cause).toBeInstanceOf(Error);
  });
});

describe("masked words", () => {
  it("are not shown in any part, nor found", async () => {
    const { store, id } = await saved("a secret\nb\nc secret\n");
    const mask = async () => wordMask().mask;
    store.maskWith(mask);
    store.maskWith(async () => undefined);
    expect((await store.read(id)).text).toBe("a ******\nb\nc ******\n");
    expect((await store.read(`${id}?tail=1`)).text).toBe("c ******\n");
    expect((await store.read(`${id}?lines=3`)).text).toBe("c ******\n");
    expect((await store.read(`${id}?grep=secret`)).matches).toBe(0);
    store.unmask(mask);

    expect((await store.read(id)).text).toBe("a secret\nb\nc secret\n");
  });

  it("are masked at the beginning of a tail where they began before it", async () => {
    const { store, id } = await saved(`${"x".repeat(BLOCK - 3)}secret${"y".repeat(BLOCK - 3)}`);
    store.maskWith(async () => wordMask().mask);

    const { text, truncated } = await store.read(`${id}?tail=1`, { maxBytes: BLOCK - 1 });
    expect([text.slice(0, 4), text.length, truncated]).toEqual(["**yy", BLOCK - 1, true]);
  });

  it("of two masks are both masked, also what one holds back to the end", async () => {
    const { path } = await saved("one two three");
    const holding = {
      text: (text: string) => ({ text, count: 0, names: [] }),
      stream: () => {
        const held: Buffer[] = [];
        return {
          skip: () => undefined,
          push: (bytes: Uint8Array) => {
            held.push(Buffer.from(bytes));
            return Buffer.alloc(0);
          },
          finish: () => Buffer.concat(held),
        };
      },
    };
    const source = { id: "a", kind: "bash", path };
    const masks = [holding, wordMask("two").mask];
    expect((await readArtifact(source, {}, { masks })).text).toBe("one *** three");
    expect((await readArtifact(source, { startLine: 1 }, { masks })).text).toBe("one *** three\n");
  });
});

describe("an artifact on a place", () => {
  const far = (answer: () => Promise<{ bytes: Buffer; size: number }>): FarSpill =>
    new FarSpill("ssh:build7", "/x/a.log", { read: answer } as unknown as PlaceFiles);

  it("that cannot be had says where it lies, and how large it was, where that is known", async () => {
    const spill = far(() => Promise.reject(new Error("gone")));
    const source = { id: "a1", kind: "bash", path: "/x/a.log", far: spill };
    const tail =
      "which is not connected, or does not have it any more; its last lines are in the result of the command.";
    await expect(readArtifact(source, {})).rejects.toThrow(`artifact://a1 lies on ssh:build7, ${tail}`);
    spill.sizeBytes = 1_572_864;
    const reading = readArtifact(source, {});
    await expect(reading).rejects.toThrow(`artifact://a1 (1.5 MiB) lies on ssh:build7, ${tail}`);
    await expect(reading).rejects.toMatchObject({ code: "PI_ARTIFACT_UNREADABLE", cause: expect.any(Error) });
  });

  it("is read there", async () => {
    const { store } = storeIn();
    const { id, path } = await store.allocate("bash");
    const bytes = Buffer.from("one\ntwo\n");
    const spill = new FarSpill("far", path, {
      read: async (_: string, offset: number, length: number) => ({
        bytes: bytes.subarray(offset, offset + length),
        size: bytes.length,
      }),
    } as unknown as PlaceFiles);
    expect([store.moveTo("unknown", path, spill), store.moveTo(id, "/other", spill)]).toEqual([false, false]);
    expect(store.moveTo(id, path, spill)).toBe(true);
    expect([await store.farSize(id), await store.farSize("unknown")]).toEqual([8, undefined]);

    expect((await store.read(`${id}?tail=1`)).text).toBe("two\n");
    expect(await store.get(id)).toMatchObject({ id, path });
  });
});
