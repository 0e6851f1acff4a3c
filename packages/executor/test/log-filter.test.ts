/** Looking through a job's file with a filter: blocks, long lines, and a look that has to stop before the end. */
import { describe, expect, it } from "vitest";
import { logFilter } from "../src/jobs/log-reader.ts";
import { readerScene, wordMask } from "./support/log-file.ts";

const BLOCK = 64 * 1024;
const wanted = (pattern: string, isExcluding = false) => ({ filter: logFilter(pattern, isExcluding) });

describe("a filter", () => {
  it("gives the lines that match with their number, and stands after all that it looked at", async () => {
    const { write, next } = readerScene();
    write("a1\nb2\na3\nb");

    expect(await next(wanted("^a"))).toEqual({
      output: { text: "a1\na3\n", isIncomplete: false, matches: 2 },
      hasNews: true,
      offset: 9,
      line: undefined,
    });
  });

  it.each([
    ["no line matches", "c", false, "", 0, false],
    ["only blank lines are left", "[ab]", true, "\n \n", 2, false],
    ["lines do not match", "^a", true, "b2\n\n \n", 3, true],
  ])("has news only of more than blanks: %s", async (_, pattern, isExcluding, text, matches, hasNews) => {
    const { write, next } = readerScene();
    write("a1\nb2\n\n \n");

    expect(await next(wanted(pattern, isExcluding))).toMatchObject({ output: { text, matches }, hasNews });
  });

  it("gives the last matches of many, and counts all", async () => {
    const { write, next } = readerScene();
    write("a1\nb2\na3\na4\n");

    expect((await next({ ...wanted("^a"), maxLines: 2 })).output).toEqual({
      text: "a3\na4\n",
      isIncomplete: true,
      matches: 3,
    });
  });

  it("goes on in the next call where its time is over, from the line that it has not seen whole", async () => {
    const { write, next } = readerScene();
    const line = `a${"x".repeat(998)}\n`;
    write(line.repeat(200));
    const first = await next({ ...wanted("^a"), isLate: () => true });
    expect(first).toMatchObject({ output: { isIncomplete: true, isUnfinished: true, matches: 65 }, offset: 65_000 });
    let looks = 0;
    const second = await next({ ...wanted("^a"), isLate: () => ++looks > 1 });
    expect(second).toMatchObject({ output: { isUnfinished: true, matches: 131 }, offset: 196_000 });
    const last = await next({ ...wanted("^a"), isLate: () => true });

    expect(last).toMatchObject({ output: { matches: 4 }, offset: 200_000 });
    expect(last.output).not.toHaveProperty("isUnfinished");
    expect((await next(wanted("^a"))).hasNews).toBe(false);
  });

  it("stands before a line over several blocks when its time is over", async () => {
    const { write, next } = readerScene();
    write(`a1\n${"x".repeat(3 * BLOCK)}\na3\n`);
    let looks = 0;
    const first = await next({ ...wanted("^a"), isLate: () => ++looks > 1 });
    expect(first).toMatchObject({ output: { text: "a1\n", isUnfinished: true }, offset: 3 });

    expect((await next(wanted("^a"))).output).toMatchObject({ text: "a3\n", matches: 1 });
  });

  it("tries the beginning of a long line, and gives one match for it", async () => {
    const { write, next, end } = readerScene();
    write(`early${"x".repeat(2 * BLOCK)}late\nlate\n${"y".repeat(BLOCK)}early`);
    expect((await next(wanted("early|late"))).output.matches).toBe(2);
    end();

    expect((await next(wanted("early"))).output.matches).toBe(0);
    const again = readerScene();
    again.write(`late early${"y".repeat(BLOCK)}`);
    again.end();
    expect((await again.next(wanted("early"))).output.matches).toBe(1);
  });

  it("sees what is shown: a masked word is not found", async () => {
    const { write, next, log } = readerScene();
    log.secrets = { mask: wordMask("secret").mask, isFileMasked: false };
    write("a secret\nb\n");

    expect((await next(wanted("secret"))).output.matches).toBe(0);
    write("a secret\n");
    expect((await next(wanted("a \\*"))).output.text).toBe("a ******\n");
  });

  it("ends with what is there where the file is shorter than was said", async () => {
    const { log, next, counted } = readerScene();
    counted("a1\na2\n", 60);
    log.grow({ bytes: 60, lines: 20 });
    log.end({ bytes: 60, lines: 20 });

    expect((await next(wanted("^a"))).output).toMatchObject({ text: "a1\na2\n", isUnfinished: true });
    const plain = readerScene();
    plain.counted("a1\na2\n", 60);
    plain.log.end({ bytes: 60, lines: 20 });
    expect((await plain.next()).output.text).toBe("a1\na2\n");
  });
});
