/**
 * Waits for a native run, but never longer than its deadline plus the grace.
 *
 * The core promises to settle by then on its own. This is the second line: a promise that never settles (a bug, a
 * stuck kernel call) must not hold an agent, so every wait is raced with a timer of ours and with the abort signal.
 */

import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { MAX_TIMER_MS, onAbort } from "@pi-bash/contract/internal/abort";

/** A timer that fires this much late means that the host itself stood still (stopped, suspended). */
const HOST_STALL_MS = 1_000;
/** Time a run gets to report after such a stall: its result may be there already (CC-11). */
const STALL_EXTENSION_MS = 1_000;

/** How the wait ended. */
export type Watched<T> =
  | { kind: "settled"; value: T }
  | { kind: "failed"; error: unknown }
  | { kind: "unresponsive"; reason: "deadline" | "cancelled" };

export interface WatchOptions {
  /** Deadline of the run, in milliseconds from now. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Time past the deadline, or past the abort, until we stop waiting. Default `HARD_TIMEOUT_GRACE_MS`. */
  graceMs?: number;
  /** Added to the grace of the deadline, and not to that of an abort: time that the run's place may be away. Default 0. */
  awayMs?: number | undefined;
}

/** Waits for `run`. Never rejects; leaves no timer and no listener behind. */
export function watchRun<T>(run: Promise<T>, options: WatchOptions): Promise<Watched<T>> {
  const graceMs = options.graceMs ?? HARD_TIMEOUT_GRACE_MS;
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (outcome: Watched<T>): void => {
      clearTimeout(timer);
      release();
      resolve(outcome);
    };
    const arm = (delayMs: number, reason: "deadline" | "cancelled", isExtension = false): void => {
      clearTimeout(timer);
      const delay = Math.min(delayMs, MAX_TIMER_MS);
      const due = performance.now() + delay;
      timer = setTimeout(() => {
        const stalled = performance.now() - due > HOST_STALL_MS;
        if (stalled && !isExtension) arm(STALL_EXTENSION_MS, reason, true);
        else finish({ kind: "unresponsive", reason });
      }, delay);
    };
    if (options.signal?.aborted) arm(graceMs, "cancelled");
    else arm(options.timeoutMs + graceMs + (options.awayMs ?? 0), "deadline");
    const release = onAbort(options.signal, () => arm(graceMs, "cancelled"));
    run.then(
      (value) => finish({ kind: "settled", value }),
      (error: unknown) => finish({ kind: "failed", error }),
    );
  });
}
