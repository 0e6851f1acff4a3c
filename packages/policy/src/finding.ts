/**
 * What a check found in a command line, in a form that a prompt, a log and a model can all use.
 *
 * Findings are facts with a place and a reason; whether they allow, ask or deny is decided in `decide.ts`.
 */
import type { Span } from "@pi-bash/command";

/**
 * How a finding counts. `block` is never overridden; the others make a command not read-only:
 * `write` changes files, `exec` runs something that is not judged, `network` talks to others, `session` changes the
 * shell for later commands, `unknown` is everything no one has judged.
 */
export type Severity = "block" | "write" | "exec" | "network" | "session" | "unknown";

/** One fact about a command line. */
export interface Finding {
  /** Stable name for programs, e.g. `find-exec`; texts may change, codes do not. */
  readonly code: string;
  readonly severity: Severity;
  /** Lower-case, without a full stop, with programs and options in backticks. */
  readonly message: string;
  /** UTF-16 offsets into the command line; inside `bash -c '…'` those of the quoted text. */
  readonly span: Span;
  /** The command it is about, after unwrapping, expansions as written. */
  readonly argv?: readonly string[];
  /** What would make it acceptable, where something would. */
  readonly hint?: string;
  /** It only reads as long as the kernel keeps it from everything else: see `read-only/grade.ts`. */
  readonly needsKernel?: true;
}

/** Why a table row refuses a command; the caller adds place and argv. */
export type Refusal = Pick<Finding, "code" | "severity" | "message" | "hint" | "needsKernel">;

/** Builds a refusal. */
export function refuse(code: string, severity: Severity, message: string, hint?: string): Refusal {
  return { code, severity, message, ...(hint === undefined ? {} : { hint }) };
}

/** A finding about the whole request. */
export function aboutRequest(code: string, severity: Severity, message: string): Finding {
  return { code, severity, message, span: { start: 0, end: 0 } };
}
