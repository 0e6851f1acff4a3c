/** Watches of what jobs write: when their matches go to the owner, how many turns they start, and how they end. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArtifactError } from "../src/artifacts/address.ts";
import type { JobNewsItem } from "../src/jobs/job-news.ts";
import type { MonitorNews } from "../src/jobs/monitor.ts";
import { JobMonitors, MonitorLimitError } from "../src/jobs/monitors.ts";
import { writtenJob } from "./support/log-file.ts";

/** A text of what a watch has to say. */
const describeNews = ({ lines, unshown, isDemoted }: MonitorNews): string =>
  [
    ...lines.map(({ number, text }) => `${number} ${text}`),
    ...(unshown === undefined ? [] : [`(${unshown.count}: ${unshown.first}-${unshown.last})`]),
    ...(isDemoted ? ["demoted"] : []),
  ].join(", ");

/** Lets what waits for files go on, while timers stand still. */
async function settled(holds: () => boolean): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!holds() && performance.now() < giveUp) await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
}

/** Watches on one job, on a clock of the test's own; `sent` takes what is queued, as a sink would. */
function scene() {
  const clock = { ms: 0 };
  const job = writtenJob({ title: "the build", artifactId: "a7" });
  const other = writtenJob({ id: "bg_2", owner: "another" });
  const items: { item: JobNewsItem; text: string }[] = [];
  let released = 0;
  const described: MonitorNews[] = [];
  const monitors = new JobMonitors({
    entry: (id) => ({ bg_1: job.entry, bg_2: other.entry })[id],
    put: (_, item) => {
      const at = items.findIndex((one) => one.item.key === item.key);
      const text = typeof item.text === "string" ? item.text : item.text(items[at]?.text);
      if (at === -1) items.push({ item, text });
      else items[at] = { item, text };
    },
    now: () => clock.ms,
    released: () => void (released += 1),
  });
  const options = (filter: string, mode: "wake" | "quiet" = "wake", reader = "me") => ({
    reader,
    filter,
    mode,
    describe: (news: MonitorNews) => {
      described.push(news);
      return describeNews(news);
    },
  });
  /** Time passes for the clock and for the timers. */
  const pass = async (ms: number): Promise<void> => {
    clock.ms += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  const sent = () => items.splice(0).map(({ item, text }) => `${item.isQuiet === true ? "quiet " : ""}${text}`);
  /** Writes, and waits until the watch has read it. */
  const write = async (text: string, filter = "a"): Promise<void> => {
    job.write(text);
    const end = job.totals().bytes - (text.length - text.lastIndexOf("\n") - 1);
    const key = JSON.stringify(["me", filter, false]);
    const cursor = job.log.cursor(key);
    await settled(() => cursor.offset >= end && !cursor.isHeld);
  };
  return { clock, job, other, monitors, options, pass, sent, write, described, released: () => released };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a watch", () => {
  it("begins after what is there, and says at which line", async () => {
    const { job, monitors, options, pass, sent, write, described } = scene();
    job.write("a1\na2\n");

    expect(await monitors.watch("bg_1", options("a"))).toEqual({ fromLine: 3 });
    await write("b3\na4\n");
    await pass(200);

    expect(sent()).toEqual(["4 a4"]);
    expect(described).toEqual([
      {
        jobId: "bg_1",
        name: "the build",
        artifactId: "a7",
        filter: "a",
        lines: [{ number: 4, text: "a4" }],
        unshown: undefined,
        isDemoted: false,
      },
    ]);
  });

  it("goes on where its reader has read with the same expression, and passes over what that was given", async () => {
    const { job, monitors, options, pass, sent } = scene();
    job.write("a1\na2\na3\n");
    job.log.cursor(JSON.stringify(["me", "a", false])).offset = 3;

    expect(await monitors.watch("bg_1", options("a"))).toEqual({ fromLine: 2 });
    const cursor = job.log.cursor(JSON.stringify(["me", "a", false]));
    await settled(() => cursor.offset === 9 && !cursor.isHeld);
    await pass(200);

    expect(sent()).toEqual(["2 a2, 3 a3"]);
    expect(cursor).toMatchObject({ offset: 9, line: 3, barren: 0 });
  });

  it("leaves out what a call is given that waits with the same expression", async () => {
    const { job, monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    const cursor = job.log.cursor(JSON.stringify(["me", "a", false]));
    await settled(() => !cursor.isHeld);
    await cursor.hold(new Promise(() => undefined));
    job.write("a1\n");
    cursor.offset = 3;
    cursor.free();
    await write("a2\n");
    await pass(200);

    expect(sent()).toEqual(["2 a2"]);
  });

  it("reports matches 200 ms after the last one, and at most a second after the first", async () => {
    const { monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("a1\n");
    await pass(199);
    expect(sent()).toEqual([]);
    await write("a2\nb3\n");
    await pass(199);
    expect(sent()).toEqual([]);
    await pass(1);
    expect(sent()).toEqual(["1 a1, 2 a2"]);

    for (let number = 4; number < 10; number += 1) {
      await write(`a${number}\n`);
      await pass(190);
    }
    expect(sent()).toEqual(["4 a4, 5 a5, 6 a6, 7 a7, 8 a8, 9 a9"]);
    await pass(2_000);
    expect(sent()).toEqual([]);
  });

  it("reports at once what comes when the second is over", async () => {
    const { clock, monitors, options, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("a1\n");
    clock.ms += 1_000;
    await write("a2\n");

    expect(sent()).toEqual(["1 a1, 2 a2"]);
  });

  it("adds to what was not sent yet, under one key, and begins again after it was sent", async () => {
    const { monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("a1\n");
    await pass(200);
    await write("a2\n");
    await pass(200);
    expect(sent()).toEqual(["1 a1, 2 a2"]);
    await write("a3\n");
    await pass(200);

    expect(sent()).toEqual(["3 a3"]);
  });

  it("reports what is gathered and the last unfinished line when the job ends, and is over then", async () => {
    const { job, monitors, options, sent, write, released } = scene();
    await monitors.watch("bg_1", options("a"));
    expect(job.entry.isWatched).toBe(true);
    await write("a1\nb2\n");
    job.write("a3");
    job.end();
    await settled(() => released() === 1);

    expect(sent()).toEqual(["1 a1, 3 a3"]);
    expect([job.entry.isWatched, monitors.unwatch("bg_1", options("a"))]).toEqual([false, false]);
  });

  it("says nothing at the end where nothing is left to say", async () => {
    const { job, monitors, options, sent, write, released, pass } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("b\n");
    job.end();
    await settled(() => released() === 1);
    await pass(5_000);

    expect(sent()).toEqual([]);
  });

  it("in quiet mode starts no turn and takes none of the rate, also where the mode was changed", async () => {
    const { monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a", "quiet"));
    for (let number = 1; number <= 12; number += 1) {
      await write(`a${number}\n`);
      await pass(200);
    }
    expect(sent()).toHaveLength(1);
    expect(await monitors.watch("bg_1", options("a", "wake"))).toEqual({});
    await write("a13\n");
    await pass(200);
    expect(sent()).toEqual(["13 a13"]);
    expect(await monitors.watch("bg_1", options("a", "quiet"))).toEqual({});
    await write("a14\n");
    await pass(200);

    expect(sent()).toEqual(["quiet 14 a14"]);
  });

  it("says nothing of a job that its owner has ended", async () => {
    const { job, monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("a1\n");
    job.entry.isQuiet = true;
    await pass(200);

    expect(sent()).toEqual([]);
  });

  it("that was ended says nothing more, of what it gathered neither", async () => {
    const { job, monitors, options, pass, sent, write, released } = scene();
    await monitors.watch("bg_1", options("a"));
    await write("a1\n");

    expect(monitors.unwatch("bg_1", { reader: "me", filter: "a" })).toBe(true);
    expect([released(), job.entry.isWatched]).toEqual([1, false]);
    job.write("a2\n");
    await pass(2_000);
    job.end();
    await pass(2_000);
    expect([sent(), released()]).toEqual([[], 1]);
    expect(monitors.unwatch("bg_1", { reader: "me", filter: "a" })).toBe(false);
  });

  it("reads again with the next news where its file could not be read", async () => {
    const { job, monitors, options, pass, sent, write } = scene();
    await monitors.watch("bg_1", options("a"));
    let failures = 0;
    job.log.open = () => {
      failures += 1;
      return Promise.reject(new Error("not now"));
    };
    job.write("a1\n");
    await settled(() => failures === 1 && !job.log.cursor(JSON.stringify(["me", "a", false])).isHeld);
    job.log.open = undefined;
    await write("a2\n");
    await pass(200);

    expect(sent()).toEqual(["1 a1, 2 a2"]);
  });
});

describe("where the turns are used up", () => {
  /** Uses the ten turns of an owner at once, then reports one match each `everyMs` while `forMs` pass. */
  async function flooded(everyMs: number, forMs: number) {
    const made = scene();
    const { monitors, options, pass, sent, write } = made;
    await monitors.watch("bg_1", options("a"));
    for (let number = 1; number <= 10; number += 1) {
      await write(`a${number}\n`);
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(sent()).toHaveLength(1);
    const texts: string[] = [];
    for (let passed = 0; passed < forMs; passed += everyMs) {
      await write("a\n");
      await pass(everyMs);
      texts.push(...sent());
    }
    return { ...made, texts };
  }

  it("matches are counted and named with the next turn", async () => {
    const { texts, write, pass, sent } = await flooded(250, 1_500);
    expect(texts).toEqual([]);
    await pass(500);
    await write("a last\n");
    await pass(200);

    expect(sent()).toEqual(["17 a last, (6: 11-16)"]);
  });

  it("what was counted goes with the end of the job", async () => {
    const { job, texts, sent, released } = await flooded(250, 1_000);
    expect(texts).toEqual([]);
    job.end();
    await settled(() => released() === 1);

    expect(sent()).toEqual(["(4: 11-14)"]);
  });

  it("for half a minute, a watch says so and starts no turn any more", async () => {
    const { texts, write, pass, sent } = await flooded(250, 33_000);

    const at = texts.findIndex((text) => text.includes("demoted"));
    expect(texts[at]).toMatch(/^\(\d+: \d+-\d+\), demoted$/);
    expect(texts.slice(0, at).every((text) => !text.startsWith("quiet "))).toBe(true);
    expect(texts.slice(at + 1).every((text) => text.startsWith("quiet "))).toBe(true);
    await write("a\n");
    await pass(200);
    expect(sent()[0]).toMatch(/^quiet /);
  });

  it("now and then, with ten seconds of calm between, a watch goes on to start turns", async () => {
    const made = await flooded(250, 1_000);
    const { write, pass, sent, clock } = made;
    for (let round = 0; round < 5; round += 1) {
      await pass(10_001);
      // The turns that came back are used up, then one more match has to wait.
      for (let turn = 0; turn < 7; turn += 1) {
        await write("a\n");
        await vi.advanceTimersByTimeAsync(200);
      }
    }
    expect(clock.ms).toBeGreaterThan(50_000);

    expect(sent().join()).not.toMatch(/demoted|quiet/);
  });
});

describe("the watches of a manager", () => {
  it("refuse what is no expression, and watch neither unknown nor ended jobs", async () => {
    const { job, monitors, options, released } = scene();
    await expect(monitors.watch("bg_1", options("(a"))).rejects.toThrow(ArtifactError);
    expect(await monitors.watch("bg_9", options("a"))).toBeUndefined();
    job.end();
    expect(await monitors.watch("bg_1", options("a"))).toBeUndefined();

    expect(released()).toBe(0);
  });

  it("are at most sixteen; one more has room when one is ended", async () => {
    const { monitors, options } = scene();
    for (let at = 0; at < 16; at += 1) await monitors.watch("bg_1", options(`a${at}`));

    const refused = monitors.watch("bg_1", options("b"));
    await expect(refused).rejects.toThrow(MonitorLimitError);
    await expect(refused).rejects.toMatchObject({ name: "MonitorLimitError", code: "PI_MONITOR_LIMIT" });
    await expect(refused).rejects.toThrow('16 watches are on already. End one first (notify: "off" with its filter).');
    expect(await monitors.watch("bg_1", options("a0", "quiet"))).toEqual({});
    monitors.unwatch("bg_1", options("a3"));
    expect(await monitors.watch("bg_1", options("b"))).toEqual({ fromLine: 1 });
  });

  it("of several readers and jobs stand beside each other, and all end when they are closed", async () => {
    const { job, other, monitors, options, released } = scene();
    await monitors.watch("bg_1", options("a"));
    await monitors.watch("bg_1", options("a", "wake", "you"));
    await monitors.watch("bg_2", options("a"));
    expect([job.entry.isWatched, other.entry.isWatched]).toEqual([true, true]);
    monitors.close();

    expect([released(), job.entry.isWatched, other.entry.isWatched]).toEqual([3, false, false]);
  });

  it("of one owner share the turns, those of another have their own, and a new first watch has all of them", async () => {
    const { job, other, monitors, options, sent } = scene();
    const turn = async (written: typeof job, text: string, filters: string[]): Promise<void> => {
      written.write(text);
      const cursors = filters.map((filter) => written.log.cursor(JSON.stringify(["me", filter, false])));
      await settled(() => cursors.every((one) => one.offset === written.totals().bytes && !one.isHeld));
      await vi.advanceTimersByTimeAsync(200);
    };
    await monitors.watch("bg_1", options("a"));
    await monitors.watch("bg_1", options("b"));
    await monitors.watch("bg_2", options("c"));
    for (let at = 0; at < 5; at += 1) await turn(job, "ab\n", ["a", "b"]);
    expect(sent()).toHaveLength(2);
    await turn(job, "ab\n", ["a", "b"]);
    expect(sent()).toEqual([]);
    await turn(other, "c\n", ["c"]);
    expect(sent()).toEqual(["1 c"]);

    monitors.close();
    await monitors.watch("bg_1", options("a"));
    await turn(job, "ab\n", ["a"]);
    expect(sent()).toEqual(["7 ab"]);
  });
});
