/** Reading what is new in a job's file for one reader: where it stands, what it is given, and what is left out. */
import { describe, expect, it } from "vitest";
import { logFilter } from "../src/jobs/log-reader.ts";
import { LOOK_BACK_BYTES } from "../src/secrets.ts";
import { readerScene, wordMask } from "./support/log-file.ts";

const BLOCK = 64 * 1024;
const MEBIBYTE = 1024 * 1024;
const wanted = (pattern: string) => ({ filter: logFilter(pattern, false) });

describe("a reader of a job's file", () => {
  it("is given whole lines, and again until they count as given out", async () => {
    const { write, read, next } = readerScene();
    write("one\ntwo\nthr");
    const first = { output: { text: "one\ntwo\n", isIncomplete: false }, hasNews: true, offset: 8, line: 2 };
    expect(await read()).toEqual(first);
    expect(await next()).toEqual(first);
    write("ee\n");

    expect(await next()).toEqual({
      output: { text: "three\n", isIncomplete: false },
      hasNews: true,
      offset: 14,
      line: 3,
    });
  });

  it("is given the unfinished line when the job has ended", async () => {
    const { write, next, end } = readerScene();
    write("one\ntw");
    await next();
    end();

    expect(await next()).toEqual({ output: { text: "tw", isIncomplete: false }, hasNews: true, offset: 6, line: 2 });
    expect(await next()).toMatchObject({ output: { text: "" }, hasNews: false, offset: 6, line: 2 });
  });

  it("has nothing new and opens no file where nothing was written since or at all, or there is none", async () => {
    const { write, next, log, counts, counted, end } = readerScene();
    write("one\n");
    await next();
    counted("one\n");
    expect(await next()).toEqual({ output: { text: "", isIncomplete: false }, hasNews: false, offset: 4, line: 1 });
    expect((await next(wanted("x"))).output).toEqual({ text: "", isIncomplete: false, matches: 0 });
    log.path = undefined;
    expect(await next()).toMatchObject({ hasNews: false, offset: 4 });
    end();
    expect(await next()).toMatchObject({ hasNews: false, offset: 4 });
    expect(counts.opened).toBe(0);

    const silent = readerScene();
    silent.counted("late");
    silent.end();
    expect(await silent.next()).toMatchObject({ hasNews: false, offset: 0 });
    expect(silent.counts.opened).toBe(0);
  });

  it("closes each file that it opens", async () => {
    const { log, next, counts, counted } = readerScene();
    counted("one\n");
    log.grow({ bytes: 4, lines: 1 });
    expect((await next()).output.text).toBe("one\n");
    log.grow({ bytes: 5, lines: 2 });
    counted("one\n");
    expect((await next()).hasNews).toBe(false);

    expect(counts).toEqual({ opened: 2, closed: 2 });
  });

  it("does not look again at what has no newline", async () => {
    const { write, read, next, cursor } = readerScene();
    write("x".repeat(BLOCK + 10));
    expect(await read()).toMatchObject({ hasNews: false, offset: 0 });
    expect(cursor.barren).toBe(BLOCK + 10);
    write("y\n");

    expect((await next()).output.text).toContain("y\n");
    expect(cursor).toMatchObject({ offset: BLOCK + 12, barren: 0, line: 1 });
  });

  it("is given what is known to be written while the job runs, and all at its end without numbers", async () => {
    const { append, log, next, end, cursor } = readerScene();
    append("one\ntwo\n");
    log.grow({ bytes: 4, lines: 1 });
    expect(await next()).toMatchObject({ output: { text: "one\n" }, line: 1 });
    end({ totals: { bytes: 4, lines: 1 } });

    expect(await next()).toMatchObject({ output: { text: "two\n" }, offset: 8 });
    expect(cursor.line).toBeUndefined();
  });

  it("is given all of a file in which secrets are masked, whatever is known of the output, without numbers", async () => {
    const { append, log, next, read } = readerScene();
    append("one\ntwo\n");
    log.secrets = { mask: wordMask().mask, isFileMasked: true };
    log.grow({ bytes: 2, lines: 1 });

    expect(await next()).toMatchObject({ output: { text: "one\ntwo\n" }, offset: 8, line: undefined });
    append("more\n");
    expect((await read()).output.text).toBe("more\n");
    log.secrets = { mask: wordMask().mask, isFileMasked: false };
    expect((await read()).hasNews).toBe(false);
  });

  it("sees no masked word, also where it began in what was given out", async () => {
    const { write, log, next } = readerScene();
    const { mask, skipped } = wordMask("sec\nret");
    log.secrets = { mask, isFileMasked: false };
    write(`${"y".repeat(LOOK_BACK_BYTES)}\nsec\n`);
    await next();
    write("ret a\n");

    expect((await next()).output.text).toBe("*** a\n");
    expect(skipped.at(-1)).toBe(`${"y".repeat(LOOK_BACK_BYTES - 5)}\nsec\n`);
    expect(skipped[0]).toBe("");
  });
});

describe("of more than fits", () => {
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

  it("a reader is given the last lines, and which ones are left out", async () => {
    const { write, next } = readerScene();
    write(lines(1, 10));
    expect(await next({ maxLines: 3 })).toMatchObject({
      output: { text: lines(8, 10), isIncomplete: true, leftOut: { startLine: 1, endLine: 7 } },
      line: 10,
    });
    write(lines(11, 15));
    expect((await next({ maxLines: 4 })).output).toEqual({
      text: lines(12, 15),
      isIncomplete: true,
      leftOut: { startLine: 11, endLine: 11 },
    });
    write(lines(16, 19));
    expect((await next({ maxLines: 4 })).output).toEqual({ text: lines(16, 19), isIncomplete: false });
    write(`${lines(20, 25)}unfin`);
    expect((await next({ maxBytes: 16 })).output).toEqual({
      text: lines(24, 25),
      isIncomplete: true,
      leftOut: { startLine: 20, endLine: 23 },
    });
  });

  it("which lines are left out is not said where they were not counted", async () => {
    const { write, next, cursor } = readerScene();
    write(lines(1, 10));
    cursor.line = undefined;

    expect((await next({ maxLines: 3 })).output).toEqual({ text: lines(8, 10), isIncomplete: true });
  });

  it("only the last mebibyte is read, from the beginning of a line on", async () => {
    const { write, next } = readerScene();
    const long = `${"x".repeat(99)}\n`;
    write(`${long.repeat(11_000)}${lines(1, 5)}`);
    const found = await next({ maxBytes: 4 * MEBIBYTE });

    expect(found).toMatchObject({ hasNews: true, line: 11_005, offset: 1_100_035 });
    expect(found.output).toMatchObject({ isIncomplete: true, leftOut: { startLine: 1 } });
    const shown = found.output.text.split("\n");
    expect(shown[0]).toBe("x".repeat(99));
    expect(found.output.leftOut?.endLine).toBe(11_005 - (shown.length - 1));
    expect(found.output.text.length).toBeGreaterThan(MEBIBYTE - 100);
  });

  it("one mebibyte exactly is read whole", async () => {
    const { write, next } = readerScene();
    write(`${"x".repeat(1_023)}\n`.repeat(1_024));
    const found = await next({ maxBytes: 4 * MEBIBYTE });

    expect(found.output.isIncomplete).toBe(false);
    expect(found.output.text.length).toBe(MEBIBYTE);
  });

  it("a line that is longer than all that is read is shown by its end", async () => {
    const { write, next, end } = readerScene();
    write(`${"x".repeat(MEBIBYTE + 5_000)}end`);
    end();
    const found = await next();

    expect(found.output.isIncomplete).toBe(true);
    expect(found.offset).toBe(MEBIBYTE + 5_003);
  });
});
