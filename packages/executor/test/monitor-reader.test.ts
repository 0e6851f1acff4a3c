/** Reading the numbered matches of a job's file from a place on: whole lines, long ones, hidden words, the end. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ReadableFile } from "../src/artifacts/readable-file.ts";
import { logFilter } from "../src/jobs/log-reader.ts";
import { type LinePlace, lastPlace, type MatchReading, readMatchesFrom } from "../src/jobs/monitor-reader.ts";
import { LOOK_BACK_BYTES } from "../src/secrets.ts";
import { wordMask, writtenJob } from "./support/log-file.ts";

const START: LinePlace = { offset: 0, lines: 0, barren: 0 };
const BLOCK = 64 * 1024;
type Log = ReturnType<typeof writtenJob>["log"];

/** All that is read of the matches of `pattern`, and how many readings that were. */
async function matches(log: Log, pattern: string, from: LinePlace = START, limit?: number) {
  const readings: MatchReading[] = [];
  await readMatchesFrom(log, from, logFilter(pattern, false), (reading) => readings.push(reading) > 0, limit);
  return { lines: readings.flatMap((one) => one.matches), place: readings.at(-1)?.place, readings: readings.length };
}

/** Counts how often the log's file is opened and closed. */
function counted(log: Log) {
  const counts = { opened: 0, closed: 0, reads: 0 };
  const content = { text: "" };
  log.open = async () => {
    counts.opened += 1;
    const bytes = Buffer.from(content.text);
    const file: ReadableFile = {
      read: async (buffer, offset, length, position) => {
        counts.reads += 1;
        return { bytesRead: bytes.copy(buffer, offset, position, Math.min(bytes.length, position + length)) };
      },
      close: async () => {
        counts.closed += 1;
      },
    };
    return { file, size: bytes.length };
  };
  return { counts, content };
}

afterEach(() => void vi.restoreAllMocks());

describe("the place where a watch begins", () => {
  it.each([
    ["nothing is written", "", { offset: 0, lines: 0 }],
    ["there is no whole line", "half", { offset: 0, lines: 0 }],
    ["all lines are whole", "one\ntwo\n", { offset: 8, lines: 2 }],
    ["the last line is unfinished", "one\ntwo\nhal", { offset: 8, lines: 2 }],
    ["the last line is longer than a block", `one\n${"x".repeat(BLOCK + 10)}`, { offset: 4, lines: 1 }],
    ["the only line is longer than a block", "x".repeat(2 * BLOCK + 10), { offset: 0, lines: 0 }],
  ])("is after the whole lines where %s", async (_, text, place) => {
    const { log, write } = writtenJob();
    if (text !== "") write(text);

    expect(await lastPlace(log)).toEqual({ ...place, barren: 0 });
  });

  it("is the beginning where there is no file, or nothing was written, and no file is opened then", async () => {
    const { log } = writtenJob();
    const { counts } = counted(log);
    expect(await lastPlace(log)).toEqual(START);
    log.grow({ bytes: 4, lines: 1 });
    log.path = undefined;

    expect(await lastPlace(log)).toEqual(START);
    expect(counts.opened).toBe(0);
  });

  it("is within what is known to be written, but where the file is masked all of it counts", async () => {
    const { log, append, write } = writtenJob();
    write("one\n");
    append("two\n");
    expect(await lastPlace(log)).toEqual({ offset: 4, lines: 1, barren: 0 });

    log.secrets = { mask: wordMask().mask, isFileMasked: true };
    expect((await lastPlace(log)).offset).toBe(8);
    log.secrets = { mask: wordMask().mask, isFileMasked: false };
    expect((await lastPlace(log)).offset).toBe(4);
  });

  it("is found in a file that a place opens, which is closed after it", async () => {
    const { log } = writtenJob();
    const { counts, content } = counted(log);
    content.text = "far\n";
    log.grow({ bytes: 4, lines: 1 });

    expect(await lastPlace(log)).toEqual({ offset: 4, lines: 1, barren: 0 });
    expect(counts).toMatchObject({ opened: 1, closed: 1 });
    expect(await matches(log, "a")).toMatchObject({ lines: [{ number: 1, text: "far" }] });
    expect(counts).toMatchObject({ opened: 2, closed: 2 });
  });
});

describe("matches", () => {
  it("have their numbers in the whole output, from any place on", async () => {
    const { log, write } = writtenJob();
    write("a1\nb2\na3\n");

    expect(await matches(log, "^a")).toEqual({
      lines: [
        { number: 1, text: "a1" },
        { number: 3, text: "a3" },
      ],
      place: { offset: 9, lines: 3, barren: 0 },
      readings: 1,
    });
    const later = await matches(log, "^a", { offset: 3, lines: 1, barren: 0 });
    expect(later.lines).toEqual([{ number: 3, text: "a3" }]);
  });

  it("leave an unfinished line until it is whole or the job has ended", async () => {
    const { log, write, end } = writtenJob();
    write("a1\na2");
    const first = await matches(log, "^a");
    expect(first).toMatchObject({ lines: [{ number: 1, text: "a1" }], place: { offset: 3, lines: 1 } });

    const second = await matches(log, "^a", first.place);
    expect(second).toEqual({ lines: [], place: { offset: 3, lines: 1, barren: 2 }, readings: 1 });
    write("x\n");
    expect((await matches(log, "^a", second.place)).lines).toEqual([{ number: 2, text: "a2x" }]);
    write("a4");
    end();
    const last = await matches(log, "^a", { offset: 7, lines: 2, barren: 0 });
    expect(last).toMatchObject({ lines: [{ number: 3, text: "a4" }], place: { offset: 9, lines: 3 } });
  });

  it("of a line longer than a block are found in its beginning, and later lines keep their numbers", async () => {
    const { log, write } = writtenJob();
    write(`early${"x".repeat(BLOCK)}late\nshort late\n`);

    const found = await matches(log, "early|late");

    expect(found.lines.map(({ number, text }) => [number, text.length])).toEqual([
      [1, BLOCK],
      [2, 10],
    ]);
    expect(found.place).toMatchObject({ offset: BLOCK + 10 + 11, lines: 2 });
    expect((await matches(log, "^late|xlate")).lines).toEqual([]);
  });

  it("of a long line without an end are found in its beginning when the job has ended", async () => {
    const { log, write, end } = writtenJob();
    write(`early${"x".repeat(BLOCK + 5)}`);
    expect(await matches(log, "early")).toMatchObject({ lines: [], place: { offset: 0, barren: BLOCK + 10 } });
    end();

    const found = await matches(log, "early");
    expect(found.lines.map(({ text }) => text.length)).toEqual([BLOCK]);
    expect(found.place).toMatchObject({ offset: BLOCK + 10, lines: 1 });
  });

  it("are read block after block, with whole lines in each", async () => {
    const { log, write } = writtenJob();
    const line = `${"x".repeat(999)}\n`;
    write(`${line.repeat(100)}wanted\n`);

    const found = await matches(log, "wanted");

    expect(found).toMatchObject({ lines: [{ number: 101, text: "wanted" }], readings: 2 });
    expect(found.place).toEqual({ offset: 100_007, lines: 101, barren: 0 });
  });

  it("end where the one who takes them wants no more, and at a limit", async () => {
    const { log, write } = writtenJob();
    write(`${"x".repeat(999)}\n`.repeat(100));
    const taken: number[] = [];
    await readMatchesFrom(log, START, logFilter("x", false), ({ place }) => taken.push(place.lines) < 1);
    expect(taken).toEqual([65]);

    expect((await matches(log, "x", START, 3_000)).place).toEqual({ offset: 3_000, lines: 3, barren: 0 });
    expect((await matches(log, "x", START, 0)).readings).toBe(0);
  });

  it("are those of what is known to be written, until the job has ended or where the file is masked", async () => {
    const { log, append, write, end } = writtenJob();
    write("a1\n");
    append("a2\n");
    expect((await matches(log, "a")).lines.length).toBe(1);
    log.secrets = { mask: wordMask().mask, isFileMasked: true };
    expect((await matches(log, "a")).lines.length).toBe(2);
    log.secrets = undefined;
    end();

    expect((await matches(log, "a")).lines.length).toBe(2);
  });

  it("are none where there is no file, and where a command ended without output none is opened", async () => {
    const { log, end } = writtenJob();
    const { counts } = counted(log);
    end();
    expect((await matches(log, "a")).readings).toBe(0);
    log.path = undefined;
    expect((await matches(log, "a")).readings).toBe(0);

    expect(counts.opened).toBe(0);
  });

  it("of a file that was cut off end with what is there", async () => {
    const { log } = writtenJob();
    const { counts, content } = counted(log);
    content.text = "a1\na2\n";
    const honest = log.open;
    log.open = async () => ({ file: (await honest?.())?.file as ReadableFile, size: 60 });
    log.grow({ bytes: 60, lines: 20 });

    const found = await matches(log, "a");
    expect(found.lines.length).toBe(2);
    expect(counts).toMatchObject({ opened: 1, closed: 1 });
  });

  it("are looked for in what is shown: a masked word is not found, also where it began before the place", async () => {
    const { log, write } = writtenJob();
    const { mask, skipped } = wordMask("sec\nret");
    write(`${"y".repeat(LOOK_BACK_BYTES)}\nsec\nret a\n`);
    log.secrets = { mask, isFileMasked: false };

    const from = { offset: LOOK_BACK_BYTES + 5, lines: 2, barren: 0 };
    expect((await matches(log, "a", from)).lines).toEqual([{ number: 3, text: "*** a" }]);
    expect(skipped).toEqual([`${"y".repeat(LOOK_BACK_BYTES - 5)}\nsec\n`]);
    expect((await matches(log, "ret", from)).lines).toEqual([]);
    await matches(log, "a");
    expect(skipped.at(-1)).toBe("");
  });
});
