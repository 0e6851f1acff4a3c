/** The record of a task's terminal: its lines in order, who typed, what is masked, and how it ends early. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { castEvent, castHeader } from "@pi-bash/terminal/internal";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { TerminalRecord, type TerminalRecordOptions } from "../src/tty/terminal-record.ts";
import { wordMask } from "./support/log-file.ts";

function recordOf(more: Partial<TerminalRecordOptions> = {}) {
  const path = join(scratchFolder(), "record.cast");
  const record = new TerminalRecord({
    path,
    maxBytes: 100_000,
    cols: 80,
    rows: 24,
    command: "vim",
    mask: undefined,
    form: { castEvent, castHeader },
    ...more,
  });
  /** Its events, without their times. */
  const events = () =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => (JSON.parse(line) as [number, string, string]).slice(1));
  return { record, path, events };
}

describe("a record", () => {
  it("begins with the command and the size, in a private file", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { record, path } = recordOf();
    await record.end();
    const header = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "") as { timestamp: number };

    expect(header).toMatchObject({ version: 2, width: 80, height: 24, command: "vim" });
    expect(header.timestamp).toBeGreaterThanOrEqual(before);
    expect(header.timestamp).toBeLessThanOrEqual(Date.now() / 1000);
    expect([statSync(path).mode & 0o777, record.problem]).toEqual([0o600, undefined]);
  });

  it("has what was written, typed and resized in its order, and says who typed when that changes", async () => {
    const { record, events } = recordOf();
    await record.output("Name: ");
    record.typed("model", "a");
    record.typed("model", "b");
    record.typed("person", "c");
    record.typed("unseen", "hidden");
    record.typed("unseen", "more");
    record.typed("person", "d");
    record.resized(90, 30);
    await record.output("");
    await record.end();

    expect(events()).toEqual([
      ["o", "Name: "],
      ["m", "typed by the model"],
      ["i", "a"],
      ["i", "b"],
      ["m", "typed by a person"],
      ["i", "c"],
      ["m", "a person types what is not shown"],
      ["m", "typed by a person"],
      ["i", "d"],
      ["r", "90x30"],
    ]);
  });

  it("has no secrets, in what was typed and in what was written", async () => {
    const { record, events } = recordOf({ mask: wordMask().mask });
    await record.output("a secret b");
    record.typed("model", "my secret");
    await record.end();

    expect(events()).toEqual([
      ["o", "a ****** b"],
      ["m", "typed by the model"],
      ["i", "my ******"],
    ]);
  });

  it("has at its end what its mask held back, and characters that came in parts", async () => {
    const bytes = Buffer.from("é");
    const mask = {
      text: (text: string) => ({ text, count: 0, names: [] }),
      stream: () => ({
        skip: () => undefined,
        push: () => bytes.subarray(0, 1),
        finish: () => bytes.subarray(1),
      }),
    };
    const { record, events } = recordOf({ mask });
    await record.output("x");
    await record.end();
    expect(events()).toEqual([["o", "é"]]);
  });

  it("takes nothing after its end, which is the same however often it is asked for", async () => {
    const { record, events } = recordOf();
    await record.output("one");
    const ends = [record.end(), record.end()];
    expect(ends[0]).toBe(ends[1]);
    await Promise.all(ends);
    await record.output("two");
    record.typed("model", "x");
    record.resized(1, 1);
    await record.end();

    expect(events()).toEqual([["o", "one"]]);
  });

  it("that is full ends with a marker that says so, within its bound", async () => {
    const { record, events, path } = recordOf({ maxBytes: 1_000 });
    for (let turn = 0; turn < 20; turn += 1) await record.output("x".repeat(100));
    await record.end();

    expect(record.problem).toBe("the record is full (1000 bytes)");
    const found = events();
    expect(found.at(-1)).toEqual(["m", "the record is full (1000 bytes)"]);
    expect(found.slice(0, -1).every(([code]) => code === "o")).toBe(true);
    expect(found.length).toBeGreaterThan(4);
    expect(statSync(path).size).toBeLessThanOrEqual(1_000);
  });

  it("whose file cannot be made says why, and hurts no one", async () => {
    const path = join(scratchFolder(), "there.cast");
    writeFileSync(path, "another's");
    const { record } = recordOf({ path });
    await record.output("x".repeat(10));
    await record.end();
    await record.output("y");

    expect(record.problem).toContain("EEXIST");
    expect(readFileSync(path, "utf8")).toBe("another's");
  });

  it("of a flood waits for the disk, and has all of it in its order", async () => {
    const { record, events } = recordOf({ maxBytes: 10_000_000 });
    for (let turn = 0; turn < 20; turn += 1) await record.output(`${turn} ${"x".repeat(100_000)}`);
    await record.end();

    expect(events().map(([, data]) => Number.parseInt(String(data), 10))).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
    expect(record.problem).toBeUndefined();
  });
});
