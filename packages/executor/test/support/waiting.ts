/**
 * What tests of this package share: waiting for a condition with a bound, and promises that the test settles.
 */
import { until as untilTrue } from "../../../../test/support/patience.ts";

/** Longest wait for something that takes a moment on an idle machine. */
const PATIENCE_MS = 20_000;

/** Waits until `holds` is true; fails with `what` when it does not become so. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await untilTrue(what, holds, PATIENCE_MS);
}

/** A promise and its ends. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

/** A promise that the test settles. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
