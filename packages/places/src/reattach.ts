/**
 * Tries to connect again until that works, cannot work any more, or the time is over: one try at a time, each later than the
 * one before, so that a host that is down is not hammered.
 */
import { setTimeout as pause } from "node:timers/promises";

/** Longest time from the cut to the first try, in milliseconds: hosts that were cut together do not come back together. */
const FIRST_DELAY_MS = 100;
/** Times between tries, in milliseconds: each twice the one before, up to the second. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export interface ReattachOptions<T> {
  /** Time for all tries together, in milliseconds. One that was begun in it is let end. */
  readonly keepMs: number;
  /** Connects. Rejects where that did not work. */
  attempt(): Promise<T>;
  /** Whether no later try can work. */
  isFinal(error: unknown): boolean;
  /** Gives it up. */
  readonly signal: AbortSignal;
  /** Tries before these that came to nothing: the first one waits for as long as one after so many. Default 0. */
  readonly failures?: number;
}

/** What came of it. */
export type Reattached<T> =
  | { readonly kind: "back"; readonly value: T }
  /** A later try cannot work. */
  | { readonly kind: "refused"; readonly error: unknown }
  | { readonly kind: "late"; readonly error: unknown }
  | { readonly kind: "given up" };

/** Never rejects. */
export async function reattach<T>(options: ReattachOptions<T>): Promise<Reattached<T>> {
  const { keepMs, attempt, isFinal, signal, failures = 0 } = options;
  const giveUpAt = performance.now() + keepMs;
  let delayMs = failures === 0 ? FIRST_DELAY_MS * Math.random() : backoffMs(failures - 1);
  for (let count = failures; ; count += 1) {
    if (!(await waited(delayMs, signal))) return { kind: "given up" };
    try {
      return { kind: "back", value: await attempt() };
    } catch (error) {
      if (signal.aborted) return { kind: "given up" };
      if (isFinal(error)) return { kind: "refused", error };
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) return { kind: "late", error };
      // There is a last try when the time is over.
      delayMs = Math.min(leftMs, backoffMs(count));
    }
  }
}

/** Time to the next try after so many others: between half and the whole of what it may be. */
function backoffMs(count: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** count, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
}

/** False: it was given up meanwhile. The host's event loop is not kept alive. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, true, { signal, ref: false }).catch(() => false);
}
