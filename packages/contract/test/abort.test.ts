/** One listener on a signal, however many wait for its abort. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "../src/abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("onAbort", () => {
  it("calls everybody once, in order, over one listener of the signal", () => {
    const stop = new AbortController();
    const called: number[] = [];
    for (let index = 0; index < 40; index += 1) onAbort(stop.signal, () => called.push(index));

    expect(listeners(stop.signal)).toBe(1);
    stop.abort();

    expect(called).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(listeners(stop.signal)).toBe(0);
  });

  it("calls nobody who took it back, and leaves no listener when all have", () => {
    const stop = new AbortController();
    const called: string[] = [];
    const first = onAbort(stop.signal, () => called.push("first"));
    const second = onAbort(stop.signal, () => called.push("second"));
    first();
    first();
    expect(listeners(stop.signal)).toBe(1);
    second();
    expect(listeners(stop.signal)).toBe(0);
    onAbort(stop.signal, () => called.push("third"));

    stop.abort();

    expect(called).toEqual(["third"]);
  });

  it("calls nobody whom an earlier one released while the abort is told", () => {
    const stop = new AbortController();
    const called: string[] = [];
    let release = (): void => undefined;
    onAbort(stop.signal, () => release());
    release = onAbort(stop.signal, () => called.push("late"));

    stop.abort();

    expect(called).toEqual([]);
  });

  it("does nothing for no signal and for one that is aborted already", () => {
    const called: string[] = [];

    onAbort(undefined, () => called.push("none"))();
    onAbort(AbortSignal.abort(), () => called.push("aborted"))();

    expect(called).toEqual([]);
  });
});
