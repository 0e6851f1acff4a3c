/** The folder of a call while something takes time, here and on a place: what counts as another one. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionPlace } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { checkDirectory, FolderWatch } from "../src/working-directory.ts";
import { farPlace } from "./support/preparing.ts";
import { thrown } from "./support/session.ts";

const MOVED = "The working directory changed after the call was checked; try again.";

/** What comes of a watch of `work`, with `meanwhile` between its two looks. */
async function watched(meanwhile: (folder: string) => void, mayBeMissing = false): Promise<string> {
  const folder = scratchFolder();
  mkdirSync(join(folder, "work"));
  const watch = new FolderWatch(join(folder, "work"), mayBeMissing);
  await watch.record();
  meanwhile(folder);
  return watch.compare().then(
    () => "the same",
    (error: Error) => error.message,
  );
}

/** A place where a path is what the list says at each look, its last entry again and again. */
function changing(...looks: Awaited<ReturnType<SessionPlace["stat"]>>[]): SessionPlace {
  let count = 0;
  return farPlace({
    stat: async () => {
      count += 1;
      return looks[Math.min(count, looks.length) - 1] ?? { kind: "missing" };
    },
  });
}

const FOLDER = { kind: "directory", realPath: "/far/real" } as const;
const OTHER = { kind: "directory", realPath: "/far/other" } as const;

describe.skipIf(process.platform === "win32")("a folder on this machine", () => {
  it("is the same whatever is put into it", async () => {
    expect(await watched((folder) => mkdirSync(join(folder, "work", "new")))).toBe("the same");
    expect(await watched((folder) => writeFileSync(join(folder, "beside"), ""))).toBe("the same");
  });

  it.each<[string, (folder: string) => void]>([
    ["is gone", (folder) => rmSync(join(folder, "work"), { recursive: true })],
    [
      "is another one of its name",
      (folder) => {
        renameSync(join(folder, "work"), join(folder, "moved"));
        mkdirSync(join(folder, "work"));
      },
    ],
    [
      "is the same one under another name, with a link in its place",
      (folder) => {
        renameSync(join(folder, "work"), join(folder, "moved"));
        symlinkSync("moved", join(folder, "work"));
      },
    ],
  ])("that %s is another one", async (_, meanwhile) => {
    expect(await watched(meanwhile)).toBe(MOVED);
    expect(await watched(meanwhile, true)).toBe(MOVED);
  });

  it("that was never looked at is not compared", async () => {
    await new FolderWatch("/nowhere/at/all", false).compare();
  });

  it("that may be missing may come meanwhile, and any other one has to be there", async () => {
    const path = join(scratchFolder(), "new");
    const watch = new FolderWatch(path, true);
    await watch.record();
    mkdirSync(path);
    await watch.compare();
    expect((await thrown(new FolderWatch("/nowhere/at/all", false).record())).message).toBe(
      "Working directory does not exist: /nowhere/at/all",
    );
  });
});

describe("a folder on a place", () => {
  it("is known by what its path leads to over there", async () => {
    const same = new FolderWatch("/far/work", false, changing(FOLDER));
    await same.record();
    await same.compare();
    for (const later of [OTHER, { kind: "missing" } as const]) {
      const watch = new FolderWatch("/far/work", false, changing(FOLDER, FOLDER, later));
      await watch.record();
      expect((await thrown(watch.compare())).message).toBe(MOVED);
    }
  });

  it("has to be there, over there", async () => {
    const { message } = await thrown(checkDirectory("/", changing({ kind: "missing" })));
    expect(message).toMatch(/\/.*ssh:build7|ssh:build7.*\//);
    await checkDirectory("/nowhere/at/all", changing(FOLDER));
    expect((await thrown(checkDirectory("/nowhere/at/all"))).message).toBe(
      "Working directory does not exist: /nowhere/at/all",
    );
  });

  it("that cannot be looked at is another one than before", async () => {
    const fails = farPlace({
      stat: (() => {
        let count = 0;
        return async () => {
          count += 1;
          if (count > 2) throw new Error("the connection is gone");
          return FOLDER;
        };
      })(),
    });
    const watch = new FolderWatch("/far/work", false, fails);
    await watch.record();
    expect((await thrown(watch.compare())).message).toBe(MOVED);
  });
});
