/**
 * One shell and the calls that want it: who has it, who waits.
 *
 * Calls take turns in the order they came. A call that goes on in the background keeps its shell, and the session gets
 * another one with the same state for those in line; where that cannot be they run in copies until the call has ended.
 * The native session would queue too, but a call that waits there has its deadline running here, so the line is kept on
 * this side.
 */
import { onAbort } from "@pi-bash/contract/internal/abort";
import type { ShellPort } from "../natives-port.ts";

/** How a call runs: `own`, in the session's shell; `clone`, in a copy, beside the one that has the session. */
export type TurnKind = "own" | "clone";

/** One call's leave to run. Each is an object of its own, so that the call that has the session is known. */
export interface Turn {
  readonly kind: TurnKind;
}

interface Waiter {
  give: (turn: Turn | "retry") => void;
}

export class Session {
  readonly key: string;
  readonly shell: ShellPort;
  /** The state of an earlier session of this key is gone; true until it was reported. */
  isReset: boolean;
  /** It is closed as soon as nothing of it lives: no one will use it again. */
  isEphemeral = false;
  /** Not in use any more: broken, evicted or quarantined. */
  isDropped = false;
  /** What is done when it is closed and everything that it started has ended. None of it rejects. */
  readonly #afterClose: (() => Promise<void>)[] = [];
  /** The call that has the session. */
  #holder: Turn | undefined;
  /** That call goes on in the background, and the session could not be handed over. */
  #isCopied = false;
  /** Calls beside the session: in copies, and in shells that were handed over with them. */
  #beside = 0;
  #waiters: Waiter[] = [];

  constructor(key: string, shell: ShellPort, isReset: boolean) {
    this.key = key;
    this.shell = shell;
    this.isReset = isReset;
  }

  /** Has `work`, which does not reject, done when the session is closed and everything that it started has ended. */
  onClosed(work: () => Promise<void>): void {
    this.#afterClose.push(work);
  }

  /** Ends the shell and everything that it started, then does what `onClosed` was given. */
  async close(): Promise<void> {
    await this.shell.close();
    await Promise.all(this.#afterClose.splice(0).map((work) => work()));
  }

  /** Whether no one has it, copies it or waits for it, and nothing that it handed over runs. */
  get isIdle(): boolean {
    return this.#holder === undefined && this.#beside === 0 && this.#waiters.length === 0;
  }

  /** Whether a call's turn is that of the session itself: what it sets lasts, and what it breaks is broken. */
  isHeldBy(turn: Turn): boolean {
    return this.#holder === turn;
  }

  /** Takes the session if it is free, else a copy where that may be, else waits; `retry`: it was dropped meanwhile. */
  take(mayClone: boolean, signal: AbortSignal | undefined): Promise<Turn | "retry" | "aborted"> {
    if (this.#holder === undefined) return Promise.resolve(this.#hold());
    if (mayClone || this.#isCopied) return Promise.resolve(this.#copy());
    return this.#wait(signal);
  }

  #hold(): Turn {
    this.#holder = { kind: "own" };
    return this.#holder;
  }

  #copy(): Turn {
    this.#beside += 1;
    return { kind: "clone" };
  }

  /** Gives a turn back; the next in line gets the session. */
  release(turn: Turn): void {
    if (this.#holder === turn) this.#next();
    else this.#beside -= 1;
  }

  /** The session is free: the next in line has it. */
  #next(): void {
    this.#holder = undefined;
    this.#isCopied = false;
    const next = this.isDropped ? undefined : this.#waiters.shift();
    if (next !== undefined) next.give(this.#hold());
  }

  /**
   * The call with that turn goes on in the background: those in line go on with the session's state, in a shell that
   * stays the session's, or else in copies. Never rejects.
   */
  async promote(turn: Turn): Promise<void> {
    // A session for one call has no one in line.
    if (this.#holder !== turn || this.#isCopied || this.isEphemeral) return;
    // A shell that cannot be handed over is there for its command, whatever the reason is.
    const isHandedOver = await (this.shell.handOver?.() ?? Promise.resolve(false)).catch(() => false);
    // It has ended meanwhile, and those in line went on.
    if (this.#holder !== turn) return;
    if (isHandedOver) {
      this.#beside += 1;
      this.#next();
      return;
    }
    this.#isCopied = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.give(this.#copy());
  }

  /** No one gets it any more; those in line look for a new one, in their order. */
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
