/**
 * A job: a command that outlives the tool call that started it.
 */
import * as z from "zod";

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
