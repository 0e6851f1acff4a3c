/**
 * Commands that run read-only: what a result says of one that was allowed because it only reads.
 *
 * How the kernel holds such a command is in docs/read-only.md. Sandboxes, which bound whole sessions, are in `sandbox.ts`.
 */
import * as z from "zod";
import { SandboxRefusal } from "./sandbox.ts";

/** What the read-only run came to, where the command was approved afterwards and ran again without confinement. */
export const ReadOnlyFirstRun = z.object({
  /** Absent where the run was stopped. */
  exitCode: z.number().int().optional(),
  /** The end of its output, at most 4 KiB. */
  output: z.string(),
});
export type ReadOnlyFirstRun = z.infer<typeof ReadOnlyFirstRun>;

/** The kernel held the command: it could change nothing but a temporary folder of its own. */
export const ReadOnlyEnforced = z.object({
  enforced: z.literal(true),
  /** What this kernel cannot hold, by name: `signal` before Linux 6.12, nothing from there on. */
  degraded: z.array(z.string()),
  /** The command changed variables, functions or options of its shell, and these changes are gone. */
  stateDropped: z.boolean(),
  /** What the kernel may have refused, by what a failed command printed: a hint. The newest last, at most 5. */
  refusals: z.array(SandboxRefusal),
  /** What came of the question whether it may run again without confinement. Absent: the question was not asked. */
  answer: z.enum(["approved", "denied"]).optional(),
  /** Present where it was approved: the rest of the result is about the second run then. */
  firstRun: ReadOnlyFirstRun.optional(),
});
export type ReadOnlyEnforced = z.infer<typeof ReadOnlyEnforced>;

/** The kernel did not hold the command: the strict half of the read-only tables alone allowed it. */
export const ReadOnlyUnenforced = z.object({
  enforced: z.literal(false),
  /** Why not, lower-case and without a full stop. */
  reason: z.string(),
});

/** How a command ran that was allowed because it only reads. */
export const ReadOnlyOutcome = z.discriminatedUnion("enforced", [ReadOnlyEnforced, ReadOnlyUnenforced]);
export type ReadOnlyOutcome = z.infer<typeof ReadOnlyOutcome>;
