/** Temporary folders: where they are made, and which of them a later process removes. */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
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
      expect(basename(folder)).toMatch(/^outputs-[0-9a-f]{8}-[0-9a-z]+-[0-9a-z]*-[0-9a-f]{8}$/);
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

  /** A folder with something in it; `change` is made to its name. */
  async function folderOf(change: (name: string) => string): Promise<string> {
    const made = await makeTemporaryFolder("outputs");
    base = dirname(made);
    const folder = join(base, change(basename(made)));
    renameSync(made, folder);
    mkdirSync(join(folder, "inner"));
    writeFileSync(join(folder, "inner/file"), "x");
    return folder;
  }
  const withPid = (pid: number) => (name: string) =>
    name.replace(`-${process.pid.toString(36)}-`, `-${pid.toString(36)}-`);
  const ended = () => withPid(spawnSync("true").pid);
  /** Beyond the largest number that Linux gives a process. */
  const noProcess = withPid(2 ** 22 + 1);

  it("are removed with all that is in them", async () => {
    const abandoned = await folderOf(ended());
    await removeAbandonedFolders(base);

    expect(existsSync(abandoned)).toBe(false);
  });

  it.runIf(process.platform === "linux")("are removed where the number was used again (only Linux knows)", async () => {
    const abandoned = await folderOf((name) => name.replace(/-([0-9a-z]+)-(?=[0-9a-f]{8}$)/, "-1$1-"));
    await removeAbandonedFolders(base);

    expect(existsSync(abandoned)).toBe(false);
  });

  it.each<[string, (name: string) => string]>([
    ["of a process that runs", (name) => name],
    ["of another machine, boot or container", (name) => noProcess(name).replace(/[0-9a-f]{8}$/, "0".repeat(8))],
    ["of an older version", () => `outputs-${"0".repeat(32)}`],
    ["with a name that goes on", (name) => `${noProcess(name)}x`],
  ])("are the only ones: one %s stays", async (_, change) => {
    const folder = await folderOf(change);
    await removeAbandonedFolders(base);

    expect(existsSync(join(folder, "inner/file"))).toBe(true);
  });

  it("are the only ones: what a link leads to stays", async () => {
    const abandoned = await folderOf(ended());
    const target = scratchFolder();
    writeFileSync(join(target, "kept"), "x");
    symlinkSync(target, join(abandoned, "link"));
    await removeAbandonedFolders(base);

    expect([existsSync(abandoned), existsSync(join(target, "kept"))]).toEqual([false, true]);
  });

  it("go when the next process makes its first one", async () => {
    const abandoned = await folderOf(ended());
    // As in a process that begins.
    vi.resetModules();
    const fresh = await import("../src/artifacts/temporary-folder.ts");
    const made = await fresh.makeTemporaryFolder("outputs");

    await until(() => !existsSync(abandoned), "the folder is gone");
    expect(existsSync(made)).toBe(true);
  });
});
