/**
 * Calls one run's callbacks and decides how long what they return is awaited.
 *
 * A callback may return a promise, and until it settles the run is given no further output: that is how a slow consumer
 * slows a command down. It must not stop one for ever, though: a callback that waits for something that waits for its
 * own run would. So once the command ended, and while another run waits behind this one, patience is limited; a promise
 * that overruns it is abandoned, and no later one of this run is awaited.
 *
 * What a callback throws or rejects with never reaches the run, nor `uncaughtException`: it is reported once per run as
 * a process warning with the code `PI_CALLBACK_FAILED`.
 */
import { AsyncResource } from "node:async_hooks";
import * as timers from "node:timers";

// Taken before anyone can patch them: fake timers of a test must not stop real commands.
const { setTimeout, clearTimeout } = timers;
const now = performance.now.bind(performance);

/** One run's callbacks: what they return is awaited with patience that ends with the run. */
export class CallbackGate {
  readonly #context = new AsyncResource("PI_SHELL_RUN");
  #patienceMs = Number.POSITIVE_INFINITY;
  #deadline = Number.POSITIVE_INFINITY;
  #isOpen = false;
  #hasWarned = false;
  /** Ends the wait in progress; says whether the promise overran. */
  #letGo: ((overran: boolean) => void) | undefined;
  #waitingSince = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Calls `callback` in the context the run was started in. Returns a promise where what it returned has to be awaited;
   * that promise never rejects.
   */
  call<Args extends unknown[]>(callback: (...args: Args) => unknown, ...args: Args): Promise<void> | undefined {
    let returned: unknown;
    try {
      returned = this.#context.runInAsyncScope(callback, undefined, ...args);
      if (!isThenable(returned)) return undefined;
    } catch (error) {
      this.#report(error);
      return undefined;
    }
    const settled = Promise.resolve(returned).then(
      () => undefined,
      (error: unknown) => this.#report(error),
    );
    return this.#isOpen ? undefined : this.#wait(settled);
  }

  /** The same for a callback for which nothing waits: it takes the place of no wait that is in progress. */
  notify<Args extends unknown[]>(callback: (...args: Args) => unknown, ...args: Args): void {
    try {
      const returned = this.#context.runInAsyncScope(callback, undefined, ...args);
      if (isThenable(returned)) void Promise.resolve(returned).catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  /** From now on no promise is awaited for more than `ms` milliseconds. */
  limitPatience(ms: number): void {
    this.#patienceMs = Math.min(this.#patienceMs, ms);
    this.#arm();
  }

  /** In `ms` milliseconds at the latest the gate opens, whatever is pending. */
  openIn(ms: number): void {
    this.#deadline = Math.min(this.#deadline, now() + ms);
    this.#arm();
  }

  #wait(settled: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#waitingSince = now();
      const letGo = (overran: boolean) => {
        if (this.#letGo !== letGo) return;
        this.#letGo = undefined;
        clearTimeout(this.#timer);
        this.#timer = undefined;
        if (overran) this.#isOpen = true;
        resolve();
      };
      this.#letGo = letGo;
      this.#arm();
      void settled.then(() => letGo(false));
    });
  }

  /** Sets the timer of the wait in progress, if there is one and if it has an end. */
  #arm(): void {
    if (this.#letGo === undefined) return;
    const until = Math.min(this.#waitingSince + this.#patienceMs, this.#deadline);
    if (until === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    const letGo = this.#letGo;
    this.#timer = setTimeout(() => letGo(true), Math.max(0, until - now()));
  }

  #report(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning("a callback for output failed; the output goes on", {
      type: "PiBashWarning",
      code: "PI_CALLBACK_FAILED",
      detail,
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
