/**
 * How late the event loop is: a timer of one millisecond that looks at the clock. The same code measures every runtime;
 * Node's own monitor does not exist everywhere.
 */

/** The timer's period, in milliseconds, which is no delay. */
const PERIOD_MS = 1;

/** Watches from its making until `stop`. */
export class DelayWatch {
  readonly #delays: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();

  constructor() {
    this.#timer = setInterval(() => this.#look(), PERIOD_MS);
  }

  /** The 99th percentile and the longest delay, in milliseconds. */
  stop(): { p99: number[]; max: number[] } {
    clearInterval(this.#timer);
    this.#look();
    const sorted = this.#delays.sort((left, right) => left - right);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { p99: [at(0.99)], max: [at(1)] };
  }

  #look(): void {
    const now = performance.now();
    this.#delays.push(Math.max(0, now - this.#last - PERIOD_MS));
    this.#last = now;
  }
}
