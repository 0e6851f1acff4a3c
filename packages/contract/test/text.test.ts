/** Cuts of texts: within their size, never inside a character, and no shorter than they must be. */
import { describe, expect, it } from "vitest";
import { pick, type Random, seededRandom } from "../../../test/support/random.ts";
import { characterStart, clipped, clippedStart, headBytes, headUnits, tailBytes, tailUnits } from "../src/text.ts";

/** Characters of 1 to 4 bytes, joined ones, and line ends. */
const CHARACTERS = ["a", "\n", "é", "€", "한", "🙂", "\u{1f468}\u200d\u{1f469}", "\u0301", "\0", "\ufffd"];
const ROUNDS = 3_000;

function randomText(random: Random): string {
  return Array.from({ length: Math.floor(random() * 24) }, () => pick(CHARACTERS, random)).join("");
}

/** Calls `look` with texts of whole characters and sizes around theirs. */
function eachText(look: (text: string, size: number) => void): void {
  const random = seededRandom(19);
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = randomText(random);
    look(text, Math.floor(random() * (Buffer.byteLength(text) + 3)) - 1);
  }
}

const bytesOf = (text: string): number => Buffer.byteLength(text);
const unitsOf = (text: string): number => text.length;

describe.each([
  { name: "the beginning in bytes", cut: headBytes, sizeOf: bytesOf, end: "head" },
  { name: "the end in bytes", cut: tailBytes, sizeOf: bytesOf, end: "tail" },
  { name: "the beginning in units", cut: headUnits, sizeOf: unitsOf, end: "head" },
  { name: "the end in units", cut: tailUnits, sizeOf: unitsOf, end: "tail" },
] as const)("$name", ({ cut, sizeOf, end }) => {
  it("is within its size and of whole characters", () => {
    eachText((text, size) => {
      const kept = cut(text, size);

      expect(sizeOf(kept)).toBeLessThanOrEqual(Math.max(0, size));
      expect(kept).not.toMatch(/\p{Surrogate}/u);
      expect(end === "head" ? text.startsWith(kept) : text.endsWith(kept)).toBe(true);
    });
  });

  it("is the text where that fits, and else has no room for one more character", () => {
    eachText((text, size) => {
      const kept = cut(text, size);
      if (sizeOf(text) <= size) {
        expect(kept).toBe(text);
        return;
      }
      const rest = [...(end === "head" ? text.slice(kept.length) : text.slice(0, text.length - kept.length))];
      const next = (end === "head" ? rest[0] : rest.at(-1)) ?? "";
      expect(sizeOf(kept) + sizeOf(next)).toBeGreaterThan(size);
    });
  });
});

describe("a clipped text", () => {
  it("says that it was cut, within its size", () => {
    eachText((text, size) => {
      const most = Math.max(1, size);
      const isWhole = text.length <= most;

      expect(clipped(text, most)).toBe(isWhole ? text : `${headUnits(text, most - 1)}…`);
      expect(clippedStart(text, most)).toBe(isWhole ? text : `…${tailUnits(text, most - 1)}`);
      expect(clipped(text, most).length).toBeLessThanOrEqual(most);
      expect(clippedStart(text, most).length).toBeLessThanOrEqual(most);
    });
  });
});

describe("the beginning of a character", () => {
  it("is found from any byte of a text", () => {
    const bytes = Buffer.from("a€🙂b");

    expect(Array.from({ length: bytes.length + 1 }, (_, from) => characterStart(bytes, from))).toEqual([
      0, 1, 4, 4, 4, 8, 8, 8, 8, 9,
    ]);
  });

  it("is the end of bytes that are no text", () => {
    expect(characterStart(Buffer.from([0x80, 0xbf, 0x80]), 0)).toBe(3);
  });
});
