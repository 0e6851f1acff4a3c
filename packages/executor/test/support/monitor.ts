/**
 * Watches on one job, on a clock of the test's own, and a sink for what they queue. Timers are those of the test.
 */
import { expect, vi } from "vitest";
import type { JobNewsItem } from "../../src/jobs/job-news.ts";
import type { MonitorNews } from "../../src/jobs/monitor.ts";
import { JobMonitors } from "../../src/jobs/monitors.ts";
import { writtenJob } from "./log-file.ts";

/** A text of what a watch has to say. */
const describeNews = ({ lines, unshown, isDemoted }: MonitorNews): string =>
  [
    ...lines.map(({ number, text }) => `${number} ${text}`),
    ...(unshown === undefined ? [] : [`(${unshown.count}: ${unshown.first}-${unshown.last})`]),
    ...(isDemoted ? ["demoted"] : []),
  ].join(", ");

/** Lets what waits for files go on, while timers stand still. */
export async function settled(holds: () => boolean): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!holds() && performance.now() < giveUp) await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
}

/** Watches on one job, on a clock of the test's own; `sent` takes what is queued, as a sink would. */
export function scene() {
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
    released: () => {
      released += 1;
    },
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
