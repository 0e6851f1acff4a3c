/**
 * What a tool throws: a failure that the model is to read, and the end of a call that its caller asked for.
 *
 * A command that ran and exited with any status is a result and never thrown. What never finished is, as the
 * specification has it, with the output up to then in the message and the facts in `details`.
 */

import { type BashDetails, DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { headBytes, headUnits } from "@pi-bash/contract/internal/text";

/** Bytes of a message that is longer than any result may be: a refused command of a megabyte is not said again. */
const CUT_MESSAGE_BYTES = 2 * 1024;

/** What goes with the text of a `ToolError`. */
export interface ToolErrorOptions {
  details?: BashDetails | undefined;
  cause?: unknown;
  /** Longest message, in bytes; of a longer one only the beginning is kept. Default: the window of the default settings. */
  maxBytes?: number;
}

/** The call failed; the message is for the model. */
export class ToolError extends Error {
  readonly details?: BashDetails;

  constructor(message: string, { details, cause, maxBytes }: ToolErrorOptions = {}) {
    super(bounded(message, maxBytes), cause === undefined ? {} : { cause });
    this.name = "ToolError";
    if (details !== undefined) this.details = details;
  }
}

/** The caller's signal was aborted; the message holds the output up to then. */
export class ToolAbortError extends Error {
  /** Always says that it was stopped, also where nothing had been started. */
  readonly details: BashDetails;

  constructor(message = "Command aborted", { details, cause, maxBytes }: ToolErrorOptions = {}) {
    super(bounded(message, maxBytes), cause === undefined ? {} : { cause });
    this.name = "ToolAbortError";
    this.details = { stopped: "cancelled", ...details };
  }
}

/**
 * What is thrown for an error of a layer below. Errors with a code are refusals (a shell that is missing, a variable
 * that steers the loader, too many jobs) and the model is notified; anything else is a defect and passes through.
 */
export function refusal(error: unknown): unknown {
  if (error instanceof ToolError || error instanceof ToolAbortError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  return new ToolError(error.message, { cause: error });
}

/** A message within the budget of a result; of a longer one the beginning, where a refusal says what it is. */
function bounded(message: string, maxBytes = DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES): string {
  if (Buffer.byteLength(message) <= maxBytes) return message;
  // First by units: a message may have megabytes.
  const head = headBytes(headUnits(message, CUT_MESSAGE_BYTES), CUT_MESSAGE_BYTES);
  return `${head}… (${message.length} characters)`;
}
