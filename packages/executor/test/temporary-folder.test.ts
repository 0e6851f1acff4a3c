/** Temporary folders: where they are made, and which of them a later process removes. */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { makeTemporaryFolder, removeAbandonedFolders } from "../src/artifacts/temporary-folder.ts";
import { until } from "./support/waiting.ts";

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

describe("temporary folders of processes that have ended", () => {
  let base = "";
  beforeEach(() => {
    vi.stubEnv("TMPDIR", scratchFolder());
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** A folder with something in it, whose mark is changed. */
  async function folderOf(change: object | string = {}): Promise<string> {
    const folder = await makeTemporaryFolder("outputs");
    base = dirname(folder);
    mkdirSync(join(folder, "inner"));
    writeFileSync(join(folder, "inner/file"), "x");
    const path = join(folder, ".owner");
    const text = typeof change === "string" ? change : JSON.stringify({ ...ownerOf(folder), ...change });
    writeFileSync(path, text);
    return folder;
  }
  const ownerOf = (folder: string) => JSON.parse(readFileSync(join(folder, ".owner"), "utf8"));
  const ended = () => spawnSync("true").pid;

  it("are removed with all that is in them", async () => {
    const abandoned = await folderOf({ pid: ended() });
    await removeAbandonedFolders(base);

    expect(existsSync(abandoned)).toBe(false);
  });

  it.runIf(process.platform === "linux")("are removed where the number was used again (only Linux knows)", async () => {
    const abandoned = await folderOf({ startTime: "another" });
    await removeAbandonedFolders(base);

    expect(existsSync(abandoned)).toBe(false);
  });

  it.each<[string, object | string]>([
    ["of a process that runs", {}],
    ["of another machine or container", { pid: 2 ** 22 + 1, numbers: "elsewhere" }],
    ["without a mark that can be read", "{"],
    ["with a mark that is not one", { pid: -1 }],
    ["with a text for a number", { pid: "1" }],
  ])("are the only ones: one %s stays", async (_, change) => {
    const folder = await folderOf(change);
    await removeAbandonedFolders(base);

    expect(existsSync(join(folder, "inner/file"))).toBe(true);
  });

  it("are the only ones: what has another name stays, and what a link leads to", async () => {
    const abandoned = await folderOf({ pid: ended() });
    const other = join(base, "host");
    mkdirSync(other);
    writeFileSync(join(other, ".owner"), readFileSync(join(abandoned, ".owner")));
    const target = scratchFolder();
    writeFileSync(join(target, "kept"), "x");
    symlinkSync(target, join(abandoned, "link"));
    await removeAbandonedFolders(base);

    expect([existsSync(abandoned), existsSync(other), existsSync(join(target, "kept"))]).toEqual([false, true, true]);
  });

  it("go when the next process makes its first one", async () => {
    const abandoned = await folderOf({ pid: ended() });
    // As in a process that begins.
    vi.resetModules();
    const fresh = await import("../src/artifacts/temporary-folder.ts");
    const made = await fresh.makeTemporaryFolder("outputs");

    await until(() => !existsSync(abandoned), "the folder is gone");
    expect(existsSync(made)).toBe(true);
  });
});
