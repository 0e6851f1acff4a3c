/** Pasted text: one paste stays one paste, whatever it holds. */
import { describe, expect, it } from "vitest";
import { encodePaste, VirtualTerminal } from "../src/index.ts";

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

describe("a paste", () => {
  it("PY-12 loses the end marker that it holds", () => {
    expect(encodePaste(`a${END}rm -rf x\n`, true)).toBe(`${BEGIN}arm -rf x\r${END}`);
  });

  it("loses a marker that only the removal of another makes", () => {
    expect(encodePaste("\u001b[20\u001b[201~1~x\u009b201~", true)).toBe(`${BEGIN}x${END}`);
  });

  it("loses a hundred thousand markers in each other at once, and keeps what is around them", () => {
    const depth = 100_000;
    const nested = `${"\u001b[20".repeat(depth)}${"1~".repeat(depth)}`;

    // A pass for each of them would take minutes.
    expect(encodePaste(`a${nested}b\ud800`, true)).toBe(`${BEGIN}ab\ud800${END}`);
  });

  it("is typed as it is to a program that did not ask for markers", async () => {
    const terminal = new VirtualTerminal();
    expect(terminal.encodePaste("a\r\nb\n")).toBe("a\rb\r");
    await terminal.write("\u001b[?2004h");

    expect(terminal.encodePaste("a\nb")).toBe(`${BEGIN}a\rb${END}`);
  });

  it("has exactly one end, however the parts of markers are put together", () => {
    const parts = ["\u001b", "[", "20", "1~", "\u009b", END, "x"];
    let texts = [""];
    for (let length = 1; length <= 5; length += 1) {
      texts = texts.flatMap((text) => parts.map((part) => text + part));
      const split = texts.filter((text) => {
        const encoded = encodePaste(text, true);
        return encoded.indexOf(END) !== encoded.length - END.length || encoded.includes("\u009b201~");
      });

      expect(split).toEqual([]);
    }
    expect(texts.length).toBe(7 ** 5);
  });
});
