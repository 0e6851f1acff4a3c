/** Watches where there are many: of matches, of turns, of watches themselves. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArtifactError } from "../src/artifacts/address.ts";
import { MonitorLimitError } from "../src/jobs/monitors.ts";
import { scene, settled } from "./support/monitor.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

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
  it("refuse what is not an expression, and watch neither unknown nor ended jobs", async () => {
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
