/** Output on its way to a listener and in a preview, at its bounds: intervals, sizes, promises, and what is left out. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChunkThrottle } from "../src/output/chunk-throttle.ts";
import { TailBuffer } from "../src/output/tail-buffer.ts";
import { deferred } from "./support/waiting.ts";

const WAITING_CHARS = 64 * 1024;
const KEPT = 256 * 1024;

describe("pieces of output", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function throttleOf(answer: () => unknown = () => undefined) {
    const listener = vi.fn((_chunk: string, _leftOut: number) => answer());
    const failed = vi.fn();
    return {
      throttle: new ChunkThrottle(listener, failed, 50),
      listener,
      failed,
      texts: () => listener.mock.calls.map(([text]) => text),
    };
  }

  it("go out at once after a silence, and else together when the interval is over", async () => {
    const { throttle, texts } = throttleOf();
    void throttle.push("");
    expect(texts()).toEqual([]);
    expect(throttle.push("a")).toBeUndefined();
    void throttle.push("b");
    void throttle.push("c");
    expect(texts()).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(49);
    expect(texts()).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(texts()).toEqual(["a", "bc"]);
    await vi.advanceTimersByTimeAsync(30);
    void throttle.push("d");
    await vi.advanceTimersByTimeAsync(19);
    expect(texts()).toEqual(["a", "bc"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(texts()).toEqual(["a", "bc", "d"]);
    await vi.advanceTimersByTimeAsync(50);
    void throttle.push("e");

    expect(texts()).toEqual(["a", "bc", "d", "e"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that are as long as may wait go out at once, and leave no timer", () => {
    const { throttle, texts } = throttleOf();
    void throttle.push("a");
    void throttle.push("x".repeat(WAITING_CHARS - 1));
    expect(texts()).toHaveLength(1);
    void throttle.push("y");

    expect(texts()[1]).toHaveLength(WAITING_CHARS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("go out at the end, and none after it", async () => {
    const { throttle, texts } = throttleOf();
    void throttle.push("a");
    void throttle.push("b");
    throttle.end();
    void throttle.push("c");
    throttle.end();
    await vi.advanceTimersByTimeAsync(1_000);

    expect([texts(), vi.getTimerCount()]).toEqual([["a", "b"], 0]);
  });

  it("wait for the promise of a listener, which whoever pushes is given, and go on when it is settled", async () => {
    const answers = [deferred<void>(), deferred<void>()];
    let calls = 0;
    const { throttle, texts } = throttleOf(() => answers[calls++]?.promise);
    const busy = throttle.push("a");
    expect(busy).toBeInstanceOf(Promise);
    await vi.advanceTimersByTimeAsync(200);
    expect(throttle.push("b")).toBe(busy);
    await vi.advanceTimersByTimeAsync(200);
    expect(texts()).toEqual(["a"]);
    answers[0]?.resolve();
    await busy;
    expect(texts()).toEqual(["a", "b"]);
    answers[1]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(throttle.push("c")).toBeUndefined();
  });

  it("that wait for a promise are cut to their newest part, and how much is missing is said once", async () => {
    const answer = deferred<void>();
    let calls = 0;
    const { throttle, listener } = throttleOf(() => (calls++ === 0 ? answer.promise : undefined));
    void throttle.push("a");
    void throttle.push("x".repeat(4 * KEPT));
    void throttle.push("y");
    void throttle.push("z");
    answer.resolve();
    await vi.advanceTimersByTimeAsync(100);
    const [, second] = listener.mock.calls;
    expect([second?.[0].length, second?.[0].slice(-2), second?.[1]]).toEqual([KEPT + 1, "yz", 3 * KEPT + 1]);
    void throttle.push("later");
    await vi.advanceTimersByTimeAsync(100);

    expect(listener.mock.calls[2]).toEqual(["later", 0]);
  });

  it("of which just four times that wait are all kept", async () => {
    const answer = deferred<void>();
    let calls = 0;
    const { throttle, listener } = throttleOf(() => (calls++ === 0 ? answer.promise : undefined));
    void throttle.push("a");
    void throttle.push("x".repeat(4 * KEPT));
    answer.resolve();
    await vi.advanceTimersByTimeAsync(100);

    expect([listener.mock.calls[1]?.[0].length, listener.mock.calls[1]?.[1]]).toEqual([4 * KEPT, 0]);
  });

  it("that came while a listener was busy go out at the end, though it did not answer", () => {
    const { throttle, texts } = throttleOf(() => new Promise(() => undefined));
    void throttle.push("a");
    void throttle.push("b");
    throttle.end();
    expect(texts()).toEqual(["a", "b"]);
  });

  it("reach a listener that throws no more", async () => {
    const { throttle, texts, failed } = throttleOf(() => {
      throw new Error("host");
    });
    void throttle.push("a");
    void throttle.push("b");
    await vi.advanceTimersByTimeAsync(100);
    throttle.end();
    expect([texts(), failed.mock.calls]).toEqual([["a"], [[new Error("host")]]]);
  });
});

describe("a tail", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("cannot have %d bytes", (maxBytes) => {
    expect(() => new TailBuffer(maxBytes)).toThrow(`\`maxBytes\` is ${maxBytes}; use a whole number from 1`);
  });

  it("has the last bytes of what was appended, however it came", () => {
    for (const size of [1, 2, 3, 7, 300]) {
      const text = Array.from({ length: 300 }, (_, at) => String(at % 10)).join("");
      const tail = new TailBuffer(10);
      for (let at = 0; at < text.length; at += size) tail.append(text.slice(at, at + size));
      expect([tail.text(), tail.bytes(), tail.totalBytes(), tail.isTruncated()]).toEqual([
        text.slice(-10),
        10,
        300,
        true,
      ]);
    }
  });

  it("is not truncated where all fits, and knows its bytes without being read", () => {
    const tail = new TailBuffer(4);
    expect([tail.text(), tail.bytes(), tail.totalBytes(), tail.isTruncated()]).toEqual(["", 0, 0, false]);
    tail.append("");
    tail.append("éé");
    expect([tail.isTruncated(), tail.bytes(), tail.text()]).toEqual([false, 4, "éé"]);
    tail.append("x");
    expect([tail.isTruncated(), tail.bytes(), tail.text(), tail.totalBytes()]).toEqual([true, 3, "éx", 5]);
  });
});
