/** What one round of one contender gave: samples of each quantity, and what was not as it should be. */

/** Kinds of faults; `amount` in the comments is what the number of a fault counts. */
export type FaultKind =
  /** Output that never arrived; amount: characters. */
  | "lost"
  /** Output that the command did not write; amount: characters. */
  | "added"
  /** As long as it should be, but another text; amount: 1. */
  | "altered"
  /** Another exit status; amount: the status, -1 for none. */
  | "status"
  /** Answers that were wrong, of many at once; amount: answers. */
  | "answers"
  /** Processes of a stopped command that live on; amount: processes. */
  | "alive"
  /** The promise had not settled when patience ended; amount: that patience in milliseconds. */
  | "unsettled"
  /** After a stop, the next command was not answered; amount: 1. */
  | "unusable"
  /** The host died, hung or threw; amount: 1. */
  | "failed";

/** Something that was not as it should be. */
export interface Fault {
  readonly kind: FaultKind;
  readonly amount: number;
  /** More for `failed`. */
  readonly text?: string;
}

/** One round. */
export interface Measured {
  /** Samples by the key of their quantity, e.g. `cpu`. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly faults: readonly Fault[];
  /** The contender did not come to rest, and its host is of no more use. */
  readonly isSpent?: boolean;
}

/**
 * Units of a text's end that are compared in every round. V8 copies a slice of so few; one of 13 (`SlicedString::kMinLength`)
 * is a view that keeps the whole text alive, and the collection of what lives cost each callback a sixth.
 */
export const TAIL_UNITS = 12;

/** The output that a command is known to write. */
export interface Expected {
  readonly bytes: number;
  /** UTF-16 units of the text. */
  readonly units: number;
  /** The last units of the text. */
  readonly tail: string;
  /** SHA-256 of the text in UTF-8, in hexadecimal. */
  readonly sha256: string;
  readonly exitCode: number;
}
