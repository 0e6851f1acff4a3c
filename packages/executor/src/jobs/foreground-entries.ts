/**
 * Commands that a call waits for, by ids of their own: so that a person can look at one, or end it, before it is a job.
 *
 * An id leads to the command until that has ended, also where it has become a job meanwhile.
 */
import { type JobEntry, type OwnedJob, toOwnedJob } from "./job-entry.ts";

/** Commands in the foreground of one manager. */
export class ForegroundEntries {
  readonly #entries = new Map<string, JobEntry>();
  #lastNumber = 0;

  /** Counts one in, until it has ended: the manager's to call. */
  enter(entry: JobEntry): void {
    this.#lastNumber += 1;
    const id = `fg_${this.#lastNumber}`;
    this.#entries.set(id, entry);
    void entry.whenEnded().then(() => this.#entries.delete(id));
  }

  /** Those that are not jobs, oldest first, by the ids that `end` and `JobManager.watch` take. */
  list(): OwnedJob[] {
    return [...this.#entries]
      .filter(([, entry]) => !entry.isJob)
      .map(([id, entry]) => {
        const { job, command } = toOwnedJob(entry);
        return { job: { ...job, id }, command };
      });
  }

  /** Ends one: its call gets a cancelled result. False: there is none of that id, or it is a job by now. */
  end(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.isJob) return false;
    entry.cancel();
    return true;
  }

  /** The command of an id (`fg_1`), for the manager. */
  find(id: string): JobEntry | undefined {
    return this.#entries.get(id);
  }
}
