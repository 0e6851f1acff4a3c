/**
 * What a tool throws: a failure that the model is to read, and the end of a call that its caller asked for.
 *
 * A command that ran and exited with any status is a result and never thrown. What never finished is, as the
 * specification has it, with the output up to then in the message and the facts in `details`.
 */
import type { BashDetails } from "@pi-bash/contract";

export interface ToolErrorOptions {
  details?: BashDetails | undefined;
  cause?: unknown;
}

/** The call failed; the message is for the model. */
export class ToolError extends Error {
  readonly details?: BashDetails;

  constructor(message: string, { details, cause }: ToolErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ToolError";
    if (details !== undefined) this.details = details;
  }
}

/** The caller's signal was aborted; the message holds the output up to then. */
export class ToolAbortError extends Error {
  readonly details?: BashDetails;

  constructor(message = "Command aborted", { details, cause }: ToolErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ToolAbortError";
    if (details !== undefined) this.details = details;
  }
}

/**
 * What is thrown for an error of a layer below. Errors with a code are refusals (a shell that is missing, a variable
 * that steers the loader, too many jobs) and the model is told; anything else is a defect and passes through.
 */
export function refusal(error: unknown): unknown {
  if (error instanceof ToolError || error instanceof ToolAbortError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  return new ToolError(error.message, { cause: error });
}
