/**
 * One try to connect, and the calls that wait for it.
 *
 * A try can take as long as a queue. It goes on while one call waits for it and is given up with the last one: what it asked
 * for would be granted to no call otherwise.
 */
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import { PlaceError } from "./place-error.ts";

/** One try. */
export class ConnectionAttempt {
  readonly #place: string;
  readonly #stop = new AbortController();
  #waiting = 0;

  /** @param place the place's name, for errors */
  constructor(place: string) {
    this.#place = place;
  }

  /** Aborted when the try is given up. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Waits for `connected`, unless `signal` is aborted first: then it rejects with `PlaceError`. */
  async wait<T>(connected: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.#waiting += 1;
    try {
      const waited = await unlessAborted(
        connected.then((value) => ({ value })),
        signal,
      );
      if (waited !== "aborted") return waited.value;
      if (this.#waiting === 1) this.#stop.abort();
      throw new PlaceError("PI_PLACE_UNREACHABLE", this.#place, `the call no longer waits for ${this.#place}`);
    } finally {
      this.#waiting -= 1;
    }
  }
}
