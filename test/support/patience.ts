/**
 * Waiting with a bound: for a condition, and for a promise. Nothing here waits a fixed time.
 */

/**
 * Default bound in milliseconds. The cases ask for one to four seconds on an idle machine; commands that must be stopped
 * run for minutes, so that this bound still tells a stop from an end.
 */
export const PATIENCE_MS = 15_000;

/** Time between two looks at a condition, in milliseconds. */
const LOOK_MS = 20;

/** Waits until `condition` holds; throws with `what` when it never does. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  ms: number = PATIENCE_MS,
): Promise<void> {
  const giveUp = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > giveUp) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await pause(LOOK_MS);
  }
}

/** What `promise` resolves to; throws with `what` when it does not settle in time. */
export async function within<T>(what: string, promise: Promise<T>, ms: number = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not settled after ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, bound]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets `ms` milliseconds pass: for moments of an abort, never for a condition. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
