/** Folders and files for this user only: what is made, and what is refused or stepped around. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ensurePrivateFolder } from "../src/artifacts/private-folder.ts";

const isRoot = process.getuid?.() === 0;
const mode = (path: string) => statSync(path).mode & 0o777;

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
