/** Files for this user only: made new, read without following or waiting, written whole; and folders above them. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import {
  createPrivateFile,
  ensurePrivateFolder,
  makeFolders,
  openPrivateFile,
  PrivateFolderError,
  randomSlice,
  writePrivateFile,
} from "../src/artifacts/private-folder.ts";

afterEach(() => void vi.restoreAllMocks());

/** Descriptors that this process has open. Linux only. */
const openFiles = (): number => readdirSync("/proc/self/fd").length;
const isLinux = process.platform === "linux";

describe("a private file", () => {
  it("is made new, for this user, and never over anything that has its name", async () => {
    const folder = scratchFolder();
    const [path, link] = [join(folder, "new"), join(folder, "link")];
    await (await createPrivateFile(path)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(createPrivateFile(path)).rejects.toMatchObject({ code: "EEXIST" });
    symlinkSync(join(folder, "elsewhere"), link);

    await expect(createPrivateFile(link)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readdirSync(folder).sort()).toEqual(["link", "new"]);
  });

  it("is opened with its size, and is neither a link nor a folder", async () => {
    const folder = scratchFolder();
    const [path, link, other] = [join(folder, "file"), join(folder, "link"), join(folder, "folder")];
    writeFileSync(path, "four");
    symlinkSync(path, link);
    mkdirSync(other);
    const { file, size } = await openPrivateFile(path);
    await file.close();
    expect(size).toBe(4);
    await expect(openPrivateFile(link)).rejects.toMatchObject({ code: "ELOOP" });
    await expect(openPrivateFile(other)).rejects.toThrow(
      `folder \`${other}\` exists and is not a regular file; remove it`,
    );
    await expect(openPrivateFile(other)).rejects.toBeInstanceOf(PrivateFolderError);
  });

  it.runIf(isLinux)("that is refused is closed again (needs /proc)", async () => {
    const folder = scratchFolder();
    const before = openFiles();
    for (let turn = 0; turn < 5; turn += 1) await openPrivateFile(folder).catch(() => undefined);

    expect(openFiles()).toBeLessThan(before + 5);
  });

  it("is written whole, replaces an older one, and leaves nothing beside it, also where it fails", async () => {
    const folder = scratchFolder();
    const path = join(folder, "file");
    await writePrivateFile(path, "one");
    await writePrivateFile(path, Buffer.from("two"));
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["two", ["file"]]);
    const taken = join(folder, "taken");
    mkdirSync(taken);
    writeFileSync(join(taken, "inside"), "");
    await expect(writePrivateFile(taken, "three")).rejects.toThrow();

    expect(readdirSync(folder).sort()).toEqual(["file", "taken"]);
  });

  it.runIf(isLinux)("is closed when it was written, or could not be (needs /proc)", async () => {
    const folder = scratchFolder();
    const before = openFiles();
    for (let turn = 0; turn < 5; turn += 1) {
      await writePrivateFile(join(folder, "file"), "x");
      await writePrivateFile(join(folder, "file"), 7 as unknown as string).catch(() => undefined);
    }

    expect(openFiles()).toBeLessThan(before + 5);
  });
});

describe("folders", () => {
  it("are made as far as they are missing, each with the mode", async () => {
    const root = scratchFolder();
    mkdirSync(join(root, "a"));
    await makeFolders(join(root, "a", "b", "c"), 0o750);

    expect(["a/b", "a/b/c"].map((path) => statSync(join(root, path)).mode & 0o777)).toEqual([0o750, 0o750]);
    await expect(makeFolders(join(root, "a", "b", "c"), 0o750)).resolves.toBeUndefined();
    await expect(makeFolders("/", 0o700)).resolves.toBeUndefined();
  });

  it("made by two at once are there for both", async () => {
    const path = join(scratchFolder(), "a", "b", "c", "d");
    await Promise.all(Array.from({ length: 8 }, () => makeFolders(path, 0o700)));

    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("are not made through a file, nor where a link leads nowhere", async () => {
    const root = scratchFolder();
    writeFileSync(join(root, "file"), "");
    symlinkSync("/nowhere/at/all", join(root, "link"));

    await expect(makeFolders(join(root, "file"), 0o700)).rejects.toThrow("is not a folder");
    await expect(makeFolders(join(root, "file", "b"), 0o700)).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolders(join(root, "link", "b"), 0o700)).rejects.toThrow();
    await expect(ensurePrivateFolder(join(root, "link"))).rejects.toThrow();
  });
});

describe("random bytes", () => {
  it("are those of no other call, and so many as were asked for", () => {
    const seen = new Set<string>();
    for (let turn = 0; turn < 600; turn += 1) {
      const slice = randomSlice(16);
      expect(slice).toHaveLength(16);
      seen.add(slice.toString("hex"));
    }
    expect(seen.size).toBe(600);
    expect(randomSlice(4_096)).toHaveLength(4_096);
  });
});

it("an error of a folder has its path, its problem and what caused it, where that is known", () => {
  const cause = new Error("why");
  const [without, caused] = [new PrivateFolderError("/x", "is odd"), new PrivateFolderError("/x", "is odd", cause)];

  expect([without.message, without.name, without.code]).toEqual([
    "folder `/x` is odd",
    "PrivateFolderError",
    "PI_PRIVATE_FOLDER",
  ]);
  expect(["cause" in without, caused.cause]).toEqual([false, cause]);
});
