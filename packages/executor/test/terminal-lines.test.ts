/** Readings of a task's terminal, whole: what is given, what is missing, and where a reader stands after it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LogCursor } from "../src/jobs/job-log.ts";
import { logFilter, NO_TEXT, type ReadOptions } from "../src/jobs/log-reader.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { readTerminal } from "../src/tty/terminal-reading.ts";
import { followed } from "./support/follow-entry.ts";

const CERTAIN = { kind: "line" as const, program: "bash", since_ms: 0, certain: true };
interface Screen {
  lines?: string[];
  unfinished?: string;
  isIncomplete?: boolean;
}

function terminalOf({ lines = [], unfinished = "", isIncomplete = false }: Screen, more: object = {}) {
  const terminal = {
    isOver: false,
    prompt: 1,
    reportedPrompt: 0,
    waiting: undefined,
    newLines: () => ({ lines, unfinished, isIncomplete }),
    placeNow: () => lines.length,
    attend: () => () => undefined,
    ...more,
  };
  return terminal as unknown as TaskTerminal & { waiting: unknown; prompt: number };
}
function read(terminal: TaskTerminal, more: Partial<ReadOptions> = {}) {
  const cursor = Object.assign(new LogCursor(), { offset: 5, line: 7 });
  const options: ReadOptions = { maxBytes: 1_000, filter: undefined, isLate: () => false, ...more };
  return readTerminal(terminal, cursor, options);
}
const only = { filter: logFilter("^a", false) };
const but = { filter: logFilter("^a", true) };

describe("a reading of a terminal", () => {
  it("has no text where the terminal has no news, and leaves the reader's place in the file alone", () => {
    const reading = read(terminalOf({}));
    expect(reading).toEqual({
      output: NO_TEXT,
      hasNews: false,
      offset: 5,
      line: undefined,
      commit: expect.any(Function),
    });
    expect(reading.output).toBe(NO_TEXT);
  });

  it.each<[string, Screen, object, Partial<ReadOptions>, object, boolean]>([
    ["lines", { lines: ["a", "b"] }, {}, {}, { text: "a\nb\n", isIncomplete: false }, true],
    [
      "lines of which earlier ones are gone",
      { lines: ["a"], isIncomplete: true },
      {},
      {},
      { text: "a\n", isIncomplete: true },
      true,
    ],
    ["only that lines are gone", { isIncomplete: true }, {}, {}, { text: "", isIncomplete: true }, false],
    ["no line that matches", { lines: ["b"] }, {}, only, { text: "", isIncomplete: false, matches: 0 }, false],
    ["nothing for a filter", {}, {}, only, { text: "", isIncomplete: false, matches: 0 }, false],
    [
      "the lines that match",
      { lines: ["a1", "b", "a2"] },
      {},
      only,
      { text: "a1\na2\n", isIncomplete: false, matches: 2 },
      true,
    ],
    [
      "the last unfinished line at the end, for a filter too",
      { lines: ["a1"], unfinished: "a2" },
      { isOver: true },
      only,
      { text: "a1\na2\n", isIncomplete: false, matches: 2 },
      true,
    ],
    [
      "no unfinished line at the end that a filter leaves out",
      { lines: ["b1"], unfinished: "a2" },
      { isOver: true },
      but,
      { text: "b1\n", isIncomplete: false, matches: 1 },
      true,
    ],
    [
      "no unfinished line at the end where there is none",
      { lines: ["a1"] },
      { isOver: true },
      {},
      { text: "a1\n", isIncomplete: false },
      true,
    ],
    [
      "an unfinished line once, where its program waited when it ended",
      { lines: ["a1"], unfinished: "Name: " },
      { isOver: true, waiting: CERTAIN },
      {},
      { text: "a1\nName: \n", isIncomplete: false },
      true,
    ],
    [
      "a prompt behind the lines",
      { lines: ["a1"], unfinished: "Name: " },
      { waiting: CERTAIN },
      {},
      { text: "a1\nName: \n", isIncomplete: false },
      true,
    ],
    [
      "no prompt where it only may be one",
      { unfinished: "Name: " },
      { waiting: { ...CERTAIN, certain: false } },
      {},
      { text: "", isIncomplete: false },
      false,
    ],
    [
      "no prompt for a filter",
      { unfinished: "a?" },
      { waiting: CERTAIN },
      only,
      { text: "", isIncomplete: false, matches: 0 },
      false,
    ],
  ])("has %s", (_, screen, more, options, output, hasNews) => {
    const reading = read(terminalOf(screen, more), options);
    expect([reading.output, reading.hasNews]).toStrictEqual([output, hasNews]);
  });

  it("that counts as given out without a prompt has not given the prompt that comes after it", () => {
    const terminal = terminalOf({ unfinished: "Name: " }, { prompt: 0 });
    const cursor = new LogCursor();
    const options: ReadOptions = { maxBytes: 1_000, filter: undefined, isLate: () => false };
    readTerminal(terminal, cursor, options).commit?.();
    Object.assign(terminal, { prompt: 1, waiting: CERTAIN });
    const asked = readTerminal(terminal, cursor, options);
    expect(asked.hasNews).toBe(true);
    asked.commit?.();
    terminal.waiting = undefined;
    readTerminal(terminal, cursor, options).commit?.();
    terminal.waiting = CERTAIN;

    // The same prompt again, which was given before.
    expect(readTerminal(terminal, cursor, options).hasNews).toBe(false);
  });
});

describe("following a job", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("without an owner notes prompts that are given to whoever reads as no one", async () => {
    for (const [owner, reader, reported] of [[undefined, "", 1] as const, ["me", "", 0] as const]) {
      const { entry, log, follow } = followed();
      const { owner: _, ...view } = entry.view;
      entry.view = { ...view, ...(owner === undefined ? {} : { owner }) };
      const terminal = terminalOf({ unfinished: "Name: " }, { waiting: CERTAIN });
      log.terminal = terminal;
      (await follow({ reader })).commit();
      expect(terminal.reportedPrompt).toBe(reported);
    }
  });

  it("on a terminal where no program waits is without a problem, whatever the reader wakes for", async () => {
    const { log, follow } = followed();
    log.terminal = terminalOf({ lines: ["one"] });
    const report = await follow({ wakesOnWaiting: true });
    report.release();
    expect([report.output.text, "problem" in report]).toEqual(["one\n", false]);
  });

  const lines = `a${"x".repeat(998)}\n`.repeat(200);
  it("looks through all that is there, also where nothing is waited for", async () => {
    const { write, follow } = followed();
    write(lines);
    const report = await follow({ filter: "^a", timeoutMs: 0 });
    report.release();

    expect(report.output.matches).toBe(200);
    expect(report.output).not.toHaveProperty("isUnfinished");
  });

  it("stops looking when its time is over and a second has passed, and not before both", async () => {
    // A clock that stands still, so that a busy machine changes nothing.
    const startedAt = performance.now();
    for (const [timeoutMs, passedMs, isUnfinished] of [
      [0, 2_000, true],
      [0, 500, undefined],
      [60_000, 2_000, undefined],
    ] as const) {
      const { log, write, follow } = followed();
      write(lines);
      let passed = 0;
      vi.spyOn(performance, "now").mockImplementation(() => startedAt + passed);
      const mask = {
        text: (text: string) => ({ text, count: 0, names: [] }),
        stream: () => ({
          skip: () => undefined,
          // The time passes while the first block is looked at.
          push: (bytes: Uint8Array) => {
            passed = passedMs;
            return bytes;
          },
          finish: () => new Uint8Array(),
        }),
      };
      log.secrets = { mask, isFileMasked: false };
      const report = await follow({ filter: "^a", timeoutMs });
      report.release();
      vi.restoreAllMocks();
      expect([timeoutMs, passedMs, report.output.isUnfinished]).toEqual([timeoutMs, passedMs, isUnfinished]);
    }
  });
});
