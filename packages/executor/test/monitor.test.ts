/** One watch of what a job writes: when its matches go to the owner, and how it ends. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scene, settled } from "./support/monitor.ts";

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
