/** What a model reads of a refusal: the reasons, how many more there are, and the rules that would allow it. */
import { describe, expect, it } from "vitest";
import { aboutRequest, type Finding } from "../src/finding.ts";
import { MAX_NAMED_REASONS, refusalText } from "../src/policy.ts";

const FIRST = "Command blocked by policy; do not retry it in another form.";
const reasons = (count: number): Finding[] =>
  Array.from({ length: count }, (_, at) => aboutRequest("code", "unknown", `reason ${at + 1}`));
const linesOf = (found: readonly Finding[], suggestedRules: readonly string[] = []): string[] =>
  refusalText({ reasons: found, suggestedRules }).split("\n");
const messageLine = (message: string): string | undefined => linesOf([aboutRequest("c", "unknown", message)])[1];

describe("a refusal", () => {
  it("names each reason on a line of its own, with its hint where it has one", () => {
    const hinted = { ...aboutRequest("c", "exec", "it runs `x`"), hint: "run `y`" };

    expect(linesOf([...reasons(1), hinted])).toEqual([FIRST, "- reason 1", "- it runs `x` (run `y`)"]);
    expect(linesOf([])).toEqual([FIRST]);
  });

  it("names so many reasons and counts the rest", () => {
    expect(MAX_NAMED_REASONS).toBe(10);
    expect(linesOf(reasons(10))).toEqual([FIRST, ...reasons(10).map(({ message }) => `- ${message}`)]);
    expect(linesOf(reasons(11))).toEqual([FIRST, ...reasons(10).map(({ message }) => `- ${message}`), "- and 1 more"]);
    expect(linesOf(reasons(4_000)).at(-1)).toBe("- and 3990 more");
  });

  it("clips a long reason, and writes hidden characters out before", () => {
    expect(messageLine("x".repeat(300))).toBe(`- ${"x".repeat(300)}`);
    expect(messageLine("x".repeat(301))).toBe(`- ${"x".repeat(299)}…`);
    expect(messageLine("a\u202eb\u001b[2J")).toBe("- a\\u{202e}b\\u{1b}[2J");
    // Eight characters each: the text that is shown is what is clipped.
    expect(messageLine("\u202e".repeat(40))).toBe(`- ${"\\u{202e}".repeat(37)}\\u{…`);
  });

  it("keeps the hint of a reason that is clipped", () => {
    expect(linesOf([{ ...aboutRequest("c", "exec", "x".repeat(400)), hint: "h".repeat(400) }])[1]).toBe(
      `- ${"x".repeat(299)}… (${"h".repeat(400)})`,
    );
  });

  it("ends with the rules that a person can allow it with", () => {
    expect(linesOf(reasons(1), ["Bash(make)"])).toEqual([
      FIRST,
      "- reason 1",
      "No one is there to be asked; a person can allow it with `Bash(make)`.",
    ]);
    expect(linesOf(reasons(12), ["Bash(a)", "Env(B)"]).slice(-2)).toEqual([
      "- and 2 more",
      "No one is there to be asked; a person can allow it with `Bash(a)`, `Env(B)`.",
    ]);
  });
});
