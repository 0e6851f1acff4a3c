/** Keys as terminals send them, and as a program's own terminal would have sent them. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { type ConsoleInput, decodeInput } from "../src/console-overlay/keys.ts";
import { hostileText } from "./hostile-text.ts";

const normal = { applicationCursor: false };
const application = { applicationCursor: true };

function typed(data: string, mode = normal): string {
  return decodeInput(data, mode)
    .map((input) => (input.kind === "key" ? input.data : `<${input.kind}>`))
    .join("");
}

function names(data: string): string[] {
  return decodeInput(data, normal).map((input) => (input.kind === "key" ? input.name : input.kind));
}

describe("keys of a plain terminal", () => {
  it.each([
    ["letters", "abc ł 漢 👍"],
    ["control characters", "\x01\x03\x1a\x00\x7f\r\t"],
    ["Alt with a letter", "\x1bx"],
    ["arrows with Ctrl", "\x1b[1;5A\x1b[1;2D"],
    ["page keys, Insert and Delete", "\x1b[5~\x1b[6~\x1b[2~\x1b[3~\x1b[3;5~"],
    ["function keys", "\x1bOP\x1bOS\x1b[15~\x1b[24~"],
    ["Shift and Tab", "\x1b[Z"],
    ["a lone Escape", "\x1b"],
  ])("pass as they are: %s", (_name, data) => {
    expect(typed(data)).toBe(data);
  });

  it("move the cursor in the form that the program asked for", () => {
    expect(typed("\x1b[A\x1bOB\x1b[H\x1b[F")).toBe("\x1b[A\x1b[B\x1b[H\x1b[F");
    expect(typed("\x1b[A\x1bOB\x1b[H\x1b[F", application)).toBe("\x1bOA\x1bOB\x1bOH\x1bOF");
  });

  it("have names", () => {
    expect(names("\x1b")).toEqual(["escape"]);
    expect(names("\x1d\x03\r\x7f")).toEqual(["ctrl+]", "ctrl+c", "enter", "backspace"]);
    expect(names("\x1bx\x1b[1;5C\x1bOP")).toEqual(["alt+x", "ctrl+right", "f1"]);
  });
});

describe("keys of the Kitty protocol", () => {
  it.each([
    ["a letter", "\x1b[97u", "a"],
    ["a letter with Shift, by its shifted code", "\x1b[97:65;2u", "A"],
    ["a letter with its text", "\x1b[97;;322u", "ł"],
    ["Ctrl+C", "\x1b[99;5u", "\x03"],
    ["Ctrl+Space", "\x1b[32;5u", "\0"],
    ["Alt+X", "\x1b[120;3u", "\x1bx"],
    ["Escape", "\x1b[27u", "\x1b"],
    ["Enter, and with Shift", "\x1b[13u\x1b[13;2u", "\r\r"],
    ["Tab and Shift+Tab", "\x1b[9u\x1b[9;2u", "\t\x1b[Z"],
    ["Backspace, and with Ctrl", "\x1b[127u\x1b[127;5u", "\x7f\b"],
    ["a repeated key", "\x1b[97;1:2u", "a"],
    ["an arrow with an event", "\x1b[1;1:1A", "\x1b[A"],
    ["the key pad", "\x1b[57400u\x1b[57414u\x1b[57419u", "1\r\x1b[A"],
    ["with Caps Lock and Num Lock on", "\x1b[97;65u\x1b[97;129u", "aa"],
  ])("become what a plain terminal sends: %s", (_name, data, expected) => {
    expect(typed(data)).toBe(expected);
  });

  it("that were released, and keys that only modify, are dropped", () => {
    expect(typed("\x1b[97;1:3u\x1b[1;1:3A\x1b[57441u\x1b[57448;5u")).toBe("");
  });

  it("name Escape however it was sent", () => {
    expect(names("\x1b[27u")).toEqual(["escape"]);
    expect(names("\x1b[27;1:3u")).toEqual([]);
  });
});

describe("other input", () => {
  it("is taken for a paste between its markers, keys around it as keys", () => {
    expect(decodeInput("a\x1b[200~rm -rf\n\x1b[A\x1b[201~b", normal)).toEqual([
      { kind: "key", data: "a", name: "a" },
      { kind: "paste", text: "rm -rf\n\x1b[A" },
      { kind: "key", data: "b", name: "b" },
    ]);
  });

  it("is taken for the mouse", () => {
    expect(decodeInput("\x1b[<0;10;5M\x1b[<0;10;5m", normal)).toEqual([
      { kind: "mouse", button: 0, column: 10, row: 5, isRelease: false },
      { kind: "mouse", button: 0, column: 10, row: 5, isRelease: true },
    ]);
  });

  it("of any kind ends, and gives no half sequences", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 2_000; round += 1) {
      const data = hostileText(random, 12);
      const inputs: ConsoleInput[] = decodeInput(data, random() < 0.5 ? normal : application);
      expect(inputs.length).toBeLessThanOrEqual(data.length);
      for (const input of inputs) if (input.kind === "key") expect(input.data).not.toBe("");
    }
  });
});
