/** What a project can put before the programs of the machine, and that it does not run when git is looked at. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { inspectGitConfig } from "../src/git-inspection.ts";
import { foreignFolders, hasOwnFolders } from "../src/search-path.ts";
import { scratchFolder } from "./support/scratch.ts";

const root = scratchFolder();
const repo = join(root, "repo");
const deep = join(repo, "packages", "one");
const bin = join(repo, "node_modules", ".bin");
const elsewhere = join(root, "elsewhere");
for (const folder of [join(repo, ".git"), deep, bin, elsewhere]) mkdirSync(folder, { recursive: true });
symlinkSync(bin, join(root, "link"));

const pathOf = (...folders: string[]): string => folders.join(delimiter);

describe("folders of a search path", () => {
  it.each([
    ["the working directory", "."],
    ["an empty one, which is the same", ""],
    ["a relative one", "node_modules/.bin"],
    ["one of the folder", join(deep, "bin")],
    ["the folder itself", deep],
    ["one of the repository around it", bin],
    ["a link into it", join(root, "link")],
    ["one that leads back into it", join(elsewhere, "..", "repo", "x")],
  ])("are the project's: %s", (_, folder) => {
    const path = pathOf("/usr/bin", folder, "/bin");

    expect(foreignFolders(path, deep)).toEqual(["/usr/bin", "/bin"]);
    expect(hasOwnFolders(path, deep)).toBe(true);
  });

  it("are the machine's where they are absolute and elsewhere, also of a similar name", () => {
    const path = pathOf("/usr/bin", elsewhere, `${repo}-2`, join(root, "missing"));

    expect(foreignFolders(path, deep)).toEqual(path.split(delimiter));
    expect(hasOwnFolders(path, deep)).toBe(false);
    expect(hasOwnFolders("", deep)).toBe(false);
  });
});

describe("a look at the configuration of git", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(["", ".", "node_modules/.bin", bin, join(root, "link")])(
    "runs no `git` of the project: %j",
    async (folder) => {
      const proof = join(root, "ran");
      for (const place of [repo, bin]) {
        writeFileSync(join(place, "git"), `#!/bin/sh\ntouch '${proof}'\n`);
        chmodSync(join(place, "git"), 0o755);
      }
      vi.stubEnv("PATH", pathOf(folder, process.env["PATH"] ?? ""));

      await inspectGitConfig(repo);

      expect(existsSync(proof)).toBe(false);
    },
  );

  it("is none where only the project has a `git`", async () => {
    vi.stubEnv("PATH", pathOf(".", dirname(bin)));

    expect(await inspectGitConfig(repo)).toBeUndefined();
  });
});
