/** The files of a snapshot on this machine: for this user only, and written again where they are gone. */
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { nearSnapshotFiles } from "../src/snapshot/snapshot-files.ts";

describe("the files of a snapshot on this machine", () => {
  let tmp = "";
  beforeEach(() => {
    tmp = scratchFolder();
    vi.stubEnv("TMPDIR", tmp);
  });
  afterEach(() => void vi.unstubAllEnvs());

  it("are written for this user only, in a folder that is made with the first of them and removed with all", async () => {
    const files = nearSnapshotFiles();
    await files.dispose();
    expect(existsSync(join(tmp, `pi-bash-${process.getuid?.() ?? 0}`))).toBe(false);
    const [path, target] = [await files.write("a.sh", "text"), await files.target("record")];

    expect([basename(path), basename(target), dirname(path) === dirname(target)]).toEqual(["a.sh", "record", true]);
    expect(basename(dirname(path))).toMatch(/^snapshots-[0-9a-f]{8}-/);
    expect([readFileSync(path, "utf8"), readFileSync(target, "utf8")]).toEqual(["text", ""]);
    expect([path, target].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(await files.read(path)).toBe("text");
    await files.remove(target);
    await expect(files.remove(target)).resolves.toBeUndefined();
    expect(existsSync(target)).toBe(false);
    await files.dispose();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it("are there where anything has the name, a link that leads nowhere too", async () => {
    const files = nearSnapshotFiles();
    symlinkSync("/nowhere/at/all", join(tmp, "link"));
    expect(await Promise.all(["link", "missing"].map((name) => files.has(join(tmp, name))))).toEqual([true, false]);
    expect(await files.has(tmp)).toBe(true);
  });

  it("are written again where they are gone or changed, and left alone where they are as they were", async () => {
    const files = nearSnapshotFiles();
    const path = await files.write("a.sh", "text");
    const before = statSync(path).ino;
    expect([await files.keep(path, "text"), statSync(path).ino]).toEqual([path, before]);
    writeFileSync(path, "changed");
    expect([await files.keep(path, "text"), readFileSync(path, "utf8")]).toEqual([path, "text"]);
    rmSync(dirname(path), { recursive: true });
    expect([await files.keep(path, "text"), readFileSync(path, "utf8")]).toEqual([path, "text"]);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    await files.dispose();
  });
});
