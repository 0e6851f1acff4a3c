/** The screen of a task's terminal as facts for a model. */
import { VirtualTerminal } from "@pi-bash/terminal";
import { describe, expect, it } from "vitest";
import { screenOf } from "../src/tty/screen-facts.ts";

async function screen(written: string, mask = (text: string) => text, size = { cols: 80, rows: 24 }) {
  const terminal = new VirtualTerminal(size);
  await terminal.write(written);
  return screenOf(terminal, mask);
}

describe("a screen", () => {
  it("has its size, its cursor from 1 and its rows without empty ones at the end", async () => {
    expect(await screen("one\r\n\r\nthree\r\n\r\n")).toEqual({
      cols: 80,
      rows: 24,
      row: 5,
      col: 1,
      alternate: false,
      text: "one\n\nthree",
    });
    expect(await screen("Name: ")).toMatchObject({ row: 1, col: 7 });
    expect((await screen("")).text).toBe("");
  });

  it("has a title and highlighted texts where there are some, with hidden characters written out", async () => {
    const found = await screen("\u001b]0;a title\u0007plain \u001b[7mpicked\u001b[0m plain");

    expect(found).toMatchObject({ title: "a title", highlighted: ["picked"], alternate: false });
    expect(await screen("\u001b[?1049hx")).toMatchObject({ alternate: true });
  });

  it("has no secret anywhere", async () => {
    const mask = (text: string) => text.replaceAll("token", "[masked]");
    const found = await screen("\u001b]0;a token\u0007one token\r\n\u001b[7mtoken\u001b[0m", mask);

    expect(found).toMatchObject({ title: "a [masked]", highlighted: ["[masked]"], text: "one [masked]\n[masked]" });
  });

  it("is cut where it is long: the title at 200 characters, the text at 8 KiB", async () => {
    const row = "x".repeat(400);
    const found = await screen(`\u001b]0;${"t".repeat(300)}\u0007${`${row}\r\n`.repeat(30)}`, undefined, {
      cols: 400,
      rows: 40,
    });

    expect(found.title?.length).toBe(200);
    expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(8 * 1024);
    expect(Buffer.byteLength(found.text)).toBeGreaterThan(8 * 1024 - 500);
    expect(found.text.startsWith(`${row}\n${row}\n`)).toBe(true);
  });
});
