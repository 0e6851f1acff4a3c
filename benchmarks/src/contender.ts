/**
 * What a contender can be asked for: one command, its output counted, and to be gone afterwards. Each adapter makes the
 * smallest honest use of its library, as its users would.
 */

/** What a command delivered. */
export interface Delivered {
  /** Bytes of UTF-8 that reached JavaScript, or that the contender counted for it. */
  readonly bytes: number;
  /** Its status; `undefined` when it was stopped. */
  readonly exitCode: number | undefined;
}

/** A library that runs commands. */
export interface Contender {
  readonly name: string;
  /** Runs a command; `signal` stops it. With `consume`, each piece of output waits for it. */
  run(command: string, options?: { signal?: AbortSignal; consume?: () => Promise<void> | void }): Promise<Delivered>;
  /** Ends what it keeps between commands. */
  close(): Promise<void>;
}
