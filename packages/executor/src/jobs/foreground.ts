/**
 * Waits for a command in the foreground, and lets it go on as a job when the wait is over.
 */

import { AUTO_BACKGROUND_MARGIN_MS } from "@pi-bash/contract/internal";
import { onAbort } from "@pi-bash/contract/internal/abort";
import { watchBound } from "@pi-bash/contract/internal/wait";
import type { JobEnd, JobView } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";

/** How long a call waits for its own job. */
export interface ForegroundOptions {
  /** Time in the foreground, in milliseconds; 0 or less: none; infinity: until something else ends it. */
  thresholdMs: number;
  /** Cancels the command while it is in the foreground; a job is not bound to the call that started it. */
  signal?: AbortSignal;
  /** Ends the wait early: someone has something to say to the agent. */
  backgroundNow?: AbortSignal;
}

/** How the wait for a job in the foreground ended: with the job, or because the job goes on in the background. */
export type ForegroundEnd =
  | { kind: "ended"; end: JobEnd }
  /** `tail`: the newest output. */
  | { kind: "backgrounded"; job: JobView; tail: string };

/** Time a call stays in the foreground: the threshold, but never up to its deadline. */
export function foregroundWaitMs(thresholdMs: number, timeoutMs: number): number {
  return Math.max(0, Math.min(thresholdMs, timeoutMs - AUTO_BACKGROUND_MARGIN_MS));
}

/** Waits for `work`. `promote` makes the entry a job; false: it cannot be one, so the wait goes on. */
export async function waitInForeground(
  entry: JobEntry,
  work: Promise<JobEnd | undefined>,
  options: ForegroundOptions,
  promote: () => boolean,
): Promise<ForegroundEnd> {
  const { signal, backgroundNow, thresholdMs } = options;
  if (signal?.aborted) entry.cancel();
  const release = onAbort(signal, () => entry.cancel());
  const watch = watchBound({ timeoutMs: thresholdMs, signal: backgroundNow });
  const isOver = new Promise<"over">((resolve) => {
    // The work itself may ask, at its deadline; it has to know at once whether it may go on.
    entry.promote = () => {
      if (!promote()) return false;
      resolve("over");
      return true;
    };
    void watch.over.then(() => resolve("over"));
  });
  try {
    const first = await Promise.race([work, isOver]);
    // The work may have settled in the same turn as the timer: its end counts then, unless it is a job already.
    if (entry.isJob || (first === "over" && entry.isRunning && !entry.isCancelled && promote())) {
      work.catch(() => undefined);
      return { kind: "backgrounded", job: entry.view, tail: entry.tail };
    }
    const end = await work;
    return { kind: "ended", end: end ?? { text: entry.text } };
  } finally {
    entry.promote = undefined;
    watch.end();
    release();
  }
}
