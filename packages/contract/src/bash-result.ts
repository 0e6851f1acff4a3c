/**
 * What the executor returns for one command, whatever became of it: exit, timeout and cancel are data, not exceptions.
 */
import * as z from "zod";
import { InputWanted, ProcessInfo, ResourceUsage } from "./outcome.ts";
import { ReadOnlyOutcome } from "./read-only.ts";
import { LimitMet, SandboxOutcome } from "./sandbox.ts";
import { LineRange } from "./truncation.ts";

const count = z.number().int().nonnegative();

/**
 * What a shell cannot leave to the one that replaces it: its job table, and the descriptors above 2 that earlier commands
 * opened (`exec 5>log`; found on Linux only).
 */
export const LostWithShell = z.enum(["jobs", "descriptors"]);
export type LostWithShell = z.infer<typeof LostWithShell>;

/** Secrets that were masked in an output. */
export const MaskedSecrets = z.object({
  /** Markers `[masked: NAME]` that stand for them. */
  count,
  /** Names in the markers, each once: of variables that were withheld, or of forms (`github-token`). */
  names: z.array(z.string()),
});
export type MaskedSecrets = z.infer<typeof MaskedSecrets>;

/** What came of one command, for a program. */
export const BashResult = z.object({
  /** The text for the model: the whole output, or its window; notices of the executor included. */
  output: z.string(),
  /** 0 to 255, 128+n for signal n. Absent when the run was cancelled or timed out. */
  exitCode: z.number().int().optional(),
  /** Name of the signal the command died of, e.g. `SIGKILL`. */
  signal: z.string().optional(),
  /** It was ended before it ended itself; also true on a timeout, as the specification has it. */
  cancelled: z.boolean(),
  /** Its deadline ended it. */
  timedOut: z.boolean().optional(),
  /** Some of the output is not in `output`. */
  truncated: z.boolean(),
  /** `lines`: the bound on lines cut it (`bash.outputMaxLines`). Absent: the bound on bytes, or nothing did. */
  truncatedBy: z.literal("lines").optional(),
  /** Lines the command wrote. */
  totalLines: count,
  /** Bytes the command wrote. */
  totalBytes: count,
  /** Lines of `output` that came from the command. */
  outputLines: count,
  /** Bytes of `output` that came from the command. */
  outputBytes: count,
  /** The lines that `output` shows. */
  shownRange: LineRange.optional(),
  /**
   * Id of the artifact with the whole output; only named when it is whole. Where processes were left behind that still
   * write, it is there also for a short output, and takes what they write from now on.
   */
  artifactId: z.string().optional(),
  /** Why there is no artifact though the output was truncated. */
  artifactError: z.string().optional(),
  /** Id of the artifact with the text that the minimizer replaced. */
  originalArtifactId: z.string().optional(),
  /** The session's directory afterwards. */
  workingDir: z.string().optional(),
  /** The shell's state was lost: a fresh or rolled-back shell stands. */
  sessionReset: z.boolean().optional(),
  /** Where it ran, e.g. `ssh:build7`. Absent: on this machine. */
  place: z.string().optional(),
  /** The connection to its place ended before its end was reported: what became of it is not known. */
  lost: z.boolean().optional(),
  /** Processes of this command that still live. */
  survivors: z.array(ProcessInfo).optional(),
  /** Names of variables that were kept from the command; never their values. */
  withheldNames: z.array(z.string()).optional(),
  /** Secrets that were masked in `output`, and in the artifact with `secrets.maskArtifacts`. Absent: none. */
  masked: MaskedSecrets.optional(),
  /** From the command's start to its end, in milliseconds. */
  wallTimeMs: z.number().nonnegative().optional(),
  /** The sandbox it ran in, and what it may have refused. Absent: none. */
  sandbox: SandboxOutcome.optional(),
  /** How it was held, where it ran because it only reads. Absent: a rule, a mode or a person allowed it, or no one asked. */
  readOnly: ReadOnlyOutcome.optional(),
  /** Limits of the session that were met while it ran, as far as the system tells. */
  limitsMet: z.array(LimitMet).optional(),
  /** What the shell that replaced the session's does not have. Absent: nothing, or no shell was replaced. */
  lostWithShell: z.array(LostWithShell).optional(),
  /** A program of it that waits for a person's input; with `ended`, `cancelled` is true as well. Absent: none was seen. */
  inputWanted: InputWanted.optional(),
  /** What it used, with `bash.usage`. Absent: not asked for, or not known. */
  usage: ResourceUsage.optional(),
});
export type BashResult = z.infer<typeof BashResult>;
