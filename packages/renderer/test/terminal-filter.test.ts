/** What a command may tell a person's terminal: in one piece, cut anywhere, and without an end. */
import { describe, expect, it } from "vitest";
import { TerminalFilter } from "../src/internal.ts";

function filtered(...chunks: readonly string[]): string {
  const filter = new TerminalFilter();
  return chunks.map((chunk) => filter.push(chunk)).join("");
}

const HARMLESS = [
  "plain text, ünïcödé 日本 🙂\n",
  "a\tb\rc\bd\x07\r\n",
  "\x1b[31mred\x1b[0m \x1b[1;38;5;208mbold\x1b[m \x1b[38:2::1:2:3mx",
  "50%\x1b[K\r\x1b[2K100%\n",
  "\x1b[2A\x1b[3B\x1b[4C\x1b[5D\x1b[1G\x1b[2;3H\x1b[2J\x1b[H",
  "\x1b7x\x1b8\x1bM\x1b[sx\x1b[u",
  "\x1b[?25l...\x1b[?25h",
];

const DANGEROUS = [
  ["a clipboard write", "\x1b]52;c;aGk=\x07"],
  ["a clipboard write that ends with ST", "\x1b]52;c;aGk=\x1b\\"],
  ["a clipboard write of C1 controls", "\x9d52;c;aGk=\x9c"],
  ["a title", "\x1b]0;title\x07"],
  ["a title of an icon", "\x1b]1;title\x1b\\"],
  ["a link", "\x1b]8;;https://example.org\x1b\\"],
  ["a notification", "\x1b]777;notify;a;b\x07"],
  ["a palette", "\x1b]4;1;red\x07"],
  ["a query for colours", "\x1b]11;?\x07"],
  ["a device control string", "\x1bP+q544e\x1b\\"],
  ["an image", "\x1bPq#0;2;0;0;0~~\x1b\\"],
  ["an application program command", "\x1b_Gf=100;AAAA\x1b\\"],
  ["a privacy message", "\x1b^x\x1b\\"],
  ["a start of string", "\x1bXx\x1b\\"],
  ["a query for the cursor", "\x1b[6n"],
  ["a query for attributes", "\x1b[c\x1b[>c\x1b[=c"],
  ["a query for the version", "\x1b[>0q"],
  ["a query for the title", "\x1b[21t"],
  ["a query for a mode", "\x1b[?25$p"],
  ["a query for keys", "\x1b[?u"],
  ["a change of keys", "\x1b[>1u\x1b[>4;2m"],
  ["mouse reports", "\x1b[?1000h\x1b[?1006h"],
  ["the other screen", "\x1b[?1049h"],
  ["bracketed paste", "\x1b[?2004h"],
  ["a scrolling region", "\x1b[1;2r"],
  ["a repetition", "\x1b[999999999b"],
  ["a reset", "\x1bc\x1b[!p"],
  ["the end of the scrollback", "\x1b[3J"],
  ["a print-out", "\x1b[5i"],
  ["a character set", "\x1b(0\x0e\x0f"],
  ["application keys", "\x1b=\x1b>"],
  ["an enquiry", "\x05"],
  ["an introducer of one character", "\x9b6n"],
  ["other C1 controls", "\x84\x8d\x90x\x9c"],
] as const;

describe("a terminal", () => {
  it.each(HARMLESS)("receives %j", (text) => {
    expect(filtered(text)).toBe(text);
    expect(filtered(...text)).toBe(text);
  });

  it.each(DANGEROUS)("does not receive %s, in one piece or in many", (_, sequence) => {
    expect(filtered(`a${sequence}b`)).toBe("ab");
    expect(filtered(...`a${sequence}b`)).toBe("ab");
    for (let at = 0; at <= sequence.length; at += 1) {
      expect(filtered(`a${sequence.slice(0, at)}`, `${sequence.slice(at)}b`)).toBe("ab");
    }
  });

  it("is shown what stands behind a string without its end", () => {
    expect(filtered("a\x1b]52;c;", "aGk", "\nb")).toBe("a\nb");
    expect(filtered("a\x1b]52;c;aGk\x1b[31mb")).toBe("a\x1b[31mb");
    expect(filtered("a\x1bP", "x", "\x18b")).toBe("ab");
  });

  it("receives nothing of a sequence that never ends, and what is held is bounded", () => {
    expect(filtered("a\x1b[1;2")).toBe("a");
    expect(filtered("a\x1b")).toBe("a");
    const filter = new TerminalFilter();
    let written = "";
    for (let round = 0; round < 1_000; round += 1) written += filter.push(`\x1b[${"1;".repeat(100)}`);
    expect(filter.push("x")).not.toContain("\x1b");
    expect(written).not.toContain("\x1b");
  });
});
