/**
 * Waiting for abort signals: one listener on a signal, however many wait for it, and a signal with a deadline. No schema lives here, and nothing is loaded: the packages
 * that run commands import this entry by itself.
 *
 * An agent gives one signal to all calls of a turn. Each call waits for it in several places, and from the eleventh
 * listener on Node prints a MaxListenersExceededWarning into the agent's terminal
 * (https://nodejs.org/api/events.html#eventssetmaxlistenersn-eventtargets). The limit is the caller's own way to find
 * leaks, so it is not raised.
 */

type Entry = { readonly listener: () => void };

interface Waiting {
  readonly entries: Set<Entry>;
  readonly dispatch: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `listener` once when `signal` is aborted, in the order of the calls. A signal that is aborted already calls
 * no one: look at `signal.aborted` first, as with `addEventListener`. Returns what takes the listener back.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  const waiting = waitingFor.get(signal) ?? watch(signal);
  const entry: Entry = { listener };
  waiting.entries.add(entry);
  return () => {
    waiting.entries.delete(entry);
    if (waiting.entries.size > 0 || waitingFor.get(signal) !== waiting) return;
    waitingFor.delete(signal);
    signal.removeEventListener("abort", waiting.dispatch);
  };
}

/** Whether a value is an `AbortSignal`, of this realm or another's, or of a library. What its getters throw counts as no. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== "object" || value === null) return false;
  try {
    const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
    return (
      typeof aborted === "boolean" &&
      typeof addEventListener === "function" &&
      typeof removeEventListener === "function"
    );
  } catch {
    return false;
  }
}

/** A signal of a wait, and what ends its timer. */
export interface DeadlineSignal {
  /** Aborted when the time is over, with a `TimeoutError` as its reason, or when one of the others is, with theirs. */
  readonly signal: AbortSignal;
  /** Ends the timer and takes the listeners back. The signal stays as it is. */
  end(): void;
}

/** Longest time that a timer of Node takes, in milliseconds: 24.8 days. A longer one would be over at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that is aborted after `timeoutMs` (undefined: never), or with one of `signals`. Call `end` when the wait is over.
 *
 * In place of `AbortSignal.any([…, AbortSignal.timeout(ms)])`: in Node 20 nothing holds that timeout, a garbage collection
 * takes it, and the wait has no end (https://github.com/nodejs/node/issues/57736).
 */
export function withDeadline(timeoutMs: number | undefined, signals: readonly AbortSignal[]): DeadlineSignal {
  const over = new AbortController();
  const tell = (): void => over.abort(new DOMException("the time is over", "TimeoutError"));
  const timer = timeoutMs === undefined ? undefined : setTimeout(tell, Math.min(timeoutMs, MAX_TIMER_MS));
  const releases = signals.map((signal) => {
    if (signal.aborted) over.abort(signal.reason);
    return onAbort(signal, () => over.abort(signal.reason));
  });
  return {
    signal: over.signal,
    end: () => {
      clearTimeout(timer);
      for (const release of releases) release();
    },
  };
}

function watch(signal: AbortSignal): Waiting {
  const entries = new Set<Entry>();
  const dispatch = (): void => {
    waitingFor.delete(signal);
    for (const entry of entries) callOut(entry.listener);
    entries.clear();
  };
  const waiting = { entries, dispatch };
  // First: what takes no listener is not watched.
  signal.addEventListener("abort", dispatch, { once: true });
  waitingFor.set(signal, waiting);
  return waiting;
}

/** One that throws keeps anyone else from being notified; what it threw is uncaught, as with an event target. */
function callOut(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
