/** Characters that hide or reorder: what they do to a decision. How they are shown is the contract's. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/index.ts";

const ANYWHERE = ["\u202e", "\u2066", "\u061c", "\u200e", "\u2028", "\u2029", "\u{e0041}", "\u0007", "\u009b", "\r"];
const OUTSIDE_QUOTES = [
  ..."\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u2060\u2061\u2064\u206a\u206f\u3164\ufe00\ufe0f\ufeff\uffa0",
  "\u{1bca0}",
  "\u{1d173}",
  "\u{e0100}",
  ..."\u00a0\u1680\u2003\u202f\u205f\u3000\u2800",
];

function name(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

describe("a line that only reads", () => {
  it.each(ANYWHERE.map((character) => [name(character), character]))(
    "is asked about with %s, wherever it is",
    (_, character) => {
      expect(classify(`ls a${character}`).class).not.toBe("readonly");
      expect(classify(`ls 'a${character}'`).class).not.toBe("readonly");
    },
  );

  it.each(OUTSIDE_QUOTES.map((character) => [name(character), character]))(
    "is asked about with %s outside of quotes",
    (_, character) => {
      expect(classify(`ls a${character}`).findings.map(({ code }) => code)).toContain("suspicious-character");
      expect(classify(`ls 'a${character}'`).class).toBe("readonly");
    },
  );

  it("may have emoji with joiners and selectors in quotes, and letters of any script", () => {
    expect(classify("echo '👩‍💻 ❤️ हिन्दी' naïve 日本").class).toBe("readonly");
  });
});
