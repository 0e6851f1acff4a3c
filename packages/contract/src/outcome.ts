/**
 * How a run ended, and what it left running.
 *
 * One tagged union instead of flags: a run ends exactly once, so two of these can never be true together. The same
 * variants stand in the core (`crates/pi-shell/src/outcome.rs`).
 */
import * as z from "zod";

/** Why we ended a run: its deadline came, or someone asked for it (abort, session closed). */
export const StopReason = z.enum(["deadline", "cancelled"]);
export type StopReason = z.infer<typeof StopReason>;

/** How a run ended: in exactly one of these ways. */
export const ExitOutcome = z.discriminatedUnion("kind", [
  /** The command returned; 0 is success by convention only. */
  z.object({ kind: z.literal("exited"), code: z.number().int().min(0).max(255) }),
  /** A signal that was not ours ended the command's shell, e.g. `SIGKILL` of the kernel's OOM killer. */
  z.object({ kind: z.literal("signaled"), signal: z.string() }),
  /** We ended it. */
  z.object({ kind: z.literal("stopped"), reason: StopReason }),
]);
export type ExitOutcome = z.infer<typeof ExitOutcome>;

/** A program of a command waits for a person's input, and the command has no terminal. */
export const InputWanted = z.object({
  /** Its process ID, valid while it lives. */
  pid: z.number().int().positive(),
  /** Its short name, at most 15 bytes on Linux. */
  program: z.string(),
  /** The command was ended for it. False: it went on, and the program still waited when it was last looked at. */
  ended: z.boolean(),
  /** What it asks, at most 200 UTF-16 units, where the output ends in a question. */
  prompt: z.string().optional(),
});
export type InputWanted = z.infer<typeof InputWanted>;

/**
 * What a command used: the processes that its shell waited for and, in a session, what the shell itself did for it. Processes
 * that outlive the command are not in it. Source: getrusage(2) and wait4(2).
 */
export const ResourceUsage = z.object({
  /** Milliseconds of processor time outside of the kernel. */
  userMs: z.number().nonnegative(),
  /** Milliseconds of processor time inside of the kernel. */
  systemMs: z.number().nonnegative(),
  /**
   * Largest resident set of one process, in bytes. Absent: the session's shell has waited for a larger one before, and the
   * kernel keeps only the largest. A task in the background begins with a fresh record: it has it wherever it runs a program.
   */
  peakMemoryBytes: z.number().int().positive().optional(),
});
export type ResourceUsage = z.infer<typeof ResourceUsage>;

/** A survivor: a process that outlived the command that started it. */
export const ProcessInfo = z.object({
  /** Its id, valid while it lives. */
  pid: z.number().int().positive(),
  /** Its command line, arguments joined by spaces, at most 4 KiB. */
  command: z.string(),
  /** When it started, in milliseconds since the Unix epoch. */
  startedAtMs: z.number().nonnegative(),
  /** TCP ports that it listened on when it was listed. Absent: none, or not looked at. */
  ports: z.array(z.number().int()).optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
