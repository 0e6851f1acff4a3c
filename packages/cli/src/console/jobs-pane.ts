/**
 * The background jobs, for the person at the console: what there is, what one writes, and its end.
 */
import { ArtifactError, type JobManager, type TaskTerminal } from "@pi-bash/executor";
import { listLine } from "@pi-bash/executor/internal";
import type { Theme } from "@pi-bash/renderer";
import { textRows } from "./blocks.ts";
import type { Work } from "./console-session.ts";

/** Most bytes of output shown at once; a job that writes more is followed by its newest. */
const LOOK_BYTES = 64 * 1024;
/** Longest wait for news, in milliseconds; then it is waited again. */
const WAIT_MS = 60_000;
/** Who follows, as the job's log knows them. */
const READER = "console";

export class JobsPane {
  readonly #manager: JobManager;
  readonly #owner: string;
  readonly #theme: Theme;

  constructor(manager: JobManager, owner: string, theme: Theme) {
    this.#manager = manager;
    this.#owner = owner;
    this.#theme = theme;
  }

  /** Jobs that run now. */
  get runningCount(): number {
    return this.#manager.runningCount;
  }

  /** A line for each job. */
  list(): string {
    const lines = this.#manager.list(this.#owner).map((job) => listLine(job, Date.now()));
    return lines.length === 0 ? "No background jobs." : lines.join("\n");
  }

  /** Ends a job. The text says what was done. */
  async kill(id: string): Promise<string> {
    return (await this.#manager.cancel(id, this.#owner)).text;
  }

  /** The terminal of a task of this person that runs on one; undefined: it has none. */
  terminal(id: string): TaskTerminal | undefined {
    const isOurs = this.#manager.list(this.#owner).some((job) => job.id === id);
    const terminal = isOurs ? this.#manager.terminal(id) : undefined;
    return terminal?.isOver === false ? terminal : undefined;
  }

  /** Shows what a job writes, from where it was looked at last, until it ends or the person has seen enough. */
  attach(id: string, show: (text: string) => void): Work {
    const hint = `following ${id} (esc stops following; the job goes on)`;
    return {
      live: { render: ({ width }) => textRows(hint, width, this.#theme, "running"), toggle: () => undefined },
      isKept: false,
      run: async (signal) => {
        try {
          while (!signal.aborted && (await this.#look(id, signal, show)));
        } catch (error) {
          if (!(error instanceof ArtifactError)) throw error;
          show(error.message);
        }
      },
    };
  }

  /** One look; false when there is nothing more to see. */
  async #look(id: string, stop: AbortSignal, show: (text: string) => void): Promise<boolean> {
    const isOurs = this.#manager.list(this.#owner).some((job) => job.id === id);
    const options = { reader: READER, timeoutMs: WAIT_MS, stop, wakesOnOutput: true, maxBytes: LOOK_BYTES };
    const report = isOurs ? await this.#manager.follow(id, options) : undefined;
    if (report === undefined) {
      show(`Background job not found: ${id}`);
      return false;
    }
    const { job, output } = report;
    if (output.isIncomplete) show("… (some lines are left out)");
    if (output.text !== "") show(output.text);
    report.commit();
    if (job.endedAtMs === undefined) return true;
    show(listLine(job, Date.now()));
    return false;
  }
}
