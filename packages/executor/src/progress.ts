/**
 * A command as a stream of looks at it, for a screen: the newest lines, how much there is, and at the end the result.
 *
 * The stream is woken by output, never by a clock: a silent command yields nothing. A reader that is slower than the
 * command gets the newest look and misses older ones, so nothing piles up. Leaving the loop ends the command.
 */
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { type CommandResult, countLines } from "./command-result.ts";
import type { ExecuteBashOptions } from "./command-run.ts";
import type { Executor } from "./executor.ts";

/** Lines of `output` in a look. */
export const PROGRESS_LINES = 5;

/** One look at a command that runs. */
export interface BashProgress {
  type: "progress";
  /** The last lines, at most `PROGRESS_LINES`. */
  output: string;
  /** The window of the output as it stands: all of it, or its end. */
  fullOutput: string;
  /** Lines so far; a last one without a newline counts. */
  totalLines: number;
  /** Bytes so far. */
  totalBytes: number;
  /** `fullOutput` is not all of it. */
  isIncomplete: boolean;
  /** Since the call. */
  elapsedTimeSeconds: number;
}

/** What became of the command. */
export interface BashProgressEnd {
  /** Absent where it was stopped. */
  code: number | undefined;
  /** Standard output and error together, as far as it is kept; with what the executor says about it. */
  stdout: string;
  /** It was ended before it ended itself. */
  interrupted: boolean;
  result: CommandResult;
}

/** Runs a command and yields looks at it. Rejects where it was never started. */
export async function* runWithProgress(
  executor: Pick<Executor, "executeBash">,
  command: string,
  options: ExecuteBashOptions = {},
): AsyncGenerator<BashProgress, BashProgressEnd, void> {
  const startedAt = performance.now();
  const left = new AbortController();
  const { signal, window: { maxBytes = DEFAULT_MAX_BYTES } = {} } = options;
  const news = new Latest<Look>();
  const run = executor.executeBash(command, {
    ...options,
    signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
    onUpdate: (tail, totals) => {
      options.onUpdate?.(tail, totals);
      news.set({ tail, totals });
    },
  });
  const ended = run.then(
    () => undefined,
    () => undefined,
  );
  try {
    for (;;) {
      const look = await Promise.race([news.next(), ended]);
      if (look === undefined) break;
      yield progressOf(look, maxBytes, performance.now() - startedAt);
    }
    const result = await run;
    return { code: result.exitCode, stdout: result.output, interrupted: result.cancelled, result };
  } finally {
    // The reader may have left in the middle.
    left.abort();
    await ended;
  }
}

interface Look {
  tail: string;
  totals: { bytes: number; lines: number };
}

function progressOf({ tail, totals }: Look, maxBytes: number, elapsedMs: number): BashProgress {
  const lines = tail.split("\n");
  const last = tail.endsWith("\n") ? lines.slice(-PROGRESS_LINES - 1) : lines.slice(-PROGRESS_LINES);
  return {
    type: "progress",
    output: last.join("\n"),
    fullOutput: tail,
    totalLines: totals.lines,
    totalBytes: totals.bytes,
    isIncomplete: totals.bytes > maxBytes || countLines(tail) < totals.lines,
    elapsedTimeSeconds: elapsedMs / 1_000,
  };
}

/** The newest value that no one has taken. */
class Latest<T> {
  #value: T | undefined;
  #wake: (() => void) | undefined;

  set(value: T): void {
    this.#value = value;
    this.#wake?.();
  }

  /** Takes it, or waits for it. One taker at a time. */
  async next(): Promise<T | undefined> {
    if (this.#value === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#value;
    this.#value = undefined;
    return value;
  }
}
