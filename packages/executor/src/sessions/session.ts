/**
 * One shell and the calls that want it: who has it, who waits.
 *
 * Calls take turns in the order they came. A call that goes on in the background keeps the shell but no longer the
 * line: those that wait are told to run in a copy. The native session would queue too, but a call that waits there has
 * its deadline running here, so the line is kept on this side.
 */
import { onAbort } from "@pi-bash/contract/abort";
import type { ShellPort } from "../natives-port.ts";

/** How a call may run. `own`: it is the session's. `clone`: in a copy, beside the one that has the session. */
export type Turn = "own" | "clone";

interface Waiter {
  give: (turn: Turn | "retry") => void;
}

export class Session {
  readonly key: string;
  readonly shell: ShellPort;
  /** The state of an earlier session of this key is gone; true until somebody was told. */
  isReset: boolean;
  /** It is closed as soon as nothing of it lives: nobody will use it again. */
  isEphemeral = false;
  /** Not in use any more: broken, evicted or quarantined. */
  isDropped = false;
  #isTaken = false;
  #isPromoted = false;
  #clones = 0;
  #waiters: Waiter[] = [];

  constructor(key: string, shell: ShellPort, isReset: boolean) {
    this.key = key;
    this.shell = shell;
    this.isReset = isReset;
  }

  /** Whether nobody has it, copies it or waits for it. */
  get isIdle(): boolean {
    return !this.#isTaken && this.#clones === 0 && this.#waiters.length === 0;
  }

  /** Takes the session if it is free, else a copy where that may be, else waits; `retry`: it was dropped meanwhile. */
  take(mayClone: boolean, signal: AbortSignal | undefined): Promise<Turn | "retry" | "aborted"> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve("own");
    }
    if (mayClone || this.#isPromoted) {
      this.#clones += 1;
      return Promise.resolve("clone");
    }
    return this.#wait(signal);
  }

  /** Gives a turn back; the next in line gets the session. */
  release(turn: Turn): void {
    if (turn === "clone") {
      this.#clones -= 1;
      return;
    }
    this.#isTaken = false;
    this.#isPromoted = false;
    const next = this.isDropped ? undefined : this.#waiters.shift();
    if (next === undefined) return;
    this.#isTaken = true;
    next.give("own");
  }

  /** The call that has the session goes on in the background: those in line run in copies from now on. */
  promote(): void {
    if (!this.#isTaken) return;
    this.#isPromoted = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#clones += waiters.length;
    for (const waiter of waiters) waiter.give("clone");
  }

  /** Nobody gets it any more; those in line look for a new one, in their order. */
  drop(): void {
    this.isDropped = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.give("retry");
  }

  #wait(signal: AbortSignal | undefined): Promise<Turn | "retry" | "aborted"> {
    return new Promise((resolve) => {
      const release = onAbort(signal, () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        resolve("aborted");
      });
      const waiter: Waiter = {
        give: (turn) => {
          release();
          resolve(turn);
        },
      };
      this.#waiters.push(waiter);
    });
  }
}
