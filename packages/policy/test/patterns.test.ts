/** Patterns of settings and rule files, matched in linear time, and the words that braces make. */
import { describe, expect, it } from "vitest";
import { braceWords } from "../src/brace-words.ts";
import { compilePattern } from "../src/linear-pattern.ts";
import { parseRule } from "../src/rules/rule.ts";

function matches(source: string, text: string, flags?: string): boolean | string {
  const compiled = compilePattern(source, flags);
  return compiled.ok ? compiled.pattern.test(text) : compiled.problem;
}

describe("a compiled pattern", () => {
  it.each<[string, string, string | undefined, boolean]>([
    ["b", "abc", undefined, true],
    ["^b", "abc", undefined, false],
    ["B", "abc", undefined, false],
    ["B", "abc", "i", true],
    ["B", "abc", "gi", true],
    ["^b", "a\nb", undefined, false],
    ["^b", "a\nb", "m", true],
    ["^b", "a\nb", "s", false],
    ["^B", "a\nb", "im", true],
    ["a.b", "a\nb", undefined, false],
    ["a.b", "a\nb", "s", true],
    ["a.b", "a\nb", "m", false],
    ["b", "abc", "gyuvd", true],
    ["\\d+", "a12", undefined, true],
  ])("%j on %j with flags %s: %s", (source, text, flags, expected) => {
    expect(matches(source, text, flags)).toBe(expected);
  });

  it("has no state, whatever its flags", () => {
    const compiled = compilePattern("b", "gy");

    expect(
      compiled.ok && [compiled.pattern.test("b"), compiled.pattern.test("b"), compiled.pattern.test("ab")],
    ).toEqual([true, true, true]);
  });

  it("is refused for a flag that there is not, and for what needs to look back", () => {
    expect(compilePattern("a", "x")).toEqual({ ok: false, problem: "unknown flag `x`" });
    expect(compilePattern("a", "gix")).toEqual({ ok: false, problem: "unknown flag `x`" });
    expect(compilePattern("(")).toMatchObject({ ok: false, problem: expect.stringContaining("missing closing )") });
    expect(compilePattern("(a)\\1")).toMatchObject({ ok: false });
    expect(compilePattern("(?=a)")).toMatchObject({ ok: false });
  });

  it("may have 4,096 characters", () => {
    expect(matches("a".repeat(4_096), "a".repeat(4_096))).toBe(true);
    expect(matches("a".repeat(4_097), "a".repeat(4_097))).toBe("pattern is longer than 4096 characters");
  });

  it("of a rule is refused where only the whole of it is too long", () => {
    const rule = (length: number) => parseRule(`Bash(re:${"a".repeat(length)})`, "allow", "user");

    expect(rule(4_090).ok).toBe(true);
    expect(rule(4_091)).toMatchObject({ ok: false, problem: expect.stringContaining("longer than 4096 characters") });
    expect(rule(4_097)).toMatchObject({ ok: false, problem: expect.stringContaining("longer than 4096 characters") });
  });

  it("that would hang another engine ends at once", () => {
    expect(matches("^(a+)+b$", "a".repeat(50_000))).toBe(false);
  });
});

describe("the words that braces make", () => {
  it.each([
    ["a", ["a"]],
    ["", [""]],
    ["{a}", ["{a}"]],
    ["{a,b", ["{a,b"]],
    ["a,b}", ["a,b}"]],
    ["{1..3}", ["{1..3}"]],
    ["{a,b}", ["a", "b"]],
    ["x{a,b}y", ["xay", "xby"]],
    ["{,x}", ["", "x"]],
    ["{x,}", ["", "x"]],
    ["{a,bcd}", ["a", "bcd"]],
    ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
    ["{a}{b,c}", ["{a}b", "{a}c"]],
    ["x\n{a,b}\ny", ["x\na\ny", "x\nb\ny"]],
  ])("of %j are %j", (text, words) => {
    expect(braceWords(text).toSorted()).toEqual(words);
  });

  it("count with what is inside of others", () => {
    expect(new Set(braceWords("{a,{b,c}}"))).toEqual(new Set(["a", "b", "c"]));
  });

  it("are few: the rest keeps its braces, and so does a long text", () => {
    const many = braceWords("{a,b,c}".repeat(12));

    expect(many.length).toBeGreaterThanOrEqual(64);
    expect(many.length).toBeLessThan(200);
    expect(many.some((word) => word.includes("{"))).toBe(true);
    expect(braceWords(`{${"a,".repeat(80)}b}`)).toHaveLength(64);
    expect(braceWords(`{a,b}${"x".repeat(1_019)}`)).toHaveLength(2);
    expect(braceWords(`{a,b}${"x".repeat(1_020)}`)).toHaveLength(1);
  });
});
