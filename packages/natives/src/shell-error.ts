/**
 * Why a command never ran. A command that ran has a result, never an error.
 */

/** Codes that stay the same between releases; branch on these, never on messages. */
export type ShellErrorCode =
  | "PI_NUL_IN_COMMAND"
  | "PI_MISSING_CWD"
  | "PI_CWD_NOT_A_DIRECTORY"
  | "PI_CWD_DENIED"
  | "PI_INVALID_ENV"
  | "PI_INVALID_OPTION"
  | "PI_UNUSABLE_SHELL"
  | "PI_SHELL_NOT_FOUND"
  | "PI_SUPERVISOR"
  | "PI_SYSTEM"
  | "PI_LIMITS_UNAVAILABLE"
  | "PI_SANDBOX_UNAVAILABLE"
  | "PI_READ_ONLY_UNAVAILABLE"
  | "PI_SHELL_CLOSED"
  | "PI_PTY_ALREADY_RUNNING"
  | "PI_PTY_NOT_RUNNING"
  | "PI_PTY_OPEN"
  | "PI_PTY_SPAWN"
  | "PI_PTY_INPUT_FULL"
  | "PI_INTERNAL";

/** A command, or another operation on a session, that could not be done. */
export class ShellError extends Error {
  override readonly name = "ShellError";
  /** What kind of failure it is. */
  readonly code: ShellErrorCode;
  /** Of `PI_READ_ONLY_UNAVAILABLE`: what is missing or does not hold here. */
  readonly reason?: string;

  constructor(code: ShellErrorCode, message: string, options?: ErrorOptions & { readonly reason?: string }) {
    super(message, options);
    this.code = code;
    if (options?.reason !== undefined) this.reason = options.reason;
  }
}

/** An option out of its range. `name` is its path in the public interface, e.g. `sink.maxBytes`. */
export function invalidOption(name: string, reason: string): ShellError {
  return new ShellError("PI_INVALID_OPTION", `option \`${name}\` ${reason}`);
}

/** What the addon threw, as an error of this package. */
export function fromNative(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return error;
  const code = error.code.startsWith("PI_") ? (error.code as ShellErrorCode) : "PI_INTERNAL";
  return new ShellError(code, error.message, { cause: error });
}

/** Calls the addon, and turns what it throws into the errors of this package. */
export function native<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}
