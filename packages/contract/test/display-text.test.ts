/** What a person or a model is shown of a command: nothing hides, and nothing is pushed out of sight. */
import { describe, expect, it } from "vitest";
import { displayLine, displayText } from "../src/display-text.ts";
import { writeOutHidden } from "../src/internal.ts";

/** All characters, a plane at a time; surrogates stand for themselves. */
function* allCharacters(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) yield String.fromCodePoint(code);
}

describe("writing out", () => {
  it("leaves no character of the classes that are not seen or reorder others", () => {
    const isHidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
    const left = [...allCharacters()].filter((character) => {
      const isBlank = /\p{Zs}/u.test(character) && character !== " ";
      const isControl = /\p{Cc}/u.test(character) && character !== "\n" && character !== "\t";
      if (!isHidden.test(character) && !isBlank && !isControl)
        return writeOutHidden(character) !== character && character !== "\u2800";
      return writeOutHidden(character) !== `\\u{${character.codePointAt(0)?.toString(16)}}`;
    });

    expect(left).toEqual([]);
  });

  it.each([
    ["\u00ad", "\\u{ad}"],
    ["\u034f", "\\u{34f}"],
    ["\u115f", "\\u{115f}"],
    ["\u1160", "\\u{1160}"],
    ["\u17b4", "\\u{17b4}"],
    ["\u180b", "\\u{180b}"],
    ["\u2061", "\\u{2061}"],
    ["\u206f", "\\u{206f}"],
    ["\u3164", "\\u{3164}"],
    ["\uffa0", "\\u{ffa0}"],
    ["\ufe0f", "\\u{fe0f}"],
    ["\u{e0100}", "\\u{e0100}"],
    ["\u{1d173}", "\\u{1d173}"],
    ["\u202e", "\\u{202e}"],
    ["\u2800", "\\u{2800}"],
    ["\u00a0", "\\u{a0}"],
    ["\r", "\\u{d}"],
    ["\u001b", "\\u{1b}"],
    ["\ud800", "\\u{d800}"],
  ])("%j is %s", (character, written) => {
    expect(displayText(`a${character}b`)).toBe(`a${written}b`);
  });

  it("keeps letters, emoji of one character, tabs and newlines", () => {
    const text = "echo 'naïve 日本語 🙂' \t&&\n ls";
    expect(displayText(text)).toBe(text);
  });

  it("lets through what its caller knows to do honest work", () => {
    expect(writeOutHidden("a\u200db\u200d", (_, offset) => offset === 1)).toBe("a\u200db\\u{200d}");
  });
});

describe("folding", () => {
  it("counts a long run of empty lines, and shows what stands behind it", () => {
    expect(displayText(`ls${"\n".repeat(600)}rm x`)).toBe("ls\n… 599 empty lines …\nrm x");
  });

  it.each([
    ["at the beginning", `${"\n".repeat(50)}rm x`, "… 50 empty lines …\nrm x"],
    ["at the end", `ls${"\n".repeat(50)}`, "ls\n… 49 empty lines …\n"],
    ["with blanks in them", `ls\n${" \t\n".repeat(50)}rm x`, "ls\n… 50 empty lines …\nrm x"],
    ["of carriage returns", `ls\n${"\r\n".repeat(2)}rm x`, "ls\n\\u{d}\n\\u{d}\nrm x"],
  ])("does so %s", (_, text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  it("counts blanks and tabs that push text out of sight", () => {
    expect(displayText(`ls${" ".repeat(500)}; rm x`)).toBe("ls … 500 blanks … ; rm x");
    expect(displayText(`ls${"\t ".repeat(100)}; rm x`)).toBe("ls … 200 blanks … ; rm x");
  });

  it("leaves paragraphs and indentation as they are", () => {
    const text = `if a; then\n${" ".repeat(24)}b\n\n\n\nfi`;
    expect(displayText(text)).toBe(text);
  });

  it("is linear in the length of the text", () => {
    const startMs = performance.now();
    displayText(`${"\n ".repeat(200_000)}x`);
    displayText(`${" ".repeat(1_000_000)}x`);
    displayText(`\n${"\t".repeat(1_000_000)}x`);
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

it("is one line where one is needed", () => {
  expect(displayLine(" a\n\u202eb \t c ")).toBe("a \\u{202e}b c");
});
