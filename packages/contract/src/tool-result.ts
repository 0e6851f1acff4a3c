/**
 * What a bash tool call answers, now and while it runs: text for the model, the same facts as data for programs.
 *
 * A result that is an error for the model (`isError`) is still a result; only what never finished is thrown.
 */
import * as z from "zod";
import { LostWithShell, MaskedSecrets } from "./bash-result.ts";
import { CallRefusal } from "./decision.ts";
import { AsyncDetails } from "./job.ts";
import { InputWanted, ProcessInfo, ResourceUsage, StopReason } from "./outcome.ts";
import { ReadOnlyOutcome } from "./read-only.ts";
import { LimitMet, SandboxOutcome } from "./sandbox.ts";
import { Truncation } from "./truncation.ts";

/** A piece of text in an answer to a model. */
export const TextContent = z.object({ type: z.literal("text"), text: z.string() });
export type TextContent = z.infer<typeof TextContent>;

/** Facts of a result that any output tool can have. */
export const OutputMeta = z.object({
  truncation: Truncation.optional(),
  /** Why the whole output is not kept. */
  artifactError: z.string().optional(),
});
export type OutputMeta = z.infer<typeof OutputMeta>;

/** `details` of a bash tool result. A field is absent where the fact does not apply. */
export const BashDetails = z.object({
  /** The deadline that was in force, in seconds. */
  timeoutSeconds: z.number().optional(),
  /** The deadline that was asked for, where it differs, in seconds. */
  requestedTimeoutSeconds: z.number().optional(),
  /** From the command's start to its end, in milliseconds. */
  wallTimeMs: z.number().nonnegative().optional(),
  /** The client's terminal that ran the command. */
  terminalId: z.string().optional(),
  /** Present when it is not 0. */
  exitCode: z.number().int().optional(),
  /** Name of the signal the command died of. */
  signal: z.string().optional(),
  /** Why it was ended before it ended itself. */
  stopped: StopReason.optional(),
  async: AsyncDetails.optional(),
  /** Id of the artifact with the whole output, also of one that is shown whole but goes on (survivors). */
  artifactId: z.string().optional(),
  /** Where the command ran, e.g. `ssh:build7`. Absent: on this machine. */
  place: z.string().optional(),
  /** The connection to its place ended before its end was reported. */
  lost: z.boolean().optional(),
  survivors: z.array(ProcessInfo).optional(),
  sessionReset: z.boolean().optional(),
  /** What the shell that replaced the session's does not have. */
  lostWithShell: z.array(LostWithShell).optional(),
  workingDir: z.string().optional(),
  /** What was changed in the command before it ran, in order, e.g. "`| tail -3` shows less than it reads". */
  applied: z.array(z.string()).optional(),
  /** The tool to use instead, where a rule blocked the command. */
  suggestedTool: z.string().optional(),
  /** Why the call did not run. */
  refusal: CallRefusal.optional(),
  withheldNames: z.array(z.string()).optional(),
  /** Secrets that were masked in the output. Absent: none. */
  masked: MaskedSecrets.optional(),
  /** The sandbox the command ran in, and what it may have refused. Absent: none. */
  sandbox: SandboxOutcome.optional(),
  /** How the command was held that ran because it only reads. Absent: it ran as any other. */
  readOnly: ReadOnlyOutcome.optional(),
  /** Limits of the session that were met while it ran. */
  limitsMet: z.array(LimitMet).optional(),
  /** A program of it that waits for a person's input. With `ended`, `stopped` is `cancelled`. */
  inputWanted: InputWanted.optional(),
  /** What it used, with `bash.usage`. Absent: not asked for, or not known. */
  usage: ResourceUsage.optional(),
  meta: OutputMeta.optional(),
});
export type BashDetails = z.infer<typeof BashDetails>;

/** The answer to a call. */
export const BashToolResult = z.object({
  content: z.array(TextContent),
  details: BashDetails.optional(),
  isError: z.boolean().optional(),
});
export type BashToolResult = z.infer<typeof BashToolResult>;

/** A look at a call that is under way: the tail of its output so far. Each replaces the one before. */
export const BashToolUpdate = z.object({ content: z.array(TextContent), details: BashDetails.optional() });
export type BashToolUpdate = z.infer<typeof BashToolUpdate>;
