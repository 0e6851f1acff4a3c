/**
 * A job: a command that outlives the tool call that started it.
 */
import * as z from "zod";
import { ProcessInfo, StopReason } from "./outcome.ts";

/** Where a job stands. A non-zero exit is `failed`; `cancelled` lasts from the request, the process may still end. */
export const JobState = z.enum(["running", "completed", "failed", "cancelled"]);
export type JobState = z.infer<typeof JobState>;

/** A job as it is listed. */
export const Job = z.object({
  /** `bg_<n>`, unique in its session and never used again. */
  id: z.string(),
  type: z.literal("bash"),
  state: JobState,
  /** The command, shortened for a line of a list. */
  label: z.string(),
  /** Milliseconds since the Unix epoch. */
  startedAtMs: z.number().nonnegative(),
  /** Milliseconds since the Unix epoch; absent while it runs. */
  endedAtMs: z.number().nonnegative().optional(),
  /** 0 to 255; absent while it runs and when it was cancelled. */
  exitCode: z.number().int().optional(),
  /** Id of the artifact with its output. */
  artifactId: z.string().optional(),
});
export type Job = z.infer<typeof Job>;

/** A job as an answer of the `job` tool has it: how it stood at that moment. */
export const ReportedJob = Job.extend({
  /** The name its caller gave it. */
  title: z.string().optional(),
  /** Name of the signal the command died of. */
  signal: z.string().optional(),
  /** Why the command was ended before it ended itself; of a cancelled job the state says it. */
  stopped: StopReason.optional(),
  /** Processes that it left behind. */
  survivors: z.array(ProcessInfo).optional(),
  /** The host that ran it ended before it did; what became of the command is not known. */
  isLost: z.boolean().optional(),
  /** From its start to its end, while it runs to this answer; in milliseconds. */
  elapsedMs: z.number().nonnegative(),
  /** Of a job that was waited for: the end of its result, while it runs of what it has written. */
  output: z.string().optional(),
  /** What is to know of it besides, in a sentence. */
  note: z.string().optional(),
});
export type ReportedJob = z.infer<typeof ReportedJob>;

/** `details` of an answer or an update of the `job` tool. */
export const JobDetails = z.object({
  /** The jobs that were found, each once. */
  jobs: z.array(ReportedJob),
  /** Ids that name no job of this session, or one that is no longer kept. Absent: none. */
  missingIds: z.array(z.string()).optional(),
});
export type JobDetails = z.infer<typeof JobDetails>;

/** `details.async` of a tool result or update. */
export const AsyncDetails = z.object({ state: JobState, jobId: z.string(), type: z.literal("bash") });
export type AsyncDetails = z.infer<typeof AsyncDetails>;

/** Parameters of the `job` tool: what is there, waiting for some, ending some. */
export const JobParams = z.strictObject({
  list: z.boolean().optional().describe("List the jobs of this session"),
  poll: z.array(z.string()).optional().describe("Wait until one of these jobs has ended"),
  cancel: z.array(z.string()).optional().describe("End these jobs"),
});
export type JobParams = z.infer<typeof JobParams>;
