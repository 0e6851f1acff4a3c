/** A line longer than a block that does not begin at the beginning of a job's file: where a watch stands after it. */
import { expect, it } from "vitest";
import { logFilter } from "../src/jobs/log-reader.ts";
import { type MatchReading, readMatchesFrom } from "../src/jobs/monitor-reader.ts";
import { writtenJob } from "./support/log-file.ts";

it("a watch stands after a long line, wherever that began, and numbers the lines behind it", async () => {
  const { log, write } = writtenJob();
  const long = `early${"x".repeat(64 * 1024)}late\n`;
  write(`a1\nb2\n${long}late\n`);
  const readings: MatchReading[] = [];
  const from = { offset: 6, lines: 2, barren: 0 };
  await readMatchesFrom(log, from, logFilter("early|late", false), (reading) => readings.push(reading) > 0);

  expect(readings.flatMap(({ matches }) => matches.map(({ number }) => number))).toEqual([3, 4]);
  expect(readings.map(({ place }) => place)).toEqual([
    { offset: 6 + long.length, lines: 3, barren: 0 },
    { offset: 6 + long.length + 5, lines: 4, barren: 0 },
  ]);
});
