/**
 * A job: a command that outlives the call that started it, as data.
 *
 * What a job is to its readers (`JobView`), what its runner reports (`JobEnd`), and what is on disk (`JobRecord`) are
 * three different things; the manager alone turns one into another.
 */

import type { Job, ProcessInfo, ResourceUsage, StopReason } from "@pi-bash/contract";
import type { FileOpener } from "../artifacts/readable-file.ts";
import type { PortLook } from "../ports.ts";
import type { TaskTerminal } from "../tty/terminal-port.ts";
import type { LogSecrets, LogTotals } from "./job-log.ts";

/** A job as it is listed. */
export interface JobView extends Job {
  /** Who may see it; absent: whoever names no owner. */
  owner?: string;
  /** The name its caller gave it. */
  title?: string;
  /** Name of the signal its command died of. */
  signal?: string;
  /** Why its command was ended before it ended itself; of a cancelled job the state says it. */
  stopped?: StopReason;
  /** Artifact with the record of its terminal. */
  recordId?: string;
  /** Processes that it left behind. */
  survivors?: readonly ProcessInfo[];
  /** What its command used, with `bash.usage`. */
  usage?: ResourceUsage;
  /** The host that ran it ended before it did; what became of the command is not known. */
  isLost?: boolean;
}

/** How the work of a job ended. */
export interface JobEnd {
  /** Text for the model. */
  text: string;
  /** Absent where the command did not end by itself. */
  exitCode?: number;
  signal?: string;
  /** Why the command was ended before it ended itself. */
  stopped?: StopReason;
  /** Artifact with the whole output. */
  artifactId?: string;
  survivors?: readonly ProcessInfo[];
  usage?: ResourceUsage;
  /** Bytes and lines that the command wrote. */
  totals?: LogTotals;
  /** Ends what the command left running; called when someone cancels the job after its end. */
  stopSurvivors?: () => Promise<void>;
}

/** What a job's work is given. */
export interface JobContext {
  /** A name for this work that no other has: for session keys. */
  runKey: string;
  /** Aborted when the job is cancelled. */
  signal: AbortSignal;
  /** Aborted when the job goes to the background; at once where it starts there. */
  backgrounded: AbortSignal;
  /** Takes the newest tail of the output, and how much there is so far. */
  update(tail: string, totals?: LogTotals): void;
  /**
   * Tells early where the output goes, so that it can be found after a crash. `path`: it can be followed there.
   * `secrets`: how what is read of it is masked. `open`: opens it, where it may be on a place; default: it is at `path`.
   */
  setArtifact(artifactId: string, path?: string, secrets?: LogSecrets, open?: FileOpener): void;
  /** Says early where the record of its terminal goes. */
  setRecord?(recordId: string): void;
  /** A reader looks at its output: the file must outlast the work. */
  isRead?(): boolean;
  /** The work is a program on that terminal: readers see its lines, and who waits. */
  setTerminal(terminal: TaskTerminal): void;
  /** Takes a look at the ports that its processes listen on. */
  setPorts?(look: PortLook): void;
  /** Makes it a job now, if it is none yet. False: it cannot be one, so it has to end in the foreground. */
  goToBackground(): boolean;
}

/** The work of a job. Rejecting ends it as failed, with the error's message as its text. */
export type JobWork = (context: JobContext) => Promise<JobEnd>;

/**
 * Who has the result. `none`: no one; `queued`: it waits for its owner's sink; `sending`: the sink has it but has not
 * said so; `delivered`: the sink took it; `consumed`: someone polled it. From the last two there is no way back.
 */
export type DeliveryState = "none" | "queued" | "sending" | "delivered" | "consumed";

/** A finished job on its way to its owner, or news of one that still runs: it has no `endedAtMs` then. */
export interface JobDelivery {
  /** The same in every try, and after a restart: a receiver that got it twice can tell. */
  deliveryId: string;
  job: JobView;
  /** Text for the model, bounded; names the artifact where it is only a part. */
  text: string;
}

/** What is kept of a job on disk. */
export interface JobRecord {
  version: 1;
  /** As in `JobDelivery`. */
  deliveryId: string;
  job: JobView;
  delivery: DeliveryState;
  /** Text for the model, bounded. */
  text: string;
  host: HostIdentity;
}

/** A process, distinguished from a later one with the same number. */
export interface HostIdentity {
  pid: number;
  /** When it started, in the system's own unit; empty where that is not known. */
  startTime: string;
  /** One manager of that process. */
  instance: string;
}

/** Everything is taken: wait, or end a job. */
export class JobLimitError extends Error {
  readonly code = "PI_JOB_LIMIT";

  constructor(limit: number) {
    super(`Background job limit reached (${limit}). Wait for running jobs to finish or cancel one.`);
    this.name = "JobLimitError";
  }
}
