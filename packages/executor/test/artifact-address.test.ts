/** Addresses of artifacts at their limits, and errors that keep what caused them. */
import { describe, expect, it } from "vitest";
import { ArtifactError, parseArtifactAddress } from "../src/artifacts/address.ts";

describe("an address", () => {
  it.each([
    ["a?lines=5-5", { startLine: 5, endLine: 5 }],
    ["a:5-5", { startLine: 5, endLine: 5 }],
    ["a:1", { startLine: 1, endLine: 1 }],
    ["a?lines=123456789012345", { startLine: 123_456_789_012_345, endLine: 123_456_789_012_345 }],
    ["a?tail=1", { tail: 1 }],
    ["a?tail=999999999", { tail: 999_999_999 }],
    ["a?grep==", { grep: "=" }],
    ["a?grep=a=b", { grep: "a=b" }],
    ["a?grep=x&tail=2", { grep: "x", tail: 2 }],
    ["a?grep=50%25", { grep: "50%" }],
    ["a?grep=50%2", { grep: "50%2" }],
    ["a?grep=50%zz", { grep: "50%zz" }],
    ["a?grep=%E9%", "has a wrongly encoded parameter"],
    ["a?grep=%e9", "has a wrongly encoded parameter"],
    ["a:2?tail=1", { startLine: 2, endLine: 2, tail: 1 }],
    ["a?", {}],
    ["a?tail=1x", "has no valid `tail`"],
    ["a?tail=x1", "has no valid `tail`"],
    ["a?tail=1234567890", "has no valid `tail`"],
    ["a?tail", "has no valid `tail`"],
    ["a?grep", "has an empty `grep`"],
    ["a?lines", "has no valid line range"],
    ["a?lines=1-2x", "has no valid line range"],
    ["a?lines=x1-2", "has no valid line range"],
    ["a?lines=1--2", "has no valid line range"],
    ["a?lines=0", "begins at line 0; lines are counted from 1"],
    ["a?head=3", "has an unknown parameter `head`; use `lines`, `tail` or `grep`"],
    ["a?head", "has an unknown parameter `head`"],
    ["a?&tail=1", "has an unknown parameter ``"],
    ["a:1?lines=2", "has two line ranges"],
    ["a b", "has no valid id; an id has letters, digits, `_` and `-` only"],
  ])("%s", (address, expected) => {
    if (typeof expected === "string") expect(() => parseArtifactAddress(address)).toThrow(`\`${address}\` ${expected}`);
    else expect(parseArtifactAddress(address)).toEqual({ id: "a", ...expected });
  });

  it("may have 4,096 characters; of a longer one the error has the beginning", () => {
    const long = `a?grep=${"x".repeat(4_089)}`;
    expect(parseArtifactAddress(long).grep).toHaveLength(4_089);

    expect(() => parseArtifactAddress(`${long}x`)).toThrow(`artifact address \`${long.slice(0, 60)}…\` is too long`);
  });

  it("that is not valid has an error with a code, and a cause only where there is one", () => {
    const cause = new Error("why");
    const [without, caused] = [
      new ArtifactError("PI_ARTIFACT_STORE", "no"),
      new ArtifactError("PI_ARTIFACT_STORE", "no", cause),
    ];

    expect([without.name, without.code, "cause" in without, caused.cause]).toEqual([
      "ArtifactError",
      "PI_ARTIFACT_STORE",
      false,
      cause,
    ]);
  });
});
