/**
 * Artifacts: their addresses, and the store's files and rules.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { parseArtifactAddress } from "../src/artifacts/address.ts";
import { randomName, randomSlice } from "../src/artifacts/private-folder.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { saved, storeIn } from "./support/artifacts.ts";

describe("random names", () => {
  it("are 32 hexadecimal digits and never come twice, over many batches", () => {
    const names = Array.from({ length: 3_000 }, randomName);

    expect(names.every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
  });

  it("are of bytes of which each is as frequent as any other", () => {
    const counts = new Array<number>(256).fill(0);
    for (let slice = 0; slice < 8_192; slice += 1)
      for (const byte of randomSlice(8)) counts[byte] = (counts[byte] ?? 0) + 1;

    // 256 of each in the mean; a byte that is missing or twice as frequent would be 16 deviations away.
    expect(Math.min(...counts)).toBeGreaterThan(128);
    expect(Math.max(...counts)).toBeLessThan(512);
  });
});

describe("artifact addresses", () => {
  it("name an artifact, lines of it, its end, or what matches", () => {
    expect(parseArtifactAddress("artifact://7")).toEqual({ id: "7" });
    expect(parseArtifactAddress("artifact://a-b_C:10-20")).toEqual({ id: "a-b_C", startLine: 10, endLine: 20 });
    expect(parseArtifactAddress("artifact://7:10-")).toEqual({ id: "7", startLine: 10 });
    expect(parseArtifactAddress("artifact://7:10")).toEqual({ id: "7", startLine: 10, endLine: 10 });
    expect(parseArtifactAddress("artifact://7?tail=5&grep=a%20b+")).toEqual({ id: "7", tail: 5, grep: "a b+" });
    expect(parseArtifactAddress("7")).toEqual({ id: "7" });
  });

  it("name lines in a way that every parser of URLs takes", () => {
    for (const [lines, selection] of [
      ["10-20", { startLine: 10, endLine: 20 }],
      ["10-", { startLine: 10 }],
      ["10", { startLine: 10, endLine: 10 }],
      ["1-300&tail=5", { startLine: 1, endLine: 300, tail: 5 }],
    ] as const) {
      const address = `artifact://k3f9x2ab?lines=${lines}`;
      expect(parseArtifactAddress(address)).toEqual({ id: "k3f9x2ab", ...selection });
      expect(new URL(address).host).toBe("k3f9x2ab");
    }
    expect(() => parseArtifactAddress("artifact://7:1-2?lines=3")).toThrowError("two line ranges");
  });

  it("take a pattern that was not encoded", () => {
    expect(parseArtifactAddress("artifact://7?grep=100%")).toEqual({ id: "7", grep: "100%" });
    expect(parseArtifactAddress("artifact://7?grep=a=b?c:d")).toEqual({ id: "7", grep: "a=b?c:d" });
  });

  it("SC-02: are refused where they could name anything but an id", () => {
    const hostile = ["../../etc/passwd", "a/b", "%2e%2e", "a%00b", "/etc/passwd", "a\0b", "", "a b", "..", "é"];
    for (const id of hostile) {
      expect(() => parseArtifactAddress(`artifact://${id}`), id).toThrowError(
        expect.objectContaining({ code: "PI_ARTIFACT_ADDRESS" }),
      );
    }
  });

  it("are refused with a wrong range or parameter, saying what is right", () => {
    for (const [rest, word] of [
      [":0-5", "line 0"],
      [":9-5", "ends before"],
      [":x", "?lines=10-20"],
      ["?lines=", "?lines=10-20"],
      ["?lines=2-1", "ends before"],
      ["?tail=0", "tail"],
      ["?tail=-1", "tail"],
      ["?head=3", "head"],
      ["?grep=", "empty"],
    ] as const) {
      expect(() => parseArtifactAddress(`artifact://7${rest}`), rest).toThrowError(word);
    }
  });
});

describe("artifact store", () => {
  // A worker thread, in which `npm run mutants` has the tests, cannot set the mask of its process.
  it.runIf(isMainThread)("SC-04: makes a folder 0700 and files 0600, whatever the umask is", async () => {
    const before = process.umask(0);
    try {
      const { folder, path } = await saved("x");

      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it("closes a folder of ours that others could enter", async () => {
    const folder = join(scratchFolder(), "open");
    mkdirSync(folder);
    chmodSync(folder, 0o755);

    await new ArtifactStore({ folder }).save("bash", "x");

    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform !== "linux")("refuses a folder where none can be made, instead of trying for ever", () => {
    // In a process of its own: what tries for ever there answers no timer here.
    const script = `
      import { ArtifactStore } from ${JSON.stringify(new URL("../dist/artifacts/store.js", import.meta.url).href)};
      await new ArtifactStore({ folder: "/proc/nothing/here" }).allocate("bash").catch(({ message }) => console.log(message));
    `;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 20_000,
      killSignal: "SIGKILL",
      encoding: "utf8",
    });

    expect(stdout).toMatch(/^artifact folder cannot be used: .*\/proc\/nothing/);
  });

  it("SC-03: refuses a folder that is a link, and leaves its target alone", async () => {
    const root = scratchFolder();
    mkdirSync(join(root, "victim"));
    symlinkSync(join(root, "victim"), join(root, "link"));

    await expect(new ArtifactStore({ folder: join(root, "link") }).save("bash", "x")).rejects.toMatchObject({
      code: "PI_ARTIFACT_STORE",
    });
    expect(readdirSync(join(root, "victim"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)("SC-05: refuses a folder of another user (only root can make one)", async () => {
    const folder = join(scratchFolder(), "theirs");
    mkdirSync(folder);
    chownSync(folder, 12_345, 12_345);

    await expect(new ArtifactStore({ folder }).allocate("bash")).rejects.toThrow("belongs to user 12345");
  });

  it("SC-03: gives files names that no one can prepare", async () => {
    const { store } = storeIn();

    const paths = await Promise.all(Array.from({ length: 50 }, async () => (await store.allocate("bash")).path));

    expect(new Set(paths).size).toBe(50);
    for (const path of paths) expect(path).toMatch(/\/[a-z0-9]{8}\.bash\.[0-9a-f]{32}\.log$/);
  });

  it("allocates without making a file, so that its writer can insist on a new one", async () => {
    const { store } = storeIn();

    const { id, path } = await store.allocate("bash");

    expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(existsSync(path)).toBe(false);
  });

  it("forgets an artifact that got no file", async () => {
    const { store } = storeIn();
    const { id } = await store.allocate("bash");

    await store.settle(id, "unused");

    await expect(store.read(`artifact://${id}`)).rejects.toThrow(`Artifact ${id} not found. Available: none`);
  });

  it("removes what is discarded", async () => {
    const { store } = storeIn();
    const { id, path } = await store.allocate("bash");
    writeFileSync(path, "half");

    await store.settle(id, "discard");

    expect(existsSync(path)).toBe(false);
  });

  it("names what there is when an id is unknown", async () => {
    const { store, id } = await saved("x");

    await expect(store.read("artifact://nope")).rejects.toMatchObject({
      code: "PI_ARTIFACT_NOT_FOUND",
      message: `Artifact nope not found. Available: ${id}`,
    });
  });

  it("finds what an earlier store left in the same folder, and nothing else", async () => {
    const { folder, id, path } = await saved("kept\n");
    writeFileSync(join(folder, "notes.log"), "not ours");
    symlinkSync("/etc/passwd", join(folder, `evil.bash.${"0".repeat(32)}.log`));

    const again = new ArtifactStore({ folder });

    expect((await again.read(`artifact://${id}`)).text).toBe("kept\n");
    expect((await again.list()).map((entry) => entry.path)).toEqual([path]);
  });

  it("removes the oldest when the quota is full, and says so", async () => {
    const { store } = storeIn({ quotaBytes: 250 });
    const ids = [];
    for (let index = 0; index < 4; index += 1) ids.push((await store.save("bash", "x".repeat(100))).id);

    const left = (await store.list()).map((entry) => entry.id);

    expect(left).toEqual(ids.slice(2));
    await expect(store.read(`artifact://${ids[0]}`)).rejects.toMatchObject({ code: "PI_ARTIFACT_EXPIRED" });
  });

  it("does not remove for the quota what is still written", async () => {
    const { store } = storeIn({ quotaBytes: 50 });
    const open = await store.allocate("bash");
    writeFileSync(open.path, "x".repeat(100));

    await store.save("bash", "y".repeat(40));

    expect(existsSync(open.path)).toBe(true);
  });

  it("removes what is too old", async () => {
    let now = 1_000_000;
    const { store } = storeIn({ maxAgeMs: 1_000, now: () => now });
    const { id, path } = await store.save("bash", "x");
    now += 2_000;

    await expect(store.read(id)).rejects.toMatchObject({ code: "PI_ARTIFACT_EXPIRED" });
    expect(existsSync(path)).toBe(false);
  });

  it("VO-06: fails to save where the folder cannot be, leaves nothing, and works again when it can", async () => {
    const root = scratchFolder();
    const folder = join(root, "artifacts");
    writeFileSync(folder, "a file");
    const store = new ArtifactStore({ folder });
    await expect(store.save("bash", "x")).rejects.toMatchObject({ code: "PI_ARTIFACT_STORE" });
    rmSync(folder);

    const { id } = await store.save("bash", "x");
    expect((await store.read(id)).text).toBe("x");
  });

  it("VO-06: makes its folder again when it was removed", async () => {
    const { folder, store } = await saved("x");
    rmSync(folder, { recursive: true });
    await store.save("bash", "y").catch(() => undefined);

    expect((await store.save("bash", "z")).path.startsWith(folder)).toBe(true);
  });

  it("leaves no temporary folder behind, whatever is under way when it is disposed of", async () => {
    const store = new ArtifactStore();
    const early = store.allocate("bash");
    await store.dispose();

    expect(existsSync(dirname((await early).path))).toBe(false);
    await expect(store.allocate("bash")).rejects.toThrow("the artifact store is disposed");
  });

  it("makes a private temporary folder when it is given none, and removes it", async () => {
    const store = new ArtifactStore();
    const { path } = await store.save("bash", "x");
    const folder = dirname(path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);

    await store.dispose();

    expect(existsSync(folder)).toBe(false);
  });
});
