/** How much a job has written and who has read it: totals, readers that are woken, places that are held and forgotten. */
import { describe, expect, it, vi } from "vitest";
import { JobLog, LogCursor } from "../src/jobs/job-log.ts";

const never = new Promise<void>(() => undefined);

describe("a log", () => {
  it("grows until it is over, and wakes whoever listens each time", () => {
    const log = new JobLog();
    const heard = vi.fn();
    const off = log.onNews(heard);
    expect([log.totals, log.isOver]).toEqual([{ bytes: 0, lines: 0 }, false]);
    const totals = { bytes: 4, lines: 1 };
    log.grow(totals);
    totals.bytes = 99;
    log.changed();
    expect([log.totals, heard.mock.calls.length]).toEqual([{ bytes: 4, lines: 1 }, 2]);
    log.end({ bytes: 9, lines: 2 });
    expect([log.totals, log.isOver]).toEqual([{ bytes: 9, lines: 2 }, true]);
    const before = heard.mock.calls.length;
    log.grow({ bytes: 99, lines: 9 });
    expect([log.totals.bytes, heard.mock.calls.length]).toEqual([9, before]);
    off();
    log.changed();
    expect(heard).toHaveBeenCalledTimes(before);
  });

  it("ends without totals with those that were known", () => {
    const log = new JobLog();
    log.grow({ bytes: 4, lines: 1 });
    const heard = vi.fn();
    log.onNews(heard);
    log.end(undefined);
    expect([log.totals, log.isOver, heard.mock.calls.length]).toEqual([{ bytes: 4, lines: 1 }, true, 1]);
  });

  it("has a place for each reader, and is read once there is one", () => {
    const log = new JobLog();
    expect(log.isRead).toBe(false);
    const place = log.cursor("a");
    expect([log.isRead, log.cursor("a") === place, log.cursor("b") === place]).toEqual([true, true, false]);
    expect(place).toMatchObject({ offset: 0, line: 0, barren: 0, isHeld: false });
  });

  it("remembers 64 places, the last used ones, and those that are held besides", async () => {
    const log = new JobLog();
    const places = Array.from({ length: 64 }, (_, at) => log.cursor(`r${at}`));
    await places[1]?.hold(never);
    log.cursor("r0");
    log.cursor("new");
    // The oldest that is not held had to go: neither the one that was used again nor the one that is held.
    expect(log.cursor("r0")).toBe(places[0]);
    expect(log.cursor("r1")).toBe(places[1]);
    expect(log.cursor("r3")).toBe(places[3]);
    expect(log.cursor("r2")).not.toBe(places[2]);
  });
});

describe("a place", () => {
  it("is held by one at a time; the next one waits until it is free", async () => {
    const place = new LogCursor();
    expect([await place.hold(never), place.isHeld]).toEqual([true, true]);
    const second = vi.fn();
    const waiting = place.hold(never).then(second);
    await new Promise((resolve) => setImmediate(resolve));
    expect(second).not.toHaveBeenCalled();
    place.free();
    await waiting;
    expect([second.mock.calls, place.isHeld]).toEqual([[[true]], true]);
    place.free();
    expect(place.isHeld).toBe(false);
  });

  it("is not taken by one whose time is over, which keeps no other from it", async () => {
    const place = new LogCursor();
    await place.hold(never);
    let over: () => void = () => undefined;
    const waiting = place.hold(new Promise<void>((resolve) => (over = resolve)));
    const third = place.hold(never);
    over();
    expect(await waiting).toBe(false);
    place.free();

    expect([await third, place.isHeld]).toEqual([true, true]);
  });
});
