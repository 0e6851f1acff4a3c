/**
 * What happens when a command reaches its deadline, where its caller wants to be asked.
 *
 * The core ends a command at the timeout it was given. A caller that may rather let it go on gives the core the longest
 * life instead, and the deadline is watched here: the answer `kill` ends the command as a timeout does, `background`
 * changes nothing in the command, so that not a byte of its output is lost.
 */
import { MAX_TIMER_MS, onAbort } from "@pi-bash/contract/internal/abort";

/** What is done at the deadline. */
export type TimeoutDecision = "kill" | "background";

export interface DeadlineOptions {
  /** Milliseconds from now: the session is the command's, which is to run it. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Asked once. One that throws means `kill`. Absent: the core ends the command by itself. */
  onTimeout?: (() => TimeoutDecision) | undefined;
  /** Milliseconds from the command's start after which no one is asked. Default: 24.8 days. */
  lifetimeMs?: number | undefined;
}

export interface Deadline {
  /** For the core. */
  readonly timeoutMs: number;
  /** For the core. */
  readonly signal: AbortSignal | undefined;
  /** The command was ended because of it. */
  readonly hasKilled: boolean;
  /** The command has ended. */
  end(): void;
}

/** Watches a deadline, from now. */
export function watchDeadline(options: DeadlineOptions): Deadline {
  const { timeoutMs, signal, onTimeout } = options;
  if (onTimeout === undefined) return { timeoutMs, signal, hasKilled: false, end: () => undefined };
  const stop = new AbortController();
  let hasKilled = false;
  const stopToo = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) stopToo();
  const release = onAbort(signal, stopToo);
  const timer = setTimeout(() => {
    if (stop.signal.aborted || decide(onTimeout) === "background") return;
    hasKilled = true;
    stop.abort();
  }, timeoutMs);
  return {
    timeoutMs: Math.min(Math.max(options.lifetimeMs ?? MAX_TIMER_MS, timeoutMs), MAX_TIMER_MS),
    signal: stop.signal,
    get hasKilled() {
      return hasKilled;
    },
    end: () => {
      clearTimeout(timer);
      release();
    },
  };
}

function decide(onTimeout: () => TimeoutDecision): TimeoutDecision {
  try {
    return onTimeout() === "background" ? "background" : "kill";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`a timeout callback failed, so its command was ended: ${reason}`, {
      code: "PI_LISTENER_FAILED",
    });
    return "kill";
  }
}
