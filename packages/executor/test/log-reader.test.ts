/** Reading what is new in a job's file for one reader: where it stands, what it is given, and what is left out. */
import { describe, expect, it } from "vitest";
import type { ReadableFile } from "../src/artifacts/readable-file.ts";
import { LogCursor } from "../src/jobs/job-log.ts";
import { logFilter, type ReadOptions, readNewLines } from "../src/jobs/log-reader.ts";
import { LOOK_BACK_BYTES } from "../src/secrets.ts";
import { wordMask, writtenJob } from "./support/log-file.ts";

const BLOCK = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

/** A job's file and one reader of it; `next` reads, and counts what it read as given out. */
function scene() {
  const job = writtenJob();
  const cursor = new LogCursor();
  const read = (more: Partial<ReadOptions> = {}) =>
    readNewLines(job.log, cursor, { maxBytes: 1_000, filter: undefined, isLate: () => false, ...more });
  const next = async (more: Partial<ReadOptions> = {}) => {
    const reading = await read(more);
    Object.assign(cursor, { offset: reading.offset, line: reading.line, barren: 0 });
    return reading;
  };
  /** Counts how often the file is opened and closed. */
  const counts = { opened: 0, closed: 0 };
  const counted = (text: string, size = text.length): void => {
    const bytes = Buffer.from(text);
    job.log.open = async () => {
      counts.opened += 1;
      const file: ReadableFile = {
        read: async (buffer, offset, length, position) => ({
          bytesRead: bytes.copy(buffer, offset, position, Math.min(bytes.length, position + length)),
        }),
        close: async () => {
          counts.closed += 1;
        },
      };
      return { file, size };
    };
  };
  return { ...job, cursor, read, next, counts, counted };
}
const wanted = (pattern: string, isExcluding = false) => ({ filter: logFilter(pattern, isExcluding) });

describe("a reader of a job's file", () => {
  it("is given whole lines, and again until they count as given out", async () => {
    const { write, read, next } = scene();
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
    const { write, next, end } = scene();
    write("one\ntw");
    await next();
    end();

    expect(await next()).toEqual({ output: { text: "tw", isIncomplete: false }, hasNews: true, offset: 6, line: 2 });
    expect(await next()).toMatchObject({ output: { text: "" }, hasNews: false, offset: 6, line: 2 });
  });

  it("has nothing new, and opens no file, where nothing was written since, nothing at all, or there is none", async () => {
    const { write, next, log, counts, counted, end } = scene();
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

    const silent = scene();
    silent.counted("late");
    silent.end();
    expect(await silent.next()).toMatchObject({ hasNews: false, offset: 0 });
    expect(silent.counts.opened).toBe(0);
  });

  it("closes each file that it opens", async () => {
    const { log, next, counts, counted } = scene();
    counted("one\n");
    log.grow({ bytes: 4, lines: 1 });
    expect((await next()).output.text).toBe("one\n");
    log.grow({ bytes: 5, lines: 2 });
    counted("one\n");
    expect((await next()).hasNews).toBe(false);

    expect(counts).toEqual({ opened: 2, closed: 2 });
  });

  it("does not look again at what has no newline", async () => {
    const { write, read, next, cursor } = scene();
    write("x".repeat(BLOCK + 10));
    expect(await read()).toMatchObject({ hasNews: false, offset: 0 });
    expect(cursor.barren).toBe(BLOCK + 10);
    write("y\n");

    expect((await next()).output.text).toContain("y\n");
    expect(cursor).toMatchObject({ offset: BLOCK + 12, barren: 0, line: 1 });
  });

  it("is given no more than is known to be written while the job runs, and all of it at its end without numbers", async () => {
    const { append, log, next, end, cursor } = scene();
    append("one\ntwo\n");
    log.grow({ bytes: 4, lines: 1 });
    expect(await next()).toMatchObject({ output: { text: "one\n" }, line: 1 });
    end({ totals: { bytes: 4, lines: 1 } });

    expect(await next()).toMatchObject({ output: { text: "two\n" }, offset: 8 });
    expect(cursor.line).toBeUndefined();
  });

  it("is given all of a file in which secrets are masked, whatever is known of the output, without numbers", async () => {
    const { append, log, next, read } = scene();
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
    const { write, log, next } = scene();
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
    const { write, next } = scene();
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
    const { write, next, cursor } = scene();
    write(lines(1, 10));
    cursor.line = undefined;

    expect((await next({ maxLines: 3 })).output).toEqual({ text: lines(8, 10), isIncomplete: true });
  });

  it("only the last mebibyte is read, from the beginning of a line on", async () => {
    const { write, next } = scene();
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
    const { write, next } = scene();
    write(`${"x".repeat(1_023)}\n`.repeat(1_024));
    const found = await next({ maxBytes: 4 * MEBIBYTE });

    expect(found.output.isIncomplete).toBe(false);
    expect(found.output.text.length).toBe(MEBIBYTE);
  });

  it("a line that is longer than all that is read is shown by its end", async () => {
    const { write, next, end } = scene();
    write(`${"x".repeat(MEBIBYTE + 5_000)}end`);
    end();
    const found = await next();

    expect(found.output.isIncomplete).toBe(true);
    expect(found.offset).toBe(MEBIBYTE + 5_003);
  });
});

describe("a filter", () => {
  it("gives the lines that match with their number, and stands after all that it looked at", async () => {
    const { write, next } = scene();
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
    const { write, next } = scene();
    write("a1\nb2\n\n \n");

    expect(await next(wanted(pattern, isExcluding))).toMatchObject({ output: { text, matches }, hasNews });
  });

  it("gives the last matches of many, and counts all", async () => {
    const { write, next } = scene();
    write("a1\nb2\na3\na4\n");

    expect((await next({ ...wanted("^a"), maxLines: 2 })).output).toEqual({
      text: "a3\na4\n",
      isIncomplete: true,
      matches: 3,
    });
  });

  it("goes on in the next call where its time is over, from the line that it has not seen whole", async () => {
    const { write, next } = scene();
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
    const { write, next } = scene();
    write(`a1\n${"x".repeat(3 * BLOCK)}\na3\n`);
    let looks = 0;
    const first = await next({ ...wanted("^a"), isLate: () => ++looks > 1 });
    expect(first).toMatchObject({ output: { text: "a1\n", isUnfinished: true }, offset: 3 });

    expect((await next(wanted("^a"))).output).toMatchObject({ text: "a3\n", matches: 1 });
  });

  it("tries the beginning of a long line, and gives one match for it", async () => {
    const { write, next, end } = scene();
    write(`early${"x".repeat(2 * BLOCK)}late\nlate\n${"y".repeat(BLOCK)}early`);
    expect((await next(wanted("early|late"))).output.matches).toBe(2);
    end();

    expect((await next(wanted("early"))).output.matches).toBe(0);
    const again = scene();
    again.write(`late early${"y".repeat(BLOCK)}`);
    again.end();
    expect((await again.next(wanted("early"))).output.matches).toBe(1);
  });

  it("sees what is shown: a masked word is not found", async () => {
    const { write, next, log } = scene();
    log.secrets = { mask: wordMask("secret").mask, isFileMasked: false };
    write("a secret\nb\n");

    expect((await next(wanted("secret"))).output.matches).toBe(0);
    write("a secret\n");
    expect((await next(wanted("a \\*"))).output.text).toBe("a ******\n");
  });

  it("ends with what is there where the file is shorter than was said", async () => {
    const { log, next, counted } = scene();
    counted("a1\na2\n", 60);
    log.grow({ bytes: 60, lines: 20 });
    log.end({ bytes: 60, lines: 20 });

    expect((await next(wanted("^a"))).output).toMatchObject({ text: "a1\na2\n", isUnfinished: true });
    const plain = scene();
    plain.counted("a1\na2\n", 60);
    plain.log.end({ bytes: 60, lines: 20 });
    expect((await plain.next()).output.text).toBe("a1\na2\n");
  });
});
