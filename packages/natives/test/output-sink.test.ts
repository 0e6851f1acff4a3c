/** The sink for output that no run wrote. Its own rules are tested in crates/pi-output; here is what crosses. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { OutputSink } from "../src/index.ts";
import { until } from "./waiting.ts";

describe("an output sink", () => {
  it("takes text and bytes, and a character that is split between two pushes", () => {
    const sink = new OutputSink();
    const arrow = Buffer.from("→");

    sink.push("a");
    sink.push(arrow.subarray(0, 1));
    sink.push(arrow.subarray(1));
    sink.push("é\n");

    expect(sink.dump()).toMatchObject({
      text: "a→é\n",
      totalBytes: 7,
      totalLines: 1,
      truncated: false,
      spilled: false,
    });
  });

  it("uses memory again whatever the lengths of the pushes", () => {
    const sink = new OutputSink();
    const bytes = Buffer.alloc(512 * 1024, "a line of text\n");
    const before = process.memoryUsage().rss;

    for (let length = 200_000; length < 400_000; length += 100) sink.push(bytes.subarray(0, length));

    // Memory of its own for each length came to 600 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
    expect(sink.dump().totalBytes).toBe(599_900_000);
  });

  it("keeps the tail in memory and the whole in a file that only its owner can read", () => {
    const spillPath = join(scratchFolder(), "whole");
    const sink = new OutputSink({ maxBytes: 1024, spillPath });
    const text = "0123456789abcde\n".repeat(1000);

    sink.push(text);
    const summary = sink.dump();

    expect(summary.truncated).toBe(true);
    expect(summary.spilled).toBe(true);
    expect(Buffer.byteLength(summary.text)).toBeLessThanOrEqual(1024);
    expect(summary.shownRange.endLine).toBe(1000);
    expect(readFileSync(spillPath, "latin1")).toBe(text);
    expect(statSync(spillPath).mode & 0o777).toBe(0o600);
  });

  it("names a spill file that cannot be made, and keeps the tail", () => {
    const sink = new OutputSink({ maxBytes: 16, spillPath: "/nope/whole" });

    sink.push("x".repeat(100));
    const summary = sink.dump();

    expect(summary.spilled).toBe(false);
    expect(summary.spillError).toContain("/nope/whole");
    expect(summary.text).toBe(`…${"x".repeat(13)}`);
    expect(summary.outputBytes).toBe(13);
  });

  it("shows a replacement and counts the stream", () => {
    const sink = new OutputSink();

    sink.push("a long text\n");
    sink.replace("short\n");

    expect(sink.dump()).toMatchObject({ text: "short\n", totalBytes: 12 });
  });

  it("returns the same summary again, and takes a close after it", () => {
    const sink = new OutputSink();
    sink.push("a\n");

    const first = sink.dump("note");
    sink.close();
    sink.close();

    expect(first.text).toBe("[note]\na\n");
    expect(sink.dump()).toEqual(first);
  });

  it("tells of the first push at once and of a later one when its time has come", async () => {
    const tails: string[] = [];
    const sink = new OutputSink({ throttleMs: 30, onUpdate: (tail) => tails.push(tail) });

    sink.push("a");
    const atOnce = [...tails];
    sink.push("b");

    expect(atOnce).toEqual(["a"]);
    await until("the second update", () => tails.length === 2);
    expect(tails[1]).toBe("ab");
    sink.close();
  });

  it("keeps what its callback throws from the caller of push", () => {
    const sink = new OutputSink({
      onUpdate: () => {
        throw new Error("no room");
      },
    });

    sink.push("a");

    expect(sink.dump().text).toBe("a");
  });
});
