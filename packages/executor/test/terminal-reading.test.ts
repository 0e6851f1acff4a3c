/** What one reader is given of a task's terminal: lines once, a prompt while its program waits, all within bounds. */
import { describe, expect, it } from "vitest";
import type { LogCursor } from "../src/jobs/job-log.ts";
import { logFilter, type ReadOptions } from "../src/jobs/log-reader.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { hasNewPrompt, noteReported, readTerminal } from "../src/tty/terminal-reading.ts";

/** A terminal with finished lines and an unfinished one; places are counts of lines. */
function terminalOf(lines: string[], unfinished = "", more: Partial<TaskTerminal> = {}) {
  const certain = { kind: "line", program: "bash", since_ms: 300, certain: true } as TaskTerminal["waiting"];
  const terminal = {
    isOver: false,
    prompt: 1,
    reportedPrompt: 0,
    waiting: unfinished === "" ? undefined : certain,
    newLines: (place: unknown) => ({ lines: lines.slice(Number(place ?? 0)), unfinished, isIncomplete: false }),
    placeNow: () => lines.length,
    ...more,
  };
  return terminal as unknown as TaskTerminal & { waiting: unknown; prompt: number };
}

const cursor = () => ({ offset: 0 }) as unknown as LogCursor;
const options = (more: Partial<ReadOptions> = {}) =>
  ({ maxBytes: 1_000, maxLines: undefined, filter: undefined, isLate: () => false, ...more }) as ReadOptions;

describe("a reader of a terminal", () => {
  it("misses nothing where only blank lines match", () => {
    const { output } = readTerminal(terminalOf(["a", "", ""]), cursor(), options({ filter: logFilter("^$", false) }));
    expect(output).toEqual({ text: "", isIncomplete: false, matches: 2 });
  });

  it("is given lines again until they count as given out, and then what comes after them", () => {
    const lines = ["one", "two"];
    const [terminal, place] = [terminalOf(lines), cursor()];
    readTerminal(terminal, place, options());
    const again = readTerminal(terminal, place, options());
    expect(again).toMatchObject({ output: { text: "one\ntwo\n", isIncomplete: false }, hasNews: true });
    again.commit?.();
    lines.push("three");

    expect(readTerminal(terminal, place, options()).output.text).toBe("three\n");
    expect(readTerminal(terminal, cursor(), options()).output.text).toBe("one\ntwo\nthree\n");
  });

  it.each<[string, Partial<ReadOptions>, string, boolean]>([
    ["its last lines", { maxLines: 2 }, "b2\na3\n", true],
    ["all where more are allowed", { maxLines: 3 }, "a1\nb2\na3\n", false],
    ["the end within bytes", { maxBytes: 3 }, "a3\n", true],
    ["lines that match", { filter: logFilter("^a", false) }, "a1\na3\n", false],
    ["lines that do not match", { filter: logFilter("^a", true) }, "b2\n", false],
    ["the last line that matches", { filter: logFilter("^a", false), maxLines: 1 }, "a3\n", true],
  ])("is given %s", (_, more, text, isIncomplete) => {
    const { output } = readTerminal(terminalOf(["a1", "b2", "a3"]), cursor(), options(more));

    expect(output).toMatchObject({ text, isIncomplete });
    const matches = { "a1\na3\n": 2, "b2\n": 1, "a3\n": 2 }[text];
    expect(output.matches).toBe(more.filter === undefined ? undefined : matches);
  });

  it("is shown a prompt each time, as news once", () => {
    const [terminal, place] = [terminalOf([], "Name: "), cursor()];
    expect(hasNewPrompt(terminal, place)).toBe(true);
    const first = readTerminal(terminal, place, options());
    expect([first.output.text, first.hasNews]).toEqual(["Name: \n", true]);
    first.commit?.();

    const second = readTerminal(terminal, place, options());
    expect([second.output.text, second.hasNews, hasNewPrompt(terminal, place)]).toEqual(["Name: \n", false, false]);
    const next = { ...terminal, prompt: 2 };
    expect([readTerminal(next, place, options()).hasNews, hasNewPrompt(next, place)]).toEqual([true, true]);
    const filtered = readTerminal(next, place, options({ filter: logFilter("Name", false) }));
    expect([filtered.output.text, filtered.hasNews]).toEqual(["", false]);
  });

  it("is given an unfinished line at the end, and none while its program runs", () => {
    const running = terminalOf(["one"], "tw", { waiting: undefined });
    expect(readTerminal(running, cursor(), options()).output.text).toBe("one\n");
    const over = terminalOf(["one"], "tw", { isOver: true, waiting: undefined });
    expect(readTerminal(over, cursor(), options()).output.text).toBe("one\ntw\n");
  });

  it("has no news of blank lines", () => {
    const { output, hasNews } = readTerminal(terminalOf(["", " "]), cursor(), options());
    expect([output.text, hasNews]).toEqual(["\n \n", false]);
    expect(readTerminal(terminalOf(["", ""]), cursor(), options()).output.text).toBe("");
  });
});

it("a prompt is news only where a program certainly waits, and is noted as reported only then", () => {
  const maybe = terminalOf([], "", { prompt: 3, waiting: { certain: false } as never });
  const waits = terminalOf([], "Name: ", { prompt: 3 });
  for (const terminal of [maybe, waits]) noteReported(terminal);

  expect([maybe.reportedPrompt, waits.reportedPrompt]).toEqual([0, 3]);
  expect([maybe, waits, undefined].map((terminal) => hasNewPrompt(terminal, cursor()))).toEqual([false, true, false]);
  expect(() => noteReported(undefined)).not.toThrow();
});
