/**
 * Follows one job for one reader: waits for new output or the end, and gives out each line once.
 *
 * Nothing is taken while waiting. What was read counts as given out when the caller says so (`commit`): a call that is
 * aborted while it waits for other jobs loses nothing of this one. Waiting is woken by the job, never by a clock.
 */
import { tailBytes } from "@pi-bash/contract/internal/text";
import { type WaitWatch, watchBound } from "@pi-bash/contract/internal/wait";
import { hasNewPrompt, noteReported, readTerminal } from "../tty/terminal-reading.ts";
import type { JobView } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";
import type { LogCursor } from "./job-log.ts";
import { type LogFilter, type LogReading, type LogText, logFilter, NO_TEXT, readNewLines } from "./log-reader.ts";

/** Time a filter gets to look at what is there, also where nothing is waited for, in milliseconds. */
const MIN_SCAN_MS = 1_000;

/** Who reads of a job's output, how long and which lines. */
export interface FollowOptions {
  /** Who reads; each reader has its own place in the output. */
  reader: string;
  /** Only lines that match this RE2 expression. */
  filter?: string;
  /** Only lines that do not match it. */
  filterExclude?: boolean;
  /** Most time to wait, in milliseconds; 0: not at all. */
  timeoutMs: number;
  /** Ends the wait early; what there is by then is given. */
  stop?: AbortSignal;
  /** Whether new output ends the wait; otherwise only the end of the job does. */
  wakesOnOutput: boolean;
  /** A program that waits for input ends the wait, also where the reader knows it. Default: only a new prompt does. */
  wakesOnWaiting?: boolean;
  /** Most bytes of text. */
  maxBytes: number;
  /** Most lines of text. Absent: any number within the bytes. */
  maxLines?: number;
}

/** What a reader is given. */
export interface FollowReport {
  job: JobView;
  output: LogText;
  /** Text of the ended job, its beginning may be left out; as often as wanted. */
  text?: string;
  /** Why the output could not be read from its file. */
  problem?: string;
  /** It reached whoever asked: the lines and the result count as given out. */
  commit(): void;
  /** It did not: the next call gets the same. One of the two has to be called. */
  release(): void;
}

export interface FollowPort {
  /** The result was taken. */
  taken(entry: JobEntry): void;
  /** No one waits for it here any more. */
  released(entry: JobEntry): void;
}

/** Waits, and reads. Throws `ArtifactError` for a filter that is none. */
export async function followJob(entry: JobEntry, options: FollowOptions, port: FollowPort): Promise<FollowReport> {
  const { reader, filter, filterExclude = false } = options;
  const lines = filter === undefined ? undefined : logFilter(filter, filterExclude);
  const cursor = entry.log.cursor(JSON.stringify([reader, filter ?? null, filterExclude]));
  const wait = new Wait(entry, options);
  const soonest = performance.now() + MIN_SCAN_MS;
  entry.watch();
  const unattend = entry.log.terminal?.attend();
  let isHeld = false;
  const leave = (): void => {
    if (isHeld) cursor.free();
    isHeld = false;
    wait.end();
    entry.unwatch();
    unattend?.();
    port.released(entry);
  };
  try {
    isHeld = await cursor.hold(wait.isOver);
    const found = isHeld
      ? await readWhenReady(entry, {
          cursor,
          filter: lines,
          wait,
          options,
          isLate: () => wait.hasEnded && performance.now() > soonest,
        })
      : { output: NO_TEXT, job: entry.view };
    return toReport(entry, found, { cursor, leave, port, isOwner: reader === (entry.view.owner ?? "") });
  } catch (error) {
    leave();
    throw error;
  }
}

interface Found {
  /** The job before its output was read: an end that comes later is reported by the next call, with what came before it. */
  job: JobView;
  output: LogText;
  reading?: LogReading;
  problem?: string;
}

interface Follower {
  cursor: LogCursor;
  filter: LogFilter | undefined;
  wait: Wait;
  options: FollowOptions;
  isLate: () => boolean;
}

async function readWhenReady(entry: JobEntry, follower: Follower): Promise<Found> {
  const { wait, options } = follower;
  if (!options.wakesOnOutput) await untilEndOrPrompt(entry, follower);
  for (;;) {
    const news = wait.news();
    const job = entry.view;
    const isLast = wait.hasEnded || !entry.isRunning;
    const found = await read(entry, follower);
    if (isLast || found.reading?.hasNews === true) return { ...found, job };
    // Lines that a filter passes over are not looked at again.
    if (found.reading !== undefined && found.output.text === "") {
      follower.cursor.offset = found.reading.offset;
      if (options.filter !== undefined) found.reading.commit?.();
    }
    await news;
  }
}

/** A program that waits for input will not end: whoever waits for its end has to know, once a prompt. */
async function untilEndOrPrompt(entry: JobEntry, { wait, cursor }: Follower): Promise<void> {
  while (entry.isRunning && !wait.hasEnded && !hasNewPrompt(entry.log.terminal, cursor)) await wait.news();
}

async function read(entry: JobEntry, { cursor, filter, options, isLate }: Follower): Promise<Omit<Found, "job">> {
  const { maxBytes, maxLines } = options;
  try {
    if (entry.log.terminal !== undefined) {
      const reading = readTerminal(entry.log.terminal, cursor, { maxBytes, maxLines, filter, isLate });
      const isStuck = options.wakesOnWaiting === true && entry.log.terminal.waiting?.certain === true;
      return { output: reading.output, reading: isStuck ? { ...reading, hasNews: true } : reading };
    }
    if (entry.log.path === undefined) return fromTail(entry, cursor, { filter, maxBytes, maxLines });
    const reading = await readNewLines(entry.log, cursor, { maxBytes, maxLines, filter, isLate });
    return { output: reading.output, reading };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...fromTail(entry, cursor, { filter, maxBytes, maxLines }), problem };
  }
}

/** Without a file there is the newest tail: what is new of it, and whole lines while more may come. */
function fromTail(
  entry: JobEntry,
  cursor: LogCursor,
  { filter, maxBytes, maxLines }: { filter: LogFilter | undefined; maxBytes: number; maxLines: number | undefined },
): Omit<Found, "job"> {
  const { totals, isOver } = entry.log;
  const newBytes = totals.bytes - cursor.offset;
  const tail = tailBytes(entry.tail, Math.max(0, newBytes));
  const whole = isOver ? tail : tail.slice(0, tail.lastIndexOf("\n") + 1);
  if (newBytes <= 0 || whole === "") return { output: NO_TEXT };
  const wanted = filter === undefined ? whole : filtered(whole, filter);
  const text = keepLines(tailBytes(wanted, maxBytes), maxLines);
  const offset = totals.bytes - Buffer.byteLength(tail) + Buffer.byteLength(whole);
  const isIncomplete = text.length < wanted.length || Buffer.byteLength(tail) < newBytes;
  return {
    output: { text, isIncomplete },
    reading: { output: NO_TEXT, hasNews: text !== "", offset, line: undefined },
  };
}

/** The last whole lines of a text that ends with one. */
function keepLines(text: string, maxLines: number | undefined): string {
  return maxLines === undefined
    ? text
    : text
        .split("\n")
        .slice(-maxLines - 1)
        .join("\n");
}

function filtered(text: string, { matches, isExcluding }: LogFilter): string {
  const lines = text.split("\n").filter((line) => line !== "" && matches(line) !== isExcluding);
  return lines.map((line) => `${line}\n`).join("");
}

interface Giving {
  /** The reader is the job's owner: what it reads need not be delivered. */
  isOwner: boolean;
  cursor: LogCursor;
  leave: () => void;
  port: FollowPort;
}

function toReport(entry: JobEntry, found: Found, { cursor, leave, port, isOwner }: Giving): FollowReport {
  const { job, output, reading, problem } = found;
  let isGiven = false;
  const once = (give: () => void): void => {
    if (isGiven) return;
    isGiven = true;
    give();
    leave();
  };
  const hasEnded = job.endedAtMs !== undefined;
  return {
    job,
    output,
    ...(hasEnded ? { text: entry.text } : {}),
    ...(problem === undefined ? {} : { problem }),
    commit: () =>
      once(() => {
        if (reading !== undefined) Object.assign(cursor, { offset: reading.offset, line: reading.line, barren: 0 });
        reading?.commit?.();
        if (isOwner) noteReported(entry.log.terminal);
        if (hasEnded) port.taken(entry);
      }),
    release: () => once(() => undefined),
  };
}

/** Waiting for a job within a time. */
class Wait {
  /** Resolves when there is no more time, or no one wants to wait. */
  readonly isOver: Promise<void>;
  hasEnded = false;
  readonly #entry: JobEntry;
  readonly #watch: WaitWatch;
  #finish: () => void = () => undefined;

  constructor(entry: JobEntry, { timeoutMs, stop }: FollowOptions) {
    this.#entry = entry;
    this.isOver = new Promise((resolve) => {
      this.#finish = () => {
        this.hasEnded = true;
        resolve();
      };
    });
    if (timeoutMs <= 0 || stop?.aborted === true) this.#finish();
    this.#watch = watchBound({ timeoutMs, signal: stop });
    void this.#watch.over.then(this.#finish);
  }

  /** Resolves at the next news of the job's output, at its end, or when the time is over. */
  news(): Promise<unknown> {
    let off = (): unknown => undefined;
    const grown = new Promise<void>((resolve) => {
      off = this.#entry.log.onNews(resolve);
    });
    return Promise.race([grown, this.#entry.whenEnded(), this.isOver]).finally(() => off());
  }

  end(): void {
    this.#watch.end();
    this.#finish();
  }
}
