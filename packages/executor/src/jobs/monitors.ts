/**
 * The watches of a job manager: at most one for each reader and expression of a job, and so many in all.
 */
import type { JobEntry } from "./job-entry.ts";
import type { JobNewsItem } from "./job-news.ts";
import { logFilter } from "./log-reader.ts";
import { Monitor, type MonitorOptions } from "./monitor.ts";
import { TurnBucket } from "./monitor-rate.ts";

/** Watches at one time: each holds up to 3,000 bytes that were not sent, so that all hold less than 64 KiB. */
const MAX_MONITORS = 16;

/** There are as many watches as there may be. */
export class MonitorLimitError extends Error {
  readonly code = "PI_MONITOR_LIMIT";

  constructor() {
    super(`${MAX_MONITORS} watches are on already. End one first (notify: "off" with its filter).`);
    this.name = "MonitorLimitError";
  }
}

export interface MonitorsPort {
  /** A job that is there. */
  entry(id: string): JobEntry | undefined;
  /** Queues a text about a job for its owner. */
  put(entry: JobEntry, news: JobNewsItem): void;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** A watch does not hold the job's result back any more. */
  released(entry: JobEntry): void;
}

/** What became of a request for a watch. */
export interface MonitorStart {
  /** Number of the first line that is looked at; absent where only the mode was changed. */
  fromLine?: number;
}

/** Expressions that are watched for in what the jobs of a manager write, each for a reader. */
export class JobMonitors {
  readonly #port: MonitorsPort;
  readonly #all = new Map<string, Monitor>();
  readonly #buckets = new Map<string | undefined, TurnBucket>();

  constructor(port: MonitorsPort) {
    this.#port = port;
  }

  /**
   * Watches a job, or changes the mode of the watch that is on. Undefined: there is no such job, or it has ended. Throws
   * `ArtifactError` for an expression that is none and `MonitorLimitError`.
   */
  async watch(id: string, options: MonitorOptions): Promise<MonitorStart | undefined> {
    const filter = logFilter(options.filter, false);
    const entry = this.#port.entry(id);
    if (entry === undefined || !entry.isRunning) return undefined;
    const key = keyOf(id, options);
    const there = this.#all.get(key);
    if (there !== undefined) {
      there.mode = options.mode;
      return {};
    }
    if (this.#all.size >= MAX_MONITORS) throw new MonitorLimitError();
    const { owner } = entry.view;
    const now = (): number => this.#port.now();
    const bucket = this.#buckets.get(owner) ?? new TurnBucket(now);
    this.#buckets.set(owner, bucket);
    const monitor: Monitor = new Monitor(entry, filter, options, {
      bucket,
      now,
      put: (news) => this.#port.put(entry, news),
      over: () => {
        if (this.#all.get(key) === monitor) this.#all.delete(key);
        if (this.#all.size === 0) this.#buckets.clear();
        this.#port.released(entry);
      },
    });
    this.#all.set(key, monitor);
    return { fromLine: await monitor.begin() };
  }

  /** Ends a watch. Whether there was one. */
  unwatch(id: string, watched: Pick<MonitorOptions, "reader" | "filter">): boolean {
    const monitor = this.#all.get(keyOf(id, watched));
    monitor?.stop();
    return monitor !== undefined;
  }

  /** Ends all of them. */
  close(): void {
    for (const monitor of [...this.#all.values()]) monitor.stop();
  }
}

function keyOf(id: string, { reader, filter }: Pick<MonitorOptions, "reader" | "filter">): string {
  return JSON.stringify([id, reader, filter]);
}
