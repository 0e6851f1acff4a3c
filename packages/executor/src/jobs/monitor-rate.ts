/**
 * How often the watches of one agent may start a turn: a bucket of 10, one more every 2 seconds.
 */

/** Turns that may follow each other. */
const BUCKET = 10;
/** Time after which one more may be started, in milliseconds. */
const REFILL_MS = 2_000;

/** The bucket of an agent, for all its watches. */
export class TurnBucket {
  readonly #now: () => number;
  #left = BUCKET;
  #atMs: number;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(now: () => number) {
    this.#now = now;
    this.#atMs = now();
  }

  /** Takes one, if there is one. */
  take(): boolean {
    const now = this.#now();
    const more = Math.floor((now - this.#atMs) / REFILL_MS);
    if (this.#left + more >= BUCKET) {
      this.#left = BUCKET;
      this.#atMs = now;
    } else {
      this.#left += more;
      this.#atMs += more * REFILL_MS;
    }
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
