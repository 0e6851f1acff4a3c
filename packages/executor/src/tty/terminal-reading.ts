/**
 * Reads what is new on a task's terminal for one reader: finished lines, the unfinished one while its program waits.
 *
 * Lines are those of the screen, so that nothing of a redrawn one or of a full-screen program is among them. The artifact has
 * every byte; its lines are others, so that no numbers of them are given.
 */
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { LinePlace } from "@pi-bash/terminal";
import type { LogCursor } from "../jobs/job-log.ts";
import { type LogReading, NO_TEXT, type ReadOptions } from "../jobs/log-reader.ts";
import type { TaskTerminal } from "./terminal-port.ts";

/** Where readers are, and which prompt they were given. */
const PLACES = new WeakMap<LogCursor, { place: LinePlace; prompt: number }>();

/** Reads. `commit` of the reading takes the reader's place forward. */
export function readTerminal(terminal: TaskTerminal, cursor: LogCursor, options: ReadOptions): LogReading {
  const known = PLACES.get(cursor);
  const { lines, unfinished, isIncomplete } = terminal.newLines(known?.place);
  const { filter, maxBytes, maxLines } = options;
  const isWaiting = terminal.waiting?.certain === true;
  const all = terminal.isOver && unfinished !== "" ? [...lines, unfinished] : lines;
  const wanted = filter === undefined ? all : all.filter((line) => filter.matches(line) !== filter.isExcluding);
  const shown = isWaiting && !terminal.isOver && filter === undefined ? [...wanted, unfinished] : wanted;
  const whole = shown.map((line) => `${line}\n`).join("");
  const isBlank = shown.every((line) => line === "");
  const bounded = tailBytes(maxLines === undefined ? whole : lastLines(whole, maxLines), maxBytes);
  const text = isBlank ? "" : bounded;
  const { prompt } = terminal;
  const isNewPrompt = isWaiting && prompt !== known?.prompt && filter === undefined;
  const output =
    text === "" && !isIncomplete && filter === undefined
      ? NO_TEXT
      : { text, isIncomplete: isIncomplete || bounded.length < whole.length, ...matchesOf(filter, wanted) };
  return {
    output,
    // A prompt is shown each time and is news once: a wait for another person's answer ends with what comes after it.
    hasNews: wanted.some((line) => line.trim() !== "") || isNewPrompt,
    offset: cursor.offset,
    line: undefined,
    commit: () => {
      const place = terminal.placeNow(known?.place);
      PLACES.set(cursor, { place, prompt: isWaiting ? prompt : (known?.prompt ?? 0) });
    },
  };
}

/** Whether a program waits at a prompt that the reader was not given. */
export function hasNewPrompt(terminal: TaskTerminal | undefined, cursor: LogCursor): boolean {
  if (terminal?.waiting?.certain !== true) return false;
  return terminal.prompt !== PLACES.get(cursor)?.prompt;
}

/** The owner was given the prompt that stands. */
export function noteReported(terminal: TaskTerminal | undefined): void {
  if (terminal?.waiting?.certain === true) terminal.reportedPrompt = terminal.prompt;
}

function matchesOf(filter: unknown, wanted: readonly string[]): { matches?: number } {
  return filter === undefined ? {} : { matches: wanted.length };
}

function lastLines(text: string, count: number): string {
  return text
    .split("\n")
    .slice(-count - 1)
    .join("\n");
}
