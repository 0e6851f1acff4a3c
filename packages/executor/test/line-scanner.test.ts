/** Lines of a file that comes in blocks, wherever the blocks end. */
import { describe, expect, it } from "vitest";
import { LineScanner, type ScannedLine } from "../src/artifacts/line-scanner.ts";

type Line = [number: number, text: string, omitted: number];

/** All lines of a text that comes in blocks of `size` bytes, from line `first` on. */
function scanned(text: string, { size, maxLineBytes = 1_000, first = 1 }: Record<string, number> & { size: number }) {
  const scanner = new LineScanner(maxLineBytes);
  const lines: Line[] = [];
  const onLine = ({ number, bytes, omittedBytes }: ScannedLine) => {
    lines.push([number, bytes.toString(), omittedBytes]);
    return true;
  };
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    // Filled again after each block, as a reader's buffer is.
    const block = Buffer.from(bytes.subarray(at, at + size));
    expect(scanner.feed(scanner.skip(block, first), onLine)).toBe(true);
    block.fill("#");
  }
  scanner.end(onLine);
  return { lines, count: scanner.lineCount };
}

const SIZES = [1, 2, 3, 5, 100];

describe("lines of blocks", () => {
  it.each<[string, Line[]]>([
    ["", []],
    ["\n", [[1, "", 0]]],
    ["one", [[1, "one", 0]]],
    [
      "one\n\nthree\n",
      [
        [1, "one", 0],
        [2, "", 0],
        [3, "three", 0],
      ],
    ],
    [
      "1234\n12345\n1234567\nend67",
      [
        [1, "1234", 0],
        [2, "1234", 1],
        [3, "1234", 3],
        [4, "end6", 1],
      ],
    ],
  ])("of %j are numbered, and cut where they are long", (text, lines) => {
    for (const size of SIZES) {
      const found = scanned(text, { size, maxLineBytes: text.startsWith("1234") ? 4 : 1_000 });
      expect(found, `blocks of ${size}`).toEqual({ lines, count: lines.length });
    }
  });

  it("are passed over up to the one that is wanted, with a last one that is not ended", () => {
    const all: Line[] = [
      [1, "a", 0],
      [2, "", 0],
      [3, "ccc", 0],
      [4, "d", 0],
    ];
    for (const size of SIZES) {
      for (const first of [1, 2, 3, 4]) {
        expect(scanned("a\n\nccc\nd", { size, first }).lines, `${first} of ${size}`).toEqual(all.slice(first - 1));
      }
      expect(scanned("a\nb\n", { size, first: 9 })).toEqual({ lines: [], count: 2 });
      expect(scanned("a\nbb", { size, first: 9 }).count, "a last one that is not ended counts").toBe(2);
    }
  });

  it("end where no more are wanted", () => {
    const seen: string[] = [];
    const scanner = new LineScanner(10);
    const isWanting = scanner.feed(Buffer.from("a\nb\nc\n"), ({ bytes }) => seen.push(bytes.toString()) < 2);

    expect({ isWanting, seen, count: scanner.lineCount }).toEqual({ isWanting: false, seen: ["a", "b"], count: 2 });
  });
});
