/**
 * When a service that failed is started again: after a pause that doubles from failure to failure, and not too often.
 */

/** Pauses, and how many failures are too many. */
export interface RestartLimits {
  /** Pause before the first restart, in milliseconds; each is twice the one before. */
  readonly firstPauseMs: number;
  /** Longest pause, in milliseconds. */
  readonly longestPauseMs: number;
  /** So often a service is started again within `windowMs`; one more failure is its last. */
  readonly mostRestarts: number;
  /** In milliseconds. */
  readonly windowMs: number;
}

/** As docs/services.md has them. */
export const RESTART_LIMITS: RestartLimits = {
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
  mostRestarts: 5,
  windowMs: 10 * 60_000,
};

/** The failures of one service. */
export class Restarts {
  readonly limits: RestartLimits;
  /** Milliseconds of a clock that only goes forward. */
  #failures: number[] = [];

  constructor(limits: RestartLimits) {
    this.limits = limits;
  }

  /** It failed at `nowMs`, of a clock that only goes forward: the pause before its next start, in milliseconds. Undefined: it is not started again. */
  pauseAfterFailure(nowMs: number): number | undefined {
    const { firstPauseMs, longestPauseMs, mostRestarts, windowMs } = this.limits;
    this.#failures = [...this.#failures.filter((at) => nowMs - at < windowMs), nowMs];
    const count = this.#failures.length;
    return count > mostRestarts ? undefined : Math.min(longestPauseMs, firstPauseMs * 2 ** (count - 1));
  }
}
