/**
 * Lines as a person would have seen them, each once for a reader, and what stands out on a screen.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualTerminal } from "../src/virtual-terminal.ts";

function terminal(cols = 40, rows = 10, scrollback = 100): VirtualTerminal {
  const made = new VirtualTerminal({ cols, rows, scrollback });
  onTestFinished(() => made.dispose());
  return made;
}

describe("new lines", () => {
  it("are finished lines after the reader's place, and the unfinished one besides", async () => {
    const screen = terminal();
    await screen.write("one\r\ntwo\r\nname: ");
    expect(screen.newLines(undefined)).toEqual({ lines: ["one", "two"], unfinished: "name:", isIncomplete: false });

    const place = screen.placeNow(undefined);
    expect(screen.newLines(place).lines).toEqual([]);
    await screen.write("ada\r\nthree\r\n");
    expect(screen.newLines(place)).toEqual({ lines: ["name: ada", "three"], unfinished: "", isIncomplete: false });
  });

  it("have a line that was drawn over as it stood at last, and a wrapped one whole", async () => {
    const screen = terminal(10);
    await screen.write("1%\r50%\r100%\r\n0123456789abcdef\r\n");

    expect(screen.newLines(undefined).lines).toEqual(["100%", "0123456789abcdef"]);
  });

  it("follow their place through the scrollback, and say where lines are no longer held", async () => {
    const screen = terminal(40, 5, 10);
    await screen.write("first\r\n");
    let place = screen.placeNow(undefined);
    await screen.write("a\r\nb\r\nc\r\nd\r\ne\r\nf\r\n");
    expect(screen.newLines(place)).toMatchObject({ lines: ["a", "b", "c", "d", "e", "f"], isIncomplete: false });

    place = screen.placeNow(place);
    await screen.write(Array.from({ length: 50 }, (_, at) => `line ${at}\r\n`).join(""));
    const late = screen.newLines(place);
    expect(late.isIncomplete).toBe(true);
    expect(late.lines.at(-1)).toBe("line 49");
  });

  it("have nothing of a full-screen program, and go on after it where they stood", async () => {
    const screen = terminal();
    await screen.write("before\r\n$ ");
    const place = screen.placeNow(undefined);
    await screen.write("vim\r\n\u001b[?1049h\u001b[2J\u001b[Hfull screen\r\nof text");
    expect(screen.newLines(place)).toEqual({ lines: ["$ vim"], unfinished: "", isIncomplete: false });

    const within = screen.placeNow(place);
    expect(screen.newLines(within).lines).toEqual([]);
    await screen.write("\u001b[?1049lafter\r\n");
    expect(screen.newLines(within).lines).toEqual(["after"]);
  });

  it("begin at the top of a screen that was cleared", async () => {
    const screen = terminal();
    await screen.write("a\r\nb\r\nc\r\n");
    const place = screen.placeNow(undefined);
    await screen.write("\u001b[2J\u001b[Hnew\r\n");

    expect(screen.newLines(place).lines).toEqual(["new"]);
  });
});

describe("what is highlighted", () => {
  it("is inverse text on a plain screen", async () => {
    const screen = terminal();
    await screen.write("one\r\n\u001b[7mtwo\u001b[0m\r\nthree");

    expect(screen.highlighted(5)).toEqual(["two"]);
  });

  it("is the text on the rarer background where a panel is coloured, whole though its letters differ", async () => {
    const screen = terminal();
    await screen.write("\u001b[30;47m a panel of text <No> \u001b[37;44m<\u001b[33;44mYes\u001b[37;44m>\u001b[0m");

    expect(screen.highlighted(5)).toEqual(["<Yes>"]);
  });

  it("is bounded, and knows a title and what is drawn below the cursor", async () => {
    const screen = terminal();
    await screen.write(
      "\u001b]2;my title\u0007plain text of a line\r\n\u001b[7ma\u001b[0m \u001b[7mb\u001b[0m \u001b[7mc\u001b[0m",
    );
    expect(screen.highlighted(2)).toEqual(["a", "b"]);
    expect(screen.title).toBe("my title");
    expect(screen.isDrawnBelowCursor).toBe(false);

    await screen.write("\u001b[H");
    expect(screen.isDrawnBelowCursor).toBe(true);
  });
});

describe("lines of a terminal that has ended", () => {
  it("are for each reader what they were before the end", async () => {
    const parts = [
      "one\r\n",
      "0123456789abcdefghij\r\n",
      "half",
      " and half\r\n",
      "50%\r100%\r\n",
      "\u001b[2J\u001b[Htop\r\n",
    ];
    for (const scrollback of [2, 100]) {
      for (const last of ["", "unfinished", "\u001b[?1049hfull screen"]) {
        const screen = terminal(10, 4, scrollback);
        const places = [undefined, screen.placeNow(undefined)];
        for (const part of [...parts, last]) {
          await screen.write(part);
          places.push(screen.placeNow(undefined));
        }
        const before = places.map((place) => screen.newLines(place));

        const ended = screen.end();

        expect(places.map((place) => ended.newLines(place))).toEqual(before);
        expect(ended.newLines(ended.placeNow()).lines).toEqual([]);
      }
    }
  });
});
