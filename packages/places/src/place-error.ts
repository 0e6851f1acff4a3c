/**
 * Why a place could not do something. A command that ran has a result; these say that it never ran, or that its end is
 * not known.
 */

import { plainLine } from "./wire/plain.ts";

/** Codes that stay the same between releases; branch on these, never on messages. */
export type PlaceErrorCode =
  /** The place cannot be reached; nothing was started there. */
  | "PI_PLACE_UNREACHABLE"
  /** What runs there speaks other versions of the protocol. */
  | "PI_PLACE_VERSION"
  /** `pi-host` cannot be put there. */
  | "PI_PLACE_REFUSED"
  /** What answers there is not the program that was sent. */
  | "PI_HOST_CHANGED"
  /** The command was started, and its end is not known. */
  | "PI_PLACE_LOST";

/** A place that could not do something. Its message is one plain line, whatever the far side and its program wrote. */
export class PlaceError extends Error {
  override readonly name = "PlaceError";
  /** What kind of failure it is. */
  readonly code: PlaceErrorCode;
  /** The place, e.g. `ssh:build7`. */
  readonly place: string;

  constructor(code: PlaceErrorCode, place: string, message: string, options?: ErrorOptions) {
    super(plainLine(message), options);
    this.code = code;
    this.place = place;
  }
}

/** The message of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
