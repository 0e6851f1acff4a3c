/**
 * A rule that sends a model to a better tool instead of a shell command.
 *
 * The shape only; the default rules and the matching are in `@pi-bash/policy`.
 */
import * as z from "zod";

/** A command that has a better tool, and what the model reads instead of running it. */
export const InterceptorRule = z.object({
  /** Regular expression over one simple command. One that does not compile is reported once and skipped. */
  pattern: z.string().min(1),
  /** Flags of the expression; `g` and `y` have no effect. */
  flags: z.string().optional(),
  /** The tool to use instead; the rule holds only where that tool is there. */
  tool: z.string().min(1),
  /** What the model reads, after `Blocked: `. */
  message: z.string().min(1),
  /** Subcommands that the rule lets pass. */
  allowSubcommands: z.array(z.string()).optional(),
});
export type InterceptorRule = z.infer<typeof InterceptorRule>;
