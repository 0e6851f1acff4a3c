/**
 * The tail buffer and the throttle of output listeners.
 */
import { describe, expect, it } from "vitest";
import { ChunkThrottle } from "../src/output/chunk-throttle.ts";
import { TailBuffer } from "../src/output/tail-buffer.ts";
import { until } from "./support/waiting.ts";

describe("tail buffer", () => {
  it("keeps everything that fits", () => {
    const buffer = new TailBuffer(10);

    buffer.append("abc");
    buffer.append("");
    buffer.append("defghij");

    expect(buffer.text()).toBe("abcdefghij");
    expect(buffer.bytes()).toBe(10);
    expect(buffer.isTruncated()).toBe(false);
  });

  it("keeps the end of what does not fit, and reports the total", () => {
    const buffer = new TailBuffer(4);

    for (const letter of "abcdefghij") buffer.append(letter);

    expect(buffer.text()).toBe("ghij");
    expect(buffer.totalBytes()).toBe(10);
    expect(buffer.isTruncated()).toBe(true);
  });

  it("is replaced by a chunk that is larger than its budget", () => {
    const buffer = new TailBuffer(4);

    buffer.append("old");
    buffer.append("0123456789");

    expect(buffer.text()).toBe("6789");
  });

  it("never begins inside a character", () => {
    for (let budget = 1; budget <= 12; budget += 1) {
      const buffer = new TailBuffer(budget);
      buffer.append("a€🙂é漢字b");

      expect(Buffer.byteLength(buffer.text())).toBeLessThanOrEqual(budget);
      expect("a€🙂é漢字b".endsWith(buffer.text())).toBe(true);
    }
  });

  it("has a default of 51,200 bytes", () => {
    const buffer = new TailBuffer();

    for (let index = 0; index < 100; index += 1) buffer.append("x".repeat(1_000));

    expect(buffer.bytes()).toBe(51_200);
  });

  it("refuses a budget that is none", () => {
    expect(() => new TailBuffer(0)).toThrow(RangeError);
    expect(() => new TailBuffer(Number.NaN)).toThrow(RangeError);
  });
});

describe("chunk throttle", () => {
  it("VO-04: passes twenty thousand pieces on in few calls, in order, nothing lost", async () => {
    const calls: string[] = [];
    const throttle = new ChunkThrottle(
      (chunk) => calls.push(chunk),
      () => undefined,
      50,
    );

    for (let index = 0; index < 20_000; index += 1) void throttle.push(String(index % 10));
    throttle.end();

    expect(calls.join("")).toBe("0123456789".repeat(2_000));
    expect(calls.length).toBeLessThanOrEqual(200);
  });

  it("passes the first piece on at once and the next after the interval", async () => {
    const calls: string[] = [];
    const throttle = new ChunkThrottle(
      (chunk) => calls.push(chunk),
      () => undefined,
      200,
    );

    void throttle.push("a");
    expect(calls).toEqual(["a"]);
    void throttle.push("b");
    void throttle.push("c");

    await until(() => calls.length === 2, "the second call");
    expect(calls).toEqual(["a", "bc"]);
    throttle.end();
  });

  it("passes a large waiting text on early", () => {
    const calls: string[] = [];
    const throttle = new ChunkThrottle(
      (chunk) => calls.push(chunk),
      () => undefined,
      60_000,
    );

    void throttle.push("a");
    void throttle.push("b".repeat(300_000));

    expect(calls.map((call) => call.length)).toEqual([1, 300_000]);
    throttle.end();
  });

  it("waits for the promise of a listener, and has whoever pushes wait for it", async () => {
    const calls: string[] = [];
    const taken: (() => void)[] = [];
    const throttle = new ChunkThrottle(
      (chunk) => {
        calls.push(chunk);
        return new Promise<void>((resolve) => taken.push(resolve));
      },
      () => undefined,
      0,
    );

    const first = throttle.push("a");
    expect(first).toBeInstanceOf(Promise);
    expect(throttle.push("b")).toBe(first);
    expect(throttle.push("c")).toBe(first);
    expect(calls).toEqual(["a"]);
    taken.shift()?.();
    await first;
    expect(calls).toEqual(["a", "bc"]);

    void throttle.push("d");
    throttle.end();
    expect(calls).toEqual(["a", "bc", "d"]);
  });

  it("keeps the newest of what it is given all the same, and says how much is missing", () => {
    const calls: [string, number][] = [];
    const throttle = new ChunkThrottle(
      (chunk, leftOutBytes) => {
        calls.push([chunk, leftOutBytes]);
        return new Promise(() => undefined);
      },
      () => undefined,
      0,
    );
    const piece = "é€".repeat(10_000);

    void throttle.push("first");
    for (let index = 0; index < 1_000; index += 1) void throttle.push(piece);
    void throttle.push("last");
    throttle.end();

    const [first, rest] = calls;
    expect(first).toEqual(["first", 0]);
    expect(calls).toHaveLength(2);
    const [text, leftOutBytes] = rest ?? ["", 0];
    expect(text.endsWith("é€last")).toBe(true);
    expect(text.length).toBeLessThan(1_100_000);
    expect(Buffer.byteLength(text) + leftOutBytes).toBe(50_000_000 + "last".length);
  });

  it("calls a listener that throws no more, and says so once", () => {
    let failures = 0;
    const throttle = new ChunkThrottle(
      () => {
        throw new Error("no");
      },
      () => {
        failures += 1;
      },
      0,
    );

    void throttle.push("a");
    void throttle.push("b");
    throttle.end();

    expect(failures).toBe(1);
  });

  it("is silent after its end", () => {
    const calls: string[] = [];
    const throttle = new ChunkThrottle(
      (chunk) => calls.push(chunk),
      () => undefined,
      0,
    );

    throttle.end();
    void throttle.push("late");

    expect(calls).toEqual([]);
  });
});
