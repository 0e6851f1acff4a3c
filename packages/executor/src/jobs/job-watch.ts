/**
 * Looks at one job, or at a command in the foreground, for a person: its result stays for its owner.
 */
import { type FollowOptions, followJob } from "./follow.ts";
import type { JobView } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";
import type { LogText } from "./log-reader.ts";

/** What one look at a running job finds: its new output, and whether it has ended. */
export interface JobLook {
  readonly job: JobView;
  /** What is new since the last look of this reader. */
  readonly output: LogText;
  /** Why the output could not be read from its file. */
  readonly problem?: string;
}

/** One job under observation. It stays the same one, whatever its id becomes. */
export interface JobWatch {
  /** The job as it is now; a command in the foreground has no id. */
  readonly job: JobView;
  /** Waits for new output or the end. Takes nothing from the job's owner. */
  look(options: FollowOptions): Promise<JobLook>;
}

/** Observes `entry`. `released` is called after each look: its result may have waited for it. */
export function watchJob(entry: JobEntry, released: () => void): JobWatch {
  return {
    get job() {
      return entry.view;
    },
    look: async (options) => {
      const report = await followJob(entry, options, { taken: () => undefined, released });
      report.commit();
      const { job, output, problem } = report;
      return { job, output, ...(problem === undefined ? {} : { problem }) };
    },
  };
}
