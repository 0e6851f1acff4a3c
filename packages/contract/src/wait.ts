/**
 * Waits with a bound, in time or by a signal, for work that goes on by itself: the one place where a promise is raced with
 * a timer. No schema lives here, and nothing is loaded.
 *
 * Every wait here leaves no timer and no listener behind, however it ends, and one on a signal adds no listener of its own
 * to it (see `abort.ts`).
 */
import { MAX_TIMER_MS, onAbort } from "./abort.ts";

export { MAX_TIMER_MS };

/** What may end a wait before the work does. */
export interface WaitBound {
  /** Most time, in milliseconds; more than a timer takes (`MAX_TIMER_MS`) is that, 0 or less is at once. Default: any. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The timer does not keep the process alive. Default false. */
  readonly isBackground?: boolean;
}

/** Why a wait was over before its work. */
export type WaitEnd = "deadline" | "aborted";

/** What a wait came to. At a `deadline` or when `aborted` the work goes on, and its end has no reader. */
export type Waited<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "error"; readonly error: unknown }
  | { readonly kind: WaitEnd };

/** A bound that several waits have in common. Call `end` when they are over. */
export interface WaitWatch {
  /** Resolves when the bound is reached, and never otherwise. */
  readonly over: Promise<WaitEnd>;
  /** Takes timer and listener back. */
  end(): void;
}

/** Watches a bound, from now. A signal that is aborted already counts before any time. */
export function watchBound({ timeoutMs, signal, isBackground = false }: WaitBound): WaitWatch {
  let timer: NodeJS.Timeout | undefined;
  let release = (): void => undefined;
  const over = new Promise<WaitEnd>((resolve) => {
    if (signal?.aborted === true) resolve("aborted");
    else if (timeoutMs !== undefined && timeoutMs <= 0) resolve("deadline");
    else {
      release = onAbort(signal, () => resolve("aborted"));
      if (timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY) return;
      timer = setTimeout(() => resolve("deadline"), Math.min(timeoutMs, MAX_TIMER_MS));
      if (isBackground) timer.unref();
    }
  });
  return {
    over,
    end: () => {
      clearTimeout(timer);
      release();
    },
  };
}

/** Waits for `work` within a bound. Never rejects. Work that has settled already counts before any bound. */
export async function waitWithin<T>(work: Promise<T>, bound: WaitBound): Promise<Waited<T>> {
  const watch = watchBound(bound);
  try {
    return await new Promise((resolve) => {
      work.then(
        (value) => resolve({ kind: "value", value }),
        (error: unknown) => resolve({ kind: "error", error }),
      );
      void watch.over.then((kind) => resolve({ kind }));
    });
  } finally {
    watch.end();
  }
}

/** Waits for `work`, at most `timeoutMs` milliseconds. Never rejects, also where `work` throws before its first promise. */
export async function waitAtMost<T>(work: () => PromiseLike<T> | T, timeoutMs: number): Promise<Waited<T>> {
  let begun: Promise<T>;
  try {
    begun = Promise.resolve(work());
  } catch (error) {
    return { kind: "error", error };
  }
  return waitWithin(begun, { timeoutMs });
}

/**
 * Waits for something whose failure does not matter, at most `timeoutMs` milliseconds. Whether it ended in time. A wait in
 * the `background` does not keep the process alive.
 */
export async function settlesWithin(
  work: Promise<unknown>,
  timeoutMs: number,
  place: "foreground" | "background" = "foreground",
): Promise<boolean> {
  const { kind } = await waitWithin(work, { timeoutMs, isBackground: place === "background" });
  return kind === "value" || kind === "error";
}

/** Waits for `work` unless `signal` is aborted first. Rejects as the work does. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | "aborted"> {
  if (signal === undefined) return work;
  const waited = await waitWithin(work, { signal });
  if (waited.kind === "error") throw waited.error;
  return waited.kind === "value" ? waited.value : "aborted";
}

/** How work ended, as a value. A throw before the first promise is an end like any other. */
export async function settled<T>(
  work: () => Promise<T>,
): Promise<{ kind: "value"; value: T } | { kind: "error"; error: unknown }> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    return { kind: "error", error };
  }
}
