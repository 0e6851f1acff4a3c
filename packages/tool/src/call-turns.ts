/**
 * Lets calls go one after another, in the order they came.
 *
 * The executor's sessions have a line of their own. This one is before everything a call does, for what has to be read
 * off the session when the call begins and not when it came: the folder that the one before has left it in.
 */
import { onAbort } from "@pi-bash/contract/abort";
import { ToolAbortError } from "./tool-error.ts";

/** A line of calls. */
export class CallTurns {
  /** Settles when the call that came last is over. */
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn; call what it gives when the call is over. Throws `ToolAbortError` when `signal` comes first. */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    const before = this.#last;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last = Promise.all([before, over]).then(() => undefined);
    let release = (): void => undefined;
    const aborted = new Promise<"aborted">((resolve) => {
      release = onAbort(signal, () => resolve("aborted"));
    });
    const first = await Promise.race([before, aborted]);
    release();
    if (first !== "aborted" && signal?.aborted !== true) return end;
    end();
    throw new ToolAbortError();
  }
}
