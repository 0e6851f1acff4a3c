/**
 * The near deadline of a run: later than the far one, and its only act is to say that the place did not answer. It never
 * claims that the command ended.
 *
 * Over a link that comes back it waits for as long as that may be away: the link's return or its end settles the run. A caller
 * who cancels does not wait for that.
 */
import type { Link } from "./channels.ts";
import { PlaceError } from "./place-error.ts";

/** What the core takes past a deadline until it settles at the latest (`budget.rs`), in milliseconds. */
const HARD_GRACE_MS = 5_000;
/** What is added for a machine that is busy, in milliseconds. */
const ANSWER_MARGIN_MS = 2_000;
/** A timer that fires this much late means that this host stood still: the end may be there already, in milliseconds. */
const HOST_STALL_MS = 1_000;
/** Looks in a lease whether a link that comes back is quiet: it says so after a quarter of the lease. */
const LOOKS_PER_LEASE = 4;

/** What is watched. */
export interface NearDeadlineOptions {
  readonly link: Link;
  /** The place, e.g. `ssh:build7`. */
  readonly place: string;
  /** The caller does not wait any more. */
  isCancelled(): boolean;
  /** The end is overdue. */
  onOverdue(error: PlaceError): void;
}

export class NearDeadline {
  readonly #options: NearDeadlineOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: NearDeadlineOptions) {
    this.#options = options;
  }

  /** Expects the end in so many milliseconds, and what the far side and the way take past that. */
  arm(afterMs: number): void {
    const waitMs = afterMs + HARD_GRACE_MS + this.#options.link.rttMs + ANSWER_MARGIN_MS;
    const due = performance.now() + waitMs;
    this.#wait(waitMs, () => this.#look(due));
  }

  /** Expects nothing any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }

  /** The end is overdue; `due`: since when, at the first look. */
  #look(due?: number): void {
    const { link, place, isCancelled, onOverdue } = this.#options;
    const { keptLeaseMs, isQuiet } = link;
    if (due !== undefined && performance.now() - due > HOST_STALL_MS) {
      this.#wait(ANSWER_MARGIN_MS, () => this.#look());
    } else if (keptLeaseMs !== undefined && !isCancelled() && (isQuiet || due !== undefined)) {
      this.#wait(keptLeaseMs / LOOKS_PER_LEASE, () => this.#look());
    } else {
      const text =
        keptLeaseMs !== undefined && isQuiet
          ? `${place} is not connected, and the end of the command is not known. It is ended there when the connection is back, and by ${place} itself where it does not come back.`
          : `${place} did not report the end of the command in time; it may still run there.`;
      onOverdue(new PlaceError("PI_PLACE_LOST", place, text));
    }
  }
}
