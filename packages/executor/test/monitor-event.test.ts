/** What a watch gathers for an owner: the first lines and the last ones, and a count of those between. */
import { describe, expect, it } from "vitest";
import { MonitorEvent } from "../src/jobs/monitor-event.ts";

/** An event of lines of one size, numbered from 1. */
function eventOf(count: number, text = "x".repeat(96)): MonitorEvent {
  const event = new MonitorEvent();
  for (let number = 1; number <= count; number += 1) event.add({ number, text });
  return event;
}
const numbers = (event: MonitorEvent): number[] => event.lines.map(({ number }) => number);

describe("an event", () => {
  it("without matches has nothing", () => {
    const event = new MonitorEvent();

    expect([event.lines, event.unshown, event.all]).toEqual([[], undefined, undefined]);
  });

  it("shows a few lines whole, in their order", () => {
    const event = new MonitorEvent();
    event.add({ number: 4, text: "four" });
    event.add({ number: 9, text: "nine" });

    expect(event.lines).toEqual([
      { number: 4, text: "four" },
      { number: 9, text: "nine" },
    ]);
    expect([event.unshown, event.all]).toEqual([undefined, { count: 2, first: 4, last: 9 }]);
  });

  it.each([
    [500, "x".repeat(500)],
    [501, `${"x".repeat(499)}…`],
    [5_000, `${"x".repeat(499)}…`],
  ])("cuts a line of %i units to at most 500", (length, text) => {
    const event = new MonitorEvent();
    event.add({ number: 1, text: "x".repeat(length) });

    expect(event.lines).toEqual([{ number: 1, text }]);
  });

  it("does not cut a character in two", () => {
    const event = new MonitorEvent();
    event.add({ number: 1, text: `${"x".repeat(498)}🙂${"y".repeat(9)}` });

    expect(event.lines[0]?.text).toBe(`${"x".repeat(498)}…`);
  });

  // A line of one digit costs 100 bytes here, one of two digits 101: 18 of them are 1,809, the next would be 1,910.
  it("of many lines shows the first 1,900 bytes and the last 800, and counts the others", () => {
    expect(eventOf(18).unshown).toBeUndefined();
    expect(numbers(eventOf(25))).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));

    const event = eventOf(40);

    expect(numbers(event)).toEqual([...Array.from({ length: 18 }, (_, at) => at + 1), 34, 35, 36, 37, 38, 39, 40]);
    expect(event.unshown).toEqual({ count: 15, first: 19, last: 33 });
    expect(event.all).toEqual({ count: 40, first: 1, last: 40 });
  });

  it("counts bytes, not characters", () => {
    expect(numbers(eventOf(9, "漢".repeat(132)))).toEqual([1, 2, 3, 4, 8, 9]);
  });

  it("takes a head of exactly 1,900 bytes, and a tail of exactly 800", () => {
    const event = new MonitorEvent();
    // With its number and 3 bytes around it each line is 475 bytes: four are the head.
    for (let number = 1; number <= 4; number += 1) event.add({ number, text: "h".repeat(471) });
    for (let number = 5; number <= 6; number += 1) event.add({ number, text: "t".repeat(396) });
    expect([numbers(event), event.unshown]).toEqual([[1, 2, 3, 4, 5, 6], undefined]);

    event.add({ number: 7, text: "" });
    expect([numbers(event), event.unshown]).toEqual([[1, 2, 3, 4, 6, 7], { count: 1, first: 5, last: 5 }]);
  });

  it("keeps the last line however long it is, and puts none into the head once the tail has begun", () => {
    const event = new MonitorEvent();
    for (let number = 1; number <= 4; number += 1) event.add({ number, text: "漢".repeat(200) });
    for (let number = 5; number <= 6; number += 1) event.add({ number, text: "漢".repeat(400) });

    expect(numbers(event)).toEqual([1, 2, 3, 6]);
    event.add({ number: 7, text: "short" });
    expect(numbers(event)).toEqual([1, 2, 3, 7]);
    expect(event.unshown).toEqual({ count: 3, first: 4, last: 6 });
  });

  it("counts matches that were never shown with the others, in any order", () => {
    const event = new MonitorEvent();
    event.skip({ count: 3, first: 20, last: 30 });
    event.skip({ count: 2, first: 5, last: 8 });
    event.skip({ count: 1, first: 40, last: 40 });
    event.skip({ count: 1, first: 22, last: 23 });

    expect(event.unshown).toEqual({ count: 7, first: 5, last: 40 });
    event.add({ number: 2, text: "two" });
    expect(event.all).toEqual({ count: 8, first: 2, last: 40 });
    event.add({ number: 50, text: "fifty" });
    expect(event.all).toEqual({ count: 9, first: 2, last: 50 });
  });

  it("takes all that another one has: head, what was left out, tail", () => {
    const event = new MonitorEvent();
    event.take(eventOf(2));
    expect([numbers(event), event.unshown]).toEqual([[1, 2], undefined]);

    event.take(eventOf(40));
    expect(event.all).toEqual({ count: 42, first: 1, last: 40 });
    expect(numbers(event).slice(-3)).toEqual([38, 39, 40]);
  });
});
