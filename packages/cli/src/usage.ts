/**
 * How the command line refuses what it does not understand.
 */

/** Exit status of a wrong command line; what most programs use. */
export const USAGE_STATUS = 2;

/** The command line cannot be understood. The message names the argument and what would be right. */
export class UsageError extends Error {
  override name = "UsageError";
}
