/**
 * A listener of the host, as far as it can be trusted: it may throw, or return a promise that rejects, and neither may
 * reach the command or end the process as an unhandled rejection.
 */

/**
 * Calls `listener` until it fails for the first time, which goes to `onFailure`. Without one, does nothing. Where the
 * listener returned a promise, so does the call: it resolves when the listener's is settled and never rejects.
 */
export function guardListener<Args extends unknown[]>(
  listener: ((...args: Args) => unknown) | undefined,
  onFailure: (error: unknown) => void,
): (...args: Args) => Promise<void> | undefined {
  let current = listener;
  const fail = (error: unknown): void => {
    if (current === undefined) return;
    current = undefined;
    onFailure(error);
  };
  return (...args) => {
    try {
      const returned = current?.(...args);
      if (isThenable(returned)) return Promise.resolve(returned).then(() => undefined, fail);
    } catch (error) {
      fail(error);
    }
    return undefined;
  };
}

/** Tells the host of its mistake. `what` is what the listener was to be given. */
export function warnAboutListener(what: string): (error: unknown) => void {
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`a listener of ${what} failed and is called no more: ${reason}`, {
      code: "PI_LISTENER_FAILED",
    });
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
