/**
 * Lets calls go in the order they came: those that change something one after another, those that only read together.
 *
 * The executor's sessions have a line of their own. This one is before everything a call does, so that a call begins when
 * what came before it is over: it reads off the session where that has left it, and its files are there.
 */
import { unlessAborted } from "@pi-bash/contract/internal/wait";

/** What a call does, as far as others are concerned. */
export type CallKind = "reads" | "changes";

/** A line of calls. */
export class CallTurns {
  /** Settles when every call up to now is over. */
  #all: Promise<unknown> = Promise.resolve();
  /** Settles when every call up to now is over that changes something. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Makes the call when it is its turn, or when `signal` is aborted: it says so itself then. */
  async run<T>(kind: CallKind, signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const before = kind === "reads" ? this.#changes : this.#all;
    const run = unlessAborted(before, signal).then(call);
    const over = run.catch(() => undefined);
    this.#all = Promise.all([this.#all, over]);
    if (kind === "changes") this.#changes = this.#all;
    return run;
  }
}
