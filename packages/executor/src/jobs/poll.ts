/**
 * Waits for jobs and takes their results. A poll is a view: ending it ends nothing (JB-11).
 */
import { type WaitEnd, waitWithin } from "@pi-bash/contract/internal/wait";
import type { JobView } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";

/** How long jobs are waited for. */
export interface PollOptions {
  /** Most time to wait, in milliseconds; 0: not at all. Default: until one has ended. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What a poll found of one job. */
export type JobReport =
  | { id: string; kind: "not_found" }
  /** `tail`: the newest output. */
  | { id: string; kind: "running"; job: JobView; tail: string }
  /** `text` is absent where someone took the result before. */
  | { id: string; kind: "ended"; job: JobView; text?: string };

/** How the jobs stood when the wait was over. */
export interface PollResult {
  /** In the order of the ids, each once. */
  reports: JobReport[];
  /** The signal ended the wait; no result was taken. */
  isAborted: boolean;
}

interface Wanted {
  id: string;
  entry: JobEntry | undefined;
}

export interface PollPort {
  now(): number;
  /** A result was taken. */
  taken(entry: JobEntry): void;
  /** No one waits for it here any more. */
  released(entry: JobEntry): void;
}

/** Waits until one of the running jobs has ended, unless one of them has something to take already. */
export async function pollJobs(wanted: readonly Wanted[], options: PollOptions, port: PollPort): Promise<PollResult> {
  const entries = wanted.map(({ entry }) => entry).filter((entry) => entry !== undefined);
  const running = entries.filter((entry) => entry.isRunning);
  const hasResult = entries.some((entry) => !entry.isRunning && isTakeable(entry));
  for (const entry of running) entry.watch();
  let isAborted = options.signal?.aborted === true;
  try {
    if (!hasResult && running.length > 0 && !isAborted) isAborted = (await firstEnd(running, options)) === "aborted";
    const reports = wanted.map((one) => report(one, new Set(running), isAborted, port));
    return { reports, isAborted };
  } finally {
    for (const entry of running) {
      entry.unwatch();
      port.released(entry);
    }
  }
}

function isTakeable(entry: JobEntry): boolean {
  return entry.delivery === "none" || entry.delivery === "queued";
}

async function firstEnd(running: readonly JobEntry[], options: PollOptions): Promise<WaitEnd | "value" | "error"> {
  const { kind } = await waitWithin(Promise.race(running.map((entry) => entry.whenEnded())), options);
  return kind;
}

function report(
  { id, entry }: Wanted,
  waitedFor: ReadonlySet<JobEntry>,
  isAborted: boolean,
  port: PollPort,
): JobReport {
  if (entry === undefined) return { id, kind: "not_found" };
  const job = entry.view;
  if (entry.isRunning) return { id, kind: "running", job, tail: entry.tail };
  if (isAborted) return { id, kind: "ended", job };
  const isFirst = entry.consume(port.now());
  if (isFirst) port.taken(entry);
  // Everyone who waited when it ended gets the same; only those who come later find it taken.
  const wasTakenByPoll = entry.delivery === "consumed" && waitedFor.has(entry);
  return isFirst || wasTakenByPoll ? { id, kind: "ended", job, text: entry.text } : { id, kind: "ended", job };
}
