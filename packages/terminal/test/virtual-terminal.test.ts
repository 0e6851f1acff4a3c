/** What is on the screen after a program wrote, and what a program that asks is answered. */
import { describe, expect, it, onTestFinished } from "vitest";
import { replay, VirtualTerminal } from "../src/index.ts";

const ESC = "\u001b";

function open(options: { cols?: number; rows?: number; scrollback?: number } = {}) {
  const replies: string[] = [];
  const terminal = new VirtualTerminal({ cols: 20, rows: 5, ...options, onReply: (reply) => replies.push(reply) });
  return { terminal, replies };
}

describe("the screen", () => {
  it("shows the last frame of a progress line, and no escape sequence", async () => {
    const { terminal } = open();
    await terminal.write(`10%\r50%\r${ESC}[32m100%${ESC}[0m done\r\nnext`);

    expect(terminal.screen()).toEqual(["100% done", "next", "", "", ""]);
    expect(terminal.cursor).toEqual({ column: 4, row: 1 });
  });

  it("is complete when a write has resolved, however much it was", async () => {
    const { terminal } = open();
    const lines = Array.from({ length: 5000 }, (_, at) => `${at + 1}\r\n`).join("");
    await terminal.write(lines);

    expect(terminal.screen()).toEqual(["4997", "4998", "4999", "5000", ""]);
    expect(terminal.text().split("\n").length).toBe(5000);
  });

  it("takes writes in their order without being waited for", async () => {
    const { terminal } = open();
    for (const piece of ["a".repeat(50_000), "\r\n", "b", "c"]) void terminal.write(piece);
    await terminal.settled();

    expect(terminal.screen().at(-1)).toBe("bc");
  });

  it("keeps a character that two writes share", async () => {
    const { terminal } = open();
    await terminal.write("\ud83d");
    await terminal.write("\ude00 é");

    expect(terminal.screen()[0]).toBe("\u{1f600} é");
  });

  it("keeps as many lines above it as it was asked to", async () => {
    const { terminal } = open({ scrollback: 2 });
    await terminal.write("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9");

    expect(terminal.text()).toBe("3\n4\n5\n6\n7\n8\n9");
  });

  it("makes one line of what was wrapped at the edge", async () => {
    const { terminal } = open();
    const words = "a line that is longer than the screen is wide";
    await terminal.write(`${words}\r\nshort`);

    expect(terminal.text()).toBe(`${words}\nshort`);
  });

  it("of a program that has it for itself comes and goes, and what was before comes back", async () => {
    const { terminal } = open();
    await terminal.write(`before\r\n${ESC}[?1049h${ESC}[Hfull screen`);
    expect([terminal.isAlternateScreen, terminal.screen()[0]]).toEqual([true, "full screen"]);
    expect(terminal.text()).toBe("before\nfull screen");
    await terminal.write(`${ESC}[?1049lafter`);

    expect([terminal.isAlternateScreen, terminal.text()]).toEqual([false, "before\nafter"]);
  });

  it("takes another size", async () => {
    const { terminal } = open();
    terminal.resize(30, 10);
    await terminal.write("x".repeat(25));

    expect(terminal.size).toEqual({ cols: 30, rows: 10 });
    expect(terminal.screen()[0]).toBe("x".repeat(25));
  });

  it("tells which form of the arrow keys was asked for", async () => {
    const { terminal } = open();
    expect(terminal.isApplicationCursor).toBe(false);
    await terminal.write(`${ESC}[?1h`);

    expect(terminal.isApplicationCursor).toBe(true);
  });
});

describe("a question", () => {
  it.each([
    ["status", `${ESC}[5n`, `${ESC}[0n`],
    ["cursor", `ab${ESC}[6n`, `${ESC}[1;3R`],
    ["attributes", `${ESC}[c`, `${ESC}[?1;2c`],
    ["second attributes", `${ESC}[>c`, `${ESC}[>0;276;0c`],
    ["foreground", `${ESC}]10;?\u0007`, `${ESC}]10;rgb:e5e5/e5e5/e5e5${ESC}\\`],
    ["background", `${ESC}]11;?${ESC}\\`, `${ESC}]11;rgb:0000/0000/0000${ESC}\\`],
    ["palette, red", `${ESC}]4;1;?\u0007`, `${ESC}]4;1;rgb:cdcd/0000/0000${ESC}\\`],
    ["palette, cube", `${ESC}]4;21;?\u0007`, `${ESC}]4;21;rgb:0000/0000/ffff${ESC}\\`],
    ["palette, grey", `${ESC}]4;255;?\u0007`, `${ESC}]4;255;rgb:eeee/eeee/eeee${ESC}\\`],
    ["size in cells", `${ESC}[18t`, `${ESC}[8;5;20t`],
    ["size in pixels", `${ESC}[14t`, `${ESC}[4;80;160t`],
    ["size of a cell", `${ESC}[16t`, `${ESC}[6;16;8t`],
  ])("about the %s is answered", async (_name, question, answer) => {
    const { terminal, replies } = open();
    await terminal.write(question);

    expect(replies.join("")).toBe(answer);
  });

  it.each([
    ["its title, which the program chose and which would be typed", `${ESC}]2;rm -rf x\u0007${ESC}[21t`],
    ["the clipboard", `${ESC}]52;c;?\u0007`],
  ])("about %s is not answered", async (_name, question) => {
    const { terminal, replies } = open();
    await terminal.write(question);

    expect(replies).toEqual([]);
  });
});

describe("an answer that no one can take", () => {
  it("is dropped, the drawing goes on, and the process is reported once", async () => {
    const warnings: (string | undefined)[] = [];
    const onWarning = (warning: NodeJS.ErrnoException) => void warnings.push(warning.code);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const terminal = new VirtualTerminal({
      onReply: () => {
        throw new Error("PTY session is not running");
      },
    });
    await terminal.write(`a${ESC}[6nb${ESC}]11;?${ESC}\\c${ESC}[18td`);
    await terminal.write("e");

    expect(terminal.text()).toBe("abcde");
    // Warnings are reported in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(["PI_REPLY_DROPPED"]);
  });
});

describe("a screen that was freed", () => {
  it("holds no one back: not what is being written, and not what comes later", async () => {
    const terminal = new VirtualTerminal();
    const pending = terminal.write("line\r\n".repeat(50_000));
    await terminal.write("a");
    const late = terminal.write("line\r\n".repeat(50_000));
    terminal.dispose();

    await expect(Promise.all([pending, late, terminal.write("b"), terminal.settled()])).resolves.toHaveLength(4);
  });
});

describe("a replay", () => {
  it("is the scrollback and the last screen as plain text", async () => {
    const raw = `start\r\n${ESC}[?1049hmenu${ESC}[?1049l${ESC}[2Kdone 1/2\r\u001b[Kdone 2/2\r\n\r\n`;

    expect(await replay(raw)).toBe("start\ndone 2/2\n");
    expect(await replay("")).toBe("");
  });

  it("wraps nothing that the program's terminal did not", async () => {
    const line = "word ".repeat(60).trimEnd();

    expect(await replay(`${line}\r\n`, { cols: 80 })).toBe(`${line}\n`);
  });
});
