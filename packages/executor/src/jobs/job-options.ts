/**
 * What a host says about its jobs, and a caller about one of them.
 */
import type { ArtifactStore } from "../artifacts/store.ts";
import type { JobView, JobWork } from "./job.ts";

/** How many jobs there may be, and where they are written down. */
export interface JobManagerOptions {
  /** Jobs running at one time. Default 100. */
  maxJobs?: number;
  /** Folder of the registry. Default: nothing is on disk, a restart forgets all jobs. */
  registryFolder?: string;
  /** Where results go that are too long to be delivered whole and have no artifact. */
  artifacts?: Pick<ArtifactStore, "save">;
  /** Called once for each job that ends, whatever ended it. */
  onEnd?: (job: JobView) => void;
  /** Milliseconds since the Unix epoch: what jobs and the rate of watches go by. A port for tests. */
  now?: () => number;
}

/** What a job is made of. */
export interface JobOptions {
  /** The command; becomes the label. */
  command: string;
  /** Who may see it. */
  owner?: string;
  /** The name its caller gave it. */
  title?: string;
  work: JobWork;
  /** Called when a caller ends the job, also after its own end; fine any number of times. */
  onStop?: () => void;
  /**
   * Asked once, when it has ended by itself: whether the result is brought to the owner. Default: it is. One that is not can be
   * read like any other. A text is added to the result.
   */
  delivers?: (job: JobView) => boolean | string;
}
