/** Scripts of `sed` that end where they should not: whatever is not understood is refused. */
import { describe, expect, it } from "vitest";
import { isHarmlessSedScript } from "../../src/read-only/sed-script.ts";

describe("a script of sed", () => {
  it.each([
    "",
    " ",
    ";",
    "#x",
    "p",
    "p;p",
    "1p",
    "$p",
    "1,2p",
    "/a/p",
    "s/a/b/",
    "y/a/b/",
    "{p}",
    "a x",
    "q",
    "q 5",
    "b",
    ": x",
  ])("is harmless: %j", (script) => {
    expect(isHarmlessSedScript(script)).toBe(true);
  });

  it.each([
    "s",
    "s[",
    "s\\",
    "s\n",
    "s]",
    "y",
    "y[",
    "y\\",
    "s/a",
    "s/a/b",
    "y/a",
    "y/a/b",
    "/a",
    "1",
    "1,",
    "\\",
    "\\[a[p",
    "w",
    "e",
    "r f",
    "pp",
  ])("is refused: %j", (script) => {
    expect(isHarmlessSedScript(script)).toBe(false);
  });
});
