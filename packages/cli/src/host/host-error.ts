/**
 * Why a host could not be asked, or refused what it was asked.
 */

/** Codes of {@link HostError}; callers branch on them. */
export type HostErrorCode =
  | "PI_NO_HOST"
  | "PI_HOST_RUNS"
  | "PI_HOST_FOLDER"
  | "PI_HOST_PROTOCOL"
  | "PI_HOST_BUSY"
  | "PI_HOST_SESSION"
  | "PI_HOST_HELD"
  | "PI_HOST_NO_RECORD"
  | "PI_HOST_UNKNOWN_ID"
  | "PI_HOST_ENDED";

/** The message names the thing and what to do about it. */
export class HostError extends Error {
  override readonly name = "HostError";
  /** One of {@link HostErrorCode}, or the code of what the host met. */
  readonly code: string;

  constructor(code: HostErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  /** The refusal of a host, as it came over its socket. */
  static ofAnswer({ code, message }: { readonly code: string; readonly message: string }): HostError {
    return new HostError(code as HostErrorCode, message);
  }
}
