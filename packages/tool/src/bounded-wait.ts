/**
 * Waiting with a bound for what another program promised.
 */
import { onAbort } from "@pi-bash/contract/abort";

/** What a wait came to. `late`: it did not settle in time; it may still do so, and nobody listens. */
export type Waited<T> = { kind: "value"; value: T } | { kind: "error"; error: unknown } | { kind: "late" };

/** Waits for `work`, at most `boundMs` milliseconds. Never rejects. */
export async function waitAtMost<T>(work: () => Promise<T>, boundMs: number): Promise<Waited<T>> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<Waited<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "late" }), boundMs);
  });
  try {
    return await Promise.race([settled(work), bound]);
  } finally {
    clearTimeout(timer);
  }
}

/** How work ended, as a value. A throw before the first promise is an end like any other. */
export async function settled<T>(work: () => Promise<T>): Promise<Waited<T>> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    return { kind: "error", error };
  }
}

export interface StopWatch {
  /** Resolves when the deadline has come or the signal is aborted. */
  readonly stopped: Promise<"deadline" | "aborted">;
  end(): void;
}

/** Watches a deadline, in milliseconds from now, and a signal. */
export function watchForStop(timeoutMs: number, signal: AbortSignal | undefined): StopWatch {
  let timer: NodeJS.Timeout | undefined;
  let release = (): void => undefined;
  const stopped = new Promise<"deadline" | "aborted">((resolve) => {
    if (signal?.aborted) resolve("aborted");
    release = onAbort(signal, () => resolve("aborted"));
    timer = setTimeout(() => resolve("deadline"), timeoutMs);
  });
  return {
    stopped,
    end: () => {
      clearTimeout(timer);
      release();
    },
  };
}
