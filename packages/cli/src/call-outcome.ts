/**
 * What became of one call of the bash tool, for a program whose exit status is the command's.
 */
import type { BashToolResult } from "@pi-bash/contract";
import { ToolAbortError, ToolError } from "@pi-bash/tool";

/** Exit status of a call that gave no result: refused, or not startable; as `env` and `timeout` have it. */
export const NO_RESULT_STATUS = 125;
/** Exit status of a command that its deadline ended, as `timeout(1)` has it. */
export const TIMED_OUT_STATUS = 124;

/** What became of a call. */
export interface CallOutcome {
  readonly answer: BashToolResult;
  /** False: it was refused, timed out, or did not start. */
  readonly hasResult: boolean;
  /** Exit status of a program that made it. */
  readonly status: number;
}

/** Makes a call; what the tool throws is an answer, too. */
export async function callOutcome(execute: () => Promise<BashToolResult>): Promise<CallOutcome> {
  try {
    const answer = await execute();
    return { answer, hasResult: true, status: answer.details?.exitCode ?? 0 };
  } catch (error) {
    if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
    const answer: BashToolResult = {
      content: [{ type: "text", text: error.message }],
      ...(error.details === undefined ? {} : { details: error.details }),
      isError: true,
    };
    const isTimedOut = error.details?.stopped === "deadline";
    return { answer, hasResult: false, status: isTimedOut ? TIMED_OUT_STATUS : NO_RESULT_STATUS };
  }
}
