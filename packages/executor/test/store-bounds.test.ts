/** The bounds of a store of artifacts: its quota, their age, names and kinds, and what an earlier store left. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { FarSpill } from "../src/places/far-spill.ts";
import type { PlaceFiles } from "../src/places/place.ts";
import { storeIn } from "./support/artifacts.ts";

const ids = async (store: ArtifactStore) => (await store.list()).map(({ id }) => id);

describe("the quota", () => {
  it("is kept exactly: what fits stays, and the oldest go for what does not", async () => {
    const { store } = storeIn({ quotaBytes: 20 });
    const [one, two] = [await store.save("bash", "x".repeat(10)), await store.save("bash", "x".repeat(10))];
    expect(await ids(store)).toEqual([one.id, two.id]);
    const three = await store.save("bash", "x");
    expect([await ids(store), existsSync(one.path)]).toEqual([[two.id, three.id], false]);
    await expect(store.read(one.id)).rejects.toMatchObject({ code: "PI_ARTIFACT_EXPIRED" });
    const large = await store.save("bash", "x".repeat(21));

    expect([await ids(store), existsSync(large.path)]).toEqual([[], false]);
  });

  it("counts what is still written, and removes others for it", async () => {
    const { store } = storeIn({ quotaBytes: 20 });
    const open = await store.allocate("bash");
    writeFileSync(open.path, "x".repeat(15));
    const small = await store.save("bash", "x".repeat(10));
    expect(await ids(store)).toEqual([open.id]);
    expect(existsSync(small.path)).toBe(false);
    await store.settle(open.id, "keep");

    expect(await ids(store)).toEqual([open.id]);
  });

  it("counts files on places as far as their size is known, and removes them there", async () => {
    const { store } = storeIn({ quotaBytes: 20 });
    const removed: string[] = [];
    const files = { remove: async (name: string) => void removed.push(name) } as unknown as PlaceFiles;
    const { id, path } = await store.allocate("bash");
    const far = new FarSpill("far", path, files);
    far.sizeBytes = 15;
    store.moveTo(id, path, far);
    await store.settle(id, "keep");
    expect(await ids(store)).toEqual([id]);
    const next = await store.save("bash", "x".repeat(10));

    expect([await ids(store), removed]).toEqual([[next.id], [basename(path)]]);
  });
});

describe("the age", () => {
  it("of what is kept has a bound, to the millisecond; what is still written has none", async () => {
    const clock = { ms: 1_000 };
    const { store } = storeIn({ maxAgeMs: 100, now: () => clock.ms });
    const { id } = await store.save("bash", "x");
    const open = await store.allocate("bash");
    writeFileSync(open.path, "y");
    clock.ms += 100;
    expect((await store.read(id)).text).toBe("x");
    clock.ms += 1;
    await expect(store.read(id)).rejects.toThrow(`Artifact ${id} was removed: it was too old or over the quota.`);
    expect((await store.read(open.id)).text).toBe("y");
    expect((await store.list())[0]).toMatchObject({ id: open.id, createdAtMs: 1_000, kind: "bash" });
  });
});

describe("an artifact", () => {
  it.each([
    ["bash", "bash"],
    ["a b/c.d", "abcd"],
    ["../..", "tool"],
    ["", "tool"],
    ["x".repeat(70), "x".repeat(64)],
  ])("of the kind %s has a file of the kind %s", async (kind, shown) => {
    const { store } = storeIn();
    const { id, path } = await store.allocate(kind);
    expect(basename(path)).toMatch(new RegExp(`^${id}\\.${shown}\\.[0-9a-f]{32}\\.log$`));
    expect((await store.get(id))?.kind).toBe(shown);
  });

  it("that is unknown is not found; the last twenty there are are named", async () => {
    const { store } = storeIn();
    await expect(store.read("abc")).rejects.toThrow("Artifact abc not found. Available: none");
    const made: string[] = [];
    for (let at = 0; at < 21; at += 1) made.push((await store.allocate("bash")).id);
    await expect(store.read("abc")).rejects.toThrow(`Available: ${made.slice(1).join(", ")}`);
    expect(made.every((id) => /^[a-km-np-z2-9]{8}$/.test(id) || /^[a-z2-9]{8}$/.test(id))).toBe(true);
  });

  it("without a file is forgotten, a discarded one is removed, and an unknown one is ignored", async () => {
    const { store } = storeIn();
    const [unused, discarded] = [await store.allocate("bash"), await store.allocate("bash")];
    for (const { path } of [unused, discarded]) writeFileSync(path, "x");
    await store.settle(unused.id, "unused");
    await store.settle(discarded.id, "discard");
    await store.settle("unknown", "keep");

    expect([await ids(store), existsSync(unused.path), existsSync(discarded.path)]).toEqual([[], true, false]);
  });

  it("is opened wherever it is", async () => {
    const { store } = storeIn();
    const saved = await store.save("bash", "here");
    const { file, size } = await store.open(saved);
    await file.close();
    expect(size).toBe(4);
    const files = { read: async () => ({ bytes: Buffer.from("far away"), size: 8 }) } as unknown as PlaceFiles;
    store.moveTo(saved.id, saved.path, new FarSpill("far", saved.path, files));
    expect((await store.open(saved)).size).toBe(8);
    store.moveTo(
      saved.id,
      saved.path,
      new FarSpill("far", saved.path, { read: () => Promise.reject(new Error("gone")) } as unknown as PlaceFiles),
    );
    expect(await store.farSize(saved.id)).toBe(0);
  });
});

describe("a store", () => {
  it("takes over the regular files of its kind that an earlier one left, the oldest first", async () => {
    const folder = join(scratchFolder(), "artifacts");
    const first = new ArtifactStore({ folder });
    const [one, two, three] = [
      await first.save("bash", "1"),
      await first.save("cast", "2"),
      await first.save("bash", "3"),
    ];
    utimesSync(one.path, 300, 300);
    utimesSync(two.path, 100, 100);
    utimesSync(three.path, 200, 200);
    const name = (id: string) => join(folder, `${id}.bash.${"0".repeat(32)}.log`);
    writeFileSync(join(folder, "notes.txt"), "");
    writeFileSync(join(folder, `x.bash.${"0".repeat(31)}.log`), "");
    writeFileSync(`${name("y")}.partial`, "");
    mkdirSync(name("folder"));
    symlinkSync(one.path, name("link"));
    const second = new ArtifactStore({ folder, maxAgeMs: Number.POSITIVE_INFINITY });

    expect((await second.list()).map(({ id, kind, createdAtMs }) => [id, kind, createdAtMs])).toEqual([
      [two.id, "cast", 100_000],
      [three.id, "bash", 200_000],
      [one.id, "bash", 300_000],
    ]);
    await second.settle(two.id, "keep");
    expect(await second.get(two.id)).toBeDefined();
  });

  it("looks at its folder again when it is asked to, and keeps what it knows", async () => {
    const { store, folder } = storeIn();
    const { id } = await store.save("bash", "x");
    const late = join(folder, `late.bash.${"0".repeat(32)}.log`);
    writeFileSync(late, "y");
    expect(await store.get("late")).toBeUndefined();
    store.recheck();
    expect([await store.get("late"), await ids(store)]).toMatchObject([{ kind: "bash", path: late }, [id, "late"]]);
  });

  it("whose folder cannot be used says why, and works again when it can", async () => {
    const root = scratchFolder();
    const folder = join(root, "artifacts");
    writeFileSync(folder, "");
    const store = new ArtifactStore({ folder });
    await expect(store.allocate("bash")).rejects.toMatchObject({ code: "PI_ARTIFACT_STORE" });
    await expect(store.allocate("bash")).rejects.toThrow(/^artifact folder cannot be used: /);
    rmSync(folder);
    const { path } = await store.allocate("bash");
    expect(dirname(path)).toBe(folder);
  });

  it("that is disposed of keeps a folder that it was given, and makes none any more", async () => {
    const { store, folder } = storeIn();
    await store.save("bash", "x");
    await store.dispose();
    expect(readdirSync(folder)).toHaveLength(1);
    const own = new ArtifactStore();
    const { path } = await own.save("bash", "x");
    await own.dispose();
    await own.dispose();
    expect(existsSync(dirname(path))).toBe(false);
    await expect(own.allocate("bash")).rejects.toThrow("the artifact store is disposed; create another one");
  });
});
