/** Patterns for lines: what is one, what it matches by line and by text, and what the error of another one says. */
import { describe, expect, it } from "vitest";
import { linePattern } from "../src/artifacts/line-pattern.ts";
import { readAt } from "../src/artifacts/readable-file.ts";

/** What is thrown for a pattern. */
function refusal(pattern: string): unknown {
  try {
    linePattern(pattern);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a pattern", () => {
  it.each<[string, string[], string[]]>([
    ["plain", ["plain", "a plain line"], ["plan", ""]],
    ["", ["", "anything"], []],
    ["p.ain", ["plain"], ["pain"]],
    ["^a$", ["a"], ["ba", "ab", ""]],
    ["[0-9]{2}", ["a12"], ["1a2"]],
    ["é|ü", ["für", "é"], ["e"]],
  ])("%j matches a line as text and as bytes", (pattern, lines, others) => {
    const { matches, mayBeIn } = linePattern(pattern);
    for (const [line, isMatch] of [...lines.map((each) => [each, true]), ...others.map((each) => [each, false])]) {
      const text = String(line);
      expect([matches(text), matches(Buffer.from(text))], text).toEqual([isMatch, isMatch]);
      if (isMatch === true) expect(mayBeIn(`first\n${text}\nlast\n`), text).toBe(true);
    }
  });

  it.each<[string, string, boolean]>([
    ["plain", "a\nplain\n", true],
    ["plain", "a\nplan\n", false],
    ["^b$", "a\nb\nc", true],
    ["^b$", "a\nbb\nc", false],
    ["\\Ab", "a\nc", true],
    ["b\\z", "a\nc", true],
    ["(?-m)b", "a\nc", true],
    ["(?i-s)b", "a\nc", true],
    ["(?i)B", "a\nb", true],
    ["(?i)B", "a\nc", false],
    ["(?:b)", "a\nc", false],
  ])("%j may be in a text or is certainly not: %j", (pattern, text, isPossible) => {
    expect(linePattern(pattern).mayBeIn(text)).toBe(isPossible);
  });

  it("may have 1,024 characters, plain ones too", () => {
    for (const character of ["a", "."]) {
      expect(linePattern(character.repeat(1_024)).matches("a".repeat(1_024))).toBe(true);
      expect(refusal(character.repeat(1_025))).toMatchObject({
        code: "PI_ARTIFACT_PATTERN",
        message: "pattern is longer than 1024 characters",
      });
    }
  });

  it("that is not one is refused, with why", () => {
    expect(refusal("a\nb")).toMatchObject({
      code: "PI_ARTIFACT_PATTERN",
      message: "pattern has a line break, and no line has one: give the text of one line",
    });
    expect(refusal("a\n.")).toBeUndefined();
    const invalid = refusal("(a") as Error & { code: string };
    expect(invalid.code).toBe("PI_ARTIFACT_PATTERN");
    expect(invalid.message).toMatch(/^pattern `\(a` is not valid RE2 syntax: .+/);
    expect(invalid.message).toContain((invalid.cause as Error).message);
    expect(refusal("(a)\\1")).toMatchObject({ code: "PI_ARTIFACT_PATTERN" });
  });
});

describe("a part of a file", () => {
  const content = Buffer.from("0123456789");
  /** A file that gives at most `most` bytes at a time. */
  const file = (most: number) => ({
    read: async (buffer: Buffer, offset: number, length: number, position: number) => {
      const bytes = content.subarray(position, position + Math.min(most, length));
      return { bytesRead: bytes.copy(buffer, offset) };
    },
    close: async () => undefined,
  });

  it.each([1, 3, 100])("is put together of what comes, %i bytes at a time", async (most) => {
    expect((await readAt(file(most), 2, 5)).toString()).toBe("23456");
    expect((await readAt(file(most), 8, 5)).toString()).toBe("89");
    expect((await readAt(file(most), 10, 5)).toString()).toBe("");
    expect((await readAt(file(most), 0, 0)).toString()).toBe("");
  });
});
