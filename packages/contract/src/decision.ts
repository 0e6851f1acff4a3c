/**
 * Why a call was not run: what a policy or a person refused, as data for programs that show it.
 *
 * How it comes about is in `@pi-bash/policy`; the same facts stand in words in the error's message.
 */
import * as z from "zod";

/**
 * What never runs unasked, with a policy or without one: what was downloaded runs as a program, something below `/etc` is
 * written, whole folders are opened to everyone.
 */
export const UnaskedKind = z.enum(["download-to-shell", "system-write", "open-modes"]);
export type UnaskedKind = z.infer<typeof UnaskedKind>;

/** One reason, with its place in the command line. */
export const RefusalReason = z.object({
  /** Stable name, e.g. `find-exec`. */
  code: z.string(),
  severity: z.enum(["block", "write", "exec", "network", "session", "unknown"]),
  message: z.string(),
  /** What would make it acceptable. */
  hint: z.string().optional(),
  /** UTF-16 offsets into the command that would have run. */
  span: z.object({ start: z.number().int(), end: z.number().int() }),
  /** The command it is about, as far as its words are known. */
  argv: z.array(z.string()).optional(),
});
export type RefusalReason = z.infer<typeof RefusalReason>;

/** Why a call was refused and by whom: `details.refusal` of a `ToolError`. */
export const CallRefusal = z.object({
  /** `policy`: rules and tables; `approval`: whoever was asked. */
  by: z.enum(["policy", "approval"]),
  class: z.enum(["readonly", "not-readonly", "blocked", "unparseable"]),
  /** The first of them; a line may have thousands. */
  reasons: z.array(RefusalReason),
  /** Rules that would allow this and little else. */
  suggestedRules: z.array(z.string()),
  /** The command with hidden characters written out. */
  display: z.string(),
});
export type CallRefusal = z.infer<typeof CallRefusal>;
