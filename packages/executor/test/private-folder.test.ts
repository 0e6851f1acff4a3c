/** Folders and files for this user only: what is made, and what is refused or stepped around. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ensurePrivateFolder, makeTemporaryFolder } from "../src/artifacts/private-folder.ts";

const uid = process.getuid?.() ?? 0;
const isRoot = process.getuid?.() === 0;
const mode = (path: string) => statSync(path).mode & 0o777;

describe("a temporary folder", () => {
  let tmp = "";
  let usual = "";
  beforeEach(() => {
    tmp = scratchFolder();
    usual = join(tmp, `pi-bash-${uid}`);
    vi.stubEnv("TMPDIR", tmp);
  });
  afterEach(() => void vi.unstubAllEnvs());

  it("is made below the user's own one, each under another name, both closed to others", async () => {
    const [first, second] = [await makeTemporaryFolder("outputs"), await makeTemporaryFolder("outputs")];

    expect(first).not.toBe(second);
    for (const folder of [first, second]) {
      expect(dirname(folder)).toBe(usual);
      expect(basename(folder)).toMatch(/^outputs-[0-9a-f]{32}$/);
      expect([mode(usual), mode(folder)]).toEqual([0o700, 0o700]);
    }
  });

  const taken: [string, (path: string) => void][] = [
    ["is a file", (path) => writeFileSync(path, "theirs")],
    ["is a link to a folder", (path) => symlinkSync(scratchFolder(), path)],
    ["is a link that leads nowhere", (path) => symlinkSync("/nowhere/at/all", path)],
  ];
  it.each(taken)("is made beside the user's own one where that %s", async (_, take) => {
    take(usual);
    const folder = await makeTemporaryFolder("outputs");

    expect(dirname(folder)).toMatch(new RegExp(`^${usual}-[0-9a-f]{32}$`));
    expect([mode(dirname(folder)), mode(folder)]).toEqual([0o700, 0o700]);
  });

  it.runIf(isRoot)("is made beside a folder of that name that belongs to another user (needs root)", async () => {
    mkdirSync(usual);
    chownSync(usual, 65_534, 65_534);

    expect(dirname(await makeTemporaryFolder("outputs"))).toMatch(new RegExp(`^${usual}-[0-9a-f]{32}$`));
  });
});

describe("a private folder", () => {
  it("is made with what is missing above it, and an open one of ours is closed", async () => {
    const folder = join(scratchFolder(), "a", "b");
    await ensurePrivateFolder(folder);
    expect([mode(dirname(folder)), mode(folder)]).toEqual([0o700, 0o700]);
    chmodSync(folder, 0o755);
    await ensurePrivateFolder(folder);

    expect(mode(folder)).toBe(0o700);
  });

  it("is not a link, a file or a folder of another user", async () => {
    const folder = scratchFolder();
    const [link, file, theirs] = [join(folder, "link"), join(folder, "file"), join(folder, "theirs")];
    symlinkSync(scratchFolder(), link);
    writeFileSync(file, "x");
    mkdirSync(theirs);

    await expect(ensurePrivateFolder(link)).rejects.toThrow("is a symbolic link; use a folder");
    await expect(ensurePrivateFolder(file)).rejects.toThrow("is not a folder");
    expect(readFileSync(file, "utf8")).toBe("x");
    if (!isRoot) return;
    chownSync(theirs, 65_534, 65_534);
    await expect(ensurePrivateFolder(theirs)).rejects.toThrow("belongs to user 65534, not to 0");
  });
});
