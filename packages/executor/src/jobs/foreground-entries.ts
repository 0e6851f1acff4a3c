/**
 * Commands that a call waits for, by ids of their own: so that a person can look at one, or end it, before it is a job.
 *
 * An id leads to the command until that has ended, also where it has become a job meanwhile.
 */
import { type JobEntry, type OwnedJob, toOwnedJob } from "./job-entry.ts";

export class ForegroundEntries {
  readonly #entries = new Map<string, JobEntry>();
  #lastNumber = 0;

  /** Counts one in, until it has ended. */
  enter(entry: JobEntry): void {
    this.#lastNumber += 1;
    const id = `fg_${this.#lastNumber}`;
    this.#entries.set(id, entry);
    void entry.whenEnded().then(() => this.#entries.delete(id));
  }

  /** Those that are not jobs, oldest first. */
  list(): OwnedJob[] {
    return [...this.#entries]
      .filter(([, entry]) => !entry.isJob)
      .map(([id, entry]) => {
        const { job, command } = toOwnedJob(entry);
        return { job: { ...job, id }, command };
      });
  }

  find(id: string): JobEntry | undefined {
    return this.#entries.get(id);
  }
}
