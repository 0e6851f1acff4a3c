/** Text on its way to a person's terminal: what survives, and that no row is too wide. */
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { styledLines } from "../src/text/styled.ts";
import { clip, displayWidth } from "../src/text/width.ts";
import { rowText, wrapLines } from "../src/text/wrap.ts";
import { hostileText } from "./hostile-text.ts";

const ESC = "\x1b";
/** All that may be in a row: colours, and links with a checked target. */
const ALLOWED = new RegExp(`${ESC}\\[[0-9;]*m|${ESC}\\]8;;(?:(?:https?|file)://[\\x21-\\x7e]+)?${ESC}\\\\`, "g");

function shown(text: string, width = 80): string[] {
  return wrapLines(styledLines(text), width).map((row) => rowText(row));
}

function plain(text: string): string[] {
  return styledLines(text, false).map((line) => line.map((run) => run.text).join(""));
}

describe("text of a command", () => {
  it.each([
    ["a title", `a${ESC}]0;owned\x07b`, "ab"],
    ["a write to the clipboard", `a${ESC}]52;c;aGk=${ESC}\\b`, "ab"],
    ["a question for the cursor's place", `a${ESC}[6nb`, "ab"],
    ["a full reset", `a${ESC}cb`, "ab"],
    ["a jump and a cleared screen", `a${ESC}[2J${ESC}[1;1Hb`, "ab"],
    ["an image", `a${ESC}_Gf=100;AAAA${ESC}\\b`, "ab"],
    ["an inline file", `a${ESC}]1337;File=inline=1:AAAA\x07b`, "ab"],
    ["a device control string", `a${ESC}P1$r0m${ESC}\\b`, "ab"],
    ["an eight-bit CSI and OSC", "a\x9b5nb\x9d0;t\x9cc", "abc"],
    ["an OSC that never ends", `a${ESC}]0;rest of the line\nnext`, "a\nnext"],
    ["a lone escape at the end", `a${ESC}`, "a"],
    ["NUL, bell and delete", "a\x00b\x07c\x7fd", "abcd"],
  ])("loses %s", (_name, text, expected) => {
    expect(plain(text).join("\n")).toBe(expected);
  });

  it("keeps its colours, each row with its own", () => {
    expect(shown(`${ESC}[1;31mred\nstill red${ESC}[0m plain`)).toEqual([
      `${ESC}[1;31mred${ESC}[0m`,
      `${ESC}[1;31mstill red${ESC}[0m plain`,
    ]);
  });

  it("cannot hide itself: concealed text is shown", () => {
    expect(shown(`${ESC}[8msecret${ESC}[0m`)).toEqual(["secret"]);
  });

  it.each([
    ["30;40", "of the palette"],
    ["97;48;5;15", "of the palette, in two ways of saying it"],
    ["38;5;16;48;2;0;0;9", "that no eye tells apart"],
    ["38;5;255;48;5;255", "of the greys"],
  ])("cannot hide itself in the colour of its ground: %s, %s", (parameters) => {
    expect(shown(`${ESC}[${parameters}msecret${ESC}[0m`)).toEqual(["secret"]);
    expect(shown(`${ESC}[31;40mred on black${ESC}[0m`)).toEqual([`${ESC}[31;40mred on black${ESC}[0m`]);
  });

  it.each([
    ["https://bank.example/", "https://evil.example/", " (https://evil.example/)"],
    ["bank.example", "https://bank.example.evil.org/", " (https://bank.example.evil.org/)"],
    ["www.bank.example/a", "http://evil.example", " (http://evil.example)"],
    ["https://bank.example", "https://bank.example/login", ""],
    ["bank.example/lo…", "https://www.bank.example/login", ""],
    ["the bank", "https://evil.example/", ""],
  ])("has the target of a link whose text is another address: %s to %s", (text, target, said) => {
    const link = `${ESC}]8;;${target}${ESC}\\${text}${ESC}]8;;${ESC}\\`;

    expect(shown(link)).toEqual([`${link}${said}`]);
    expect(shown(`x\r${link}`)).toEqual([`${link}${said}`]);
  });

  it("cannot widen the run before it", () => {
    expect(shown(`☺${ESC}[1m\ufe0f${ESC}[0m|`)).toEqual([`☺${ESC}[1m\\u{fe0f}${ESC}[0m|`]);
    expect(plain(`1${ESC}[1m\u20e3`)).toEqual(["1\\u{20e3}"]);
  });

  it("keeps links to the web and to files, and spells out the targets of others", () => {
    expect(shown(`${ESC}]8;;https://example.org/${ESC}\\here${ESC}]8;;${ESC}\\`)).toEqual([
      `${ESC}]8;;https://example.org/${ESC}\\here${ESC}]8;;${ESC}\\`,
    ]);
    expect(shown(`${ESC}]8;;javascript:alert(1)\x07here${ESC}]8;;\x07`)).toEqual(["here (javascript:alert(1))"]);
  });

  it("starts a line over at a carriage return, as a terminal does", () => {
    expect(plain("  1 %\r 50 %\r100 % done\n")).toEqual(["100 % done"]);
    expect(plain("longer than\rshort\n")).toEqual(["shortr than"]);
    expect(plain(`longer than\r${ESC}[Kshort\n`)).toEqual(["short"]);
    expect(plain("one\r\ntwo\r\r\n")).toEqual(["one", "two"]);
    expect(plain("漢字\ra")).toEqual(["a 字"]);
  });

  it("takes overstruck letters as one, and tabs to their columns", () => {
    expect(plain("b\bbo\bol\bld\bd")).toEqual(["bold"]);
    expect(plain("a\tb")).toEqual(["a       b"]);
  });

  it("has hidden and reordering characters written out, and keeps what scripts and emoji need", () => {
    expect(plain("safe\u202egnp.exe")).toEqual(["safe\\u{202e}gnp.exe"]);
    expect(plain("a\u200bb\u200dc")).toEqual(["a\\u{200b}b\\u{200d}c"]);
    expect(plain("x\u{e0041}")).toEqual(["x\\u{e0041}"]);
    expect(plain("👩‍👩‍👧‍👦 क्‍ष")).toEqual(["👩‍👩‍👧‍👦 क्‍ष"]);
  });

  it("has no half characters", () => {
    expect(plain("a\ud800b")).toEqual(["a\ufffdb"]);
  });
});

describe("rows", () => {
  it("break wide characters before the edge", () => {
    expect(shown("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
    expect(shown("a漢", 1)).toEqual(["a", "?"]);
  });

  it("keep an empty line", () => {
    expect(shown("a\n\nb\n")).toEqual(["a", "", "b"]);
    expect(shown("")).toEqual([]);
  });

  it("are never too wide and have nothing in them but text, colours and links, for any text and width", () => {
    const seed = Number(process.env["PI_BASH_SEED"] ?? 20261122);
    const random = seededRandom(seed);
    for (let round = 0; round < 3_000; round += 1) {
      const text = hostileText(random);
      const width = 1 + Math.floor(random() * 120);
      for (const row of shown(text, width)) {
        const rest = row.replaceAll(ALLOWED, "");
        expect(/\p{Cc}/u.test(rest), `seed ${seed}, round ${round}: ${JSON.stringify(row)}`).toBe(false);
        expect(stringWidth(rest), `seed ${seed}, round ${round}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
      }
    }
  });

  it("lose none of the visible characters of a text without controls", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 500; round += 1) {
      const text = hostileText(random).replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|[\u3164]/gu, "");
      const rows = wrapLines(styledLines(text), 2 + Math.floor(random() * 50)).map((row) => rowText(row));
      // A blank at which a row ends is not shown.
      expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }
  });

  it("are made in time that grows with the text alone", () => {
    const hostile = [
      `${ESC}]0;`.repeat(100_000),
      "\x90".repeat(400_000),
      `${ESC}[`.repeat(200_000),
      "\r".repeat(400_000),
      `e${"\u0301".repeat(200_000)}`,
      "漢".repeat(200_000),
      "👩\u200d".repeat(100_000),
      "ab\b".repeat(100_000),
    ];
    for (const text of hostile) {
      const begin = performance.now();
      wrapLines(styledLines(text), 80);
      expect(performance.now() - begin).toBeLessThan(5_000);
    }
  });
});

describe("a line of megabytes", () => {
  it("has its characters whole, wherever they stand", () => {
    for (let before = 240; before < 270; before += 1) {
      const text = `${"é".repeat(before)}👩‍👩‍👧‍👦🇺🇸क्षि`;
      expect(displayWidth(text), String(before)).toBe(before + 2 + 2 + 3);
      expect(shown(text, before + 2)[0]).toBe(`${"é".repeat(before)}👩‍👩‍👧‍👦`);
    }
  });

  it("is broken into its rows, however many they are", () => {
    expect(shown("y".repeat(2 * 1024 ** 2), 10)).toHaveLength(209_716);
  });
});

describe("a width that is no number", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined as unknown as number])(
    "counts as 80 columns: %s",
    (width) => {
      expect(shown("y".repeat(100), width).map((row) => row.length)).toEqual([80, 20]);
    },
  );

  it.each([0, -1, 0.5])("or less than one as 1: %s", (width) => {
    expect(shown("yy", width)).toEqual(["y", "y"]);
  });
});

describe("the width of a character", () => {
  it.each([
    ["a letter with marks", "e\u0301\u0302", 1],
    ["an ideograph", "漢", 2],
    ["a syllable of Hangul in letters", "한", 2],
    ["three initials of Hangul, which are one cluster", "ᄒᄒᄒ", 6],
    ["a vowel of Thai that stands beside its letter", "กำ", 2],
    ["a conjunct of Devanagari with its vowel", "क्षि", 3],
    ["a family", "👩‍👩‍👧‍👦", 2],
    ["a flag", "🇺🇸", 2],
    ["half a flag", "\u{1f1fa}", 2],
    ["a key cap", "1️⃣", 2],
    ["an arrow", "→", 1],
  ])("is that of terminals: %s", (_name, text, width) => {
    expect(displayWidth(text)).toBe(width);
    expect(shown(text, 2).every((row) => displayWidth(row) <= 2)).toBe(true);
    expect(shown(text, 2).join("")).toBe(text);
  });
});

describe("clip", () => {
  it("cuts at the width, wide characters included", () => {
    expect(clip("hello", 5)).toBe("hello");
    expect(clip("hello", 4)).toBe("hel…");
    expect(clip("漢字漢字", 4)).toBe("漢…");
    expect(displayWidth("漢字")).toBe(4);
  });
});
