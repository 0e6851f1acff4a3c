/** Paths of internal URLs: what climbs is refused in every encoding, and what is left stays in its folder. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { decodePath, pathInside, placeInside, refuseTraversal } from "../src/url-path.ts";

const CLIMBS = "Path traversal is not allowed in local:// URLs";

/** A text, percent-encoded so many times. */
function encoded(text: string, times: number): string {
  let made = text;
  for (let round = 0; round < times; round += 1) {
    made = [...made].map((each) => `%${(each.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`).join("");
  }
  return made;
}

describe("a path that climbs", () => {
  it.each(["..", "a/../b", "a\\..\\b", "a:..", "..:a", "/a", "a/..", "../a", "a\0b"])("%j is refused", (path) => {
    expect(() => refuseTraversal(path, "local")).toThrow(CLIMBS);
  });

  it.each([1, 2, 3, 4])("is refused behind %d layers of encoding", (layers) => {
    expect(() => refuseTraversal(encoded("..", layers), "local")).toThrow(CLIMBS);
    expect(() => refuseTraversal(encoded("/a", layers), "local")).toThrow(CLIMBS);
  });

  it("is not looked for behind more layers than that: they are refused by themselves", () => {
    expect(() => refuseTraversal(encoded("a", 3), "local")).not.toThrow();
    expect(() => refuseTraversal(encoded("a", 5), "local")).toThrow(CLIMBS);
  });

  it.each(["a/b", "a..b", "...", "..a", "a?x=/../y", "a?../b", "100%", "%zz", "a%2fb", "", "a//b"])(
    "%j is none",
    (path) => {
      expect(() => refuseTraversal(path, "local")).not.toThrow();
    },
  );
});

describe("the segments of a path", () => {
  it("are decoded once, and empty ones are none", () => {
    expect(decodePath("a//b%20c/%252e/", "x", "skill")).toEqual(["a", "b c", "%2e"]);
    expect(decodePath("", "x", "skill")).toEqual([]);
  });

  it("are put into their folder, and never lead out of it", () => {
    expect(pathInside("/base", ["a", "/b"], "local")).toBe("/base/a/b");
    expect(pathInside("/base/", [], "local")).toBe("/base");
    expect(pathInside("/", ["a"], "local")).toBe("/a");
    for (const segments of [["../base2"], [".."], ["a/../../x"], ["../bas"]])
      expect(() => pathInside("/base", segments, "local")).toThrow(CLIMBS);
  });
});

describe("the place of a path on the disk", () => {
  it("is as it was written where no link is on the way", async () => {
    const base = join(scratchFolder(), "base");
    expect(await placeInside(base, join(base, "a"), "local")).toBe(join(base, "a"));
    mkdirSync(join(base, "a"), { recursive: true });
    for (const path of ["a", "a/b/c", "new"])
      expect(await placeInside(base, join(base, path), "local")).toBe(join(base, path));
  });

  it("is what links lead to, with what is not there yet behind it", async () => {
    const base = join(scratchFolder(), "base");
    mkdirSync(join(base, "real"), { recursive: true });
    symlinkSync("real", join(base, "link"));
    expect(await placeInside(base, join(base, "link"), "local")).toBe(join(base, "real"));
    expect(await placeInside(base, join(base, "link/a/b"), "local")).toBe(join(base, "real/a/b"));
  });

  it("stays as written below a base that is a link itself", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "real/a"), { recursive: true });
    symlinkSync("real", join(folder, "base"));
    const base = join(folder, "base");
    expect(await placeInside(base, join(base, "a/new"), "local")).toBe(join(base, "a/new"));
  });

  it("is not outside, not beside, and not behind a link to nothing", async () => {
    const folder = scratchFolder();
    const base = join(folder, "base");
    mkdirSync(base);
    mkdirSync(join(folder, "base2"));
    symlinkSync("../base2", join(base, "beside"));
    symlinkSync("../base2/new", join(base, "nothing"));
    for (const path of ["beside", "beside/x", "nothing", "nothing/x"])
      await expect(placeInside(base, join(base, path), "local"), path).rejects.toThrow(`${CLIMBS}: a link leads out`);
  });

  it("below a file is not there, and below a loop of links cannot be known", async () => {
    const base = scratchFolder();
    writeFileSync(join(base, "file"), "");
    expect(await placeInside(base, join(base, "file/x"), "local")).toBe(join(base, "file/x"));
    symlinkSync("loop", join(base, "loop"));
    await expect(placeInside(base, join(base, "loop/x"), "local")).rejects.toThrow(/ELOOP/);
  });
});
