/** Jobs without a process: what they write and how they end is the test's to say. */
import type { JobContext, JobEnd, JobManager, JobOptions, JobView } from "@pi-bash/executor";
import { until } from "./session.ts";

/** A job, and ways to play it. */
export interface PlayedJob {
  id: string;
  job: JobView;
  context: JobContext;
  /** Ends it with status 0, unless `end` says otherwise. */
  end(end?: Partial<JobEnd>): Promise<void>;
}

/** Starts one of the owner `agent-1`. It also ends, with no status, when it is cancelled. */
export function playJob(manager: JobManager, more: Partial<JobOptions> = {}): PlayedJob {
  let context: JobContext | undefined;
  let settle: (end: JobEnd) => void = () => undefined;
  const work = (given: JobContext): Promise<JobEnd> => {
    context = given;
    return new Promise((resolve) => {
      settle = resolve;
      given.signal.addEventListener("abort", () => resolve({ text: "cancelled" }));
    });
  };
  const job = manager.start({ command: "make", owner: "agent-1", work, ...more });
  if (context === undefined) throw new Error("its work did not begin");
  return {
    id: job.id,
    job,
    context,
    end: async (end = {}) => {
      settle({ text: "", exitCode: 0, ...end });
      await until(() => manager.find(job.id)?.job.endedAtMs !== undefined, `${job.id} to end`);
    },
  };
}
