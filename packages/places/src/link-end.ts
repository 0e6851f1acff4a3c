/**
 * How a link ended, and what is said of it.
 */
import { PlaceError } from "./place-error.ts";
import type { Bye } from "./wire/messages.ts";

/** How a link ended. */
export interface LinkEnd {
  /** `closed`: this side asked for it. */
  readonly kind: "closed" | "cut";
  /** What is known of the reason, as the end of a sentence. */
  readonly reason: string;
  /** The reason of the far side's `Bye`. */
  readonly bye?: Bye;
  /** The far side did not keep to the protocol. */
  readonly isBroken?: boolean;
  /** What is said of a command whose end is not known, as whole sentences, where more is known than `reason`. */
  readonly text?: string;
  /** What is thrown for what had not begun, where more is known than that the place cannot be reached. */
  readonly error?: PlaceError;
  /** The channel's first frame was never sent: nothing was begun over there. */
  readonly isUnsent?: boolean;
}

/** What a `Bye` means, as the end of a sentence about the place. */
export function byeText({ reason, detail }: Bye, leaseMs: number): string {
  const added = detail === undefined ? "" : ` (${detail})`;
  switch (reason) {
    case "lease":
      return `it heard nothing for ${leaseMs / 1_000} s and ended everything${added}`;
    case "terminated":
      return `pi-host was ended there${added}`;
    case "displaced":
      return `another connection took its place${added}`;
    default:
      return `pi-host ended the connection: ${reason}${added}`;
  }
}

/** What went wrong, for a caller that had not begun. */
export function unreachable(place: string, end: LinkEnd): PlaceError {
  if (end.error !== undefined) return end.error;
  return new PlaceError("PI_PLACE_UNREACHABLE", place, `${place} cannot be reached: ${end.reason}`);
}
