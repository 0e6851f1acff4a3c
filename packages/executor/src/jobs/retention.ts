/**
 * How long an ended job is kept: results that were read a little while, others longer, untaken ones until they are taken.
 */
import { JOB_CONSUMED_RETENTION_MS, JOB_RETENTION_MS } from "@pi-bash/contract/internal";
import type { JobEntry } from "./job-entry.ts";

/** Ended jobs that are kept although no one took their result; the oldest go first. */
const MAX_KEPT_JOBS = 1_000;

/** Ids of the jobs that were kept long enough. `entries` in the order they started. */
export function forgettable(entries: readonly JobEntry[], nowMs: number): string[] {
  const ended = entries.filter((entry) => !entry.isRunning);
  const surplus = new Set(ended.slice(0, Math.max(0, ended.length - MAX_KEPT_JOBS)));
  return ended.filter((entry) => surplus.has(entry) || isOver(entry, nowMs)).map((entry) => entry.view.id);
}

function isOver(entry: JobEntry, nowMs: number): boolean {
  if (entry.takenAtMs !== undefined) return nowMs - entry.takenAtMs >= (entry.keptMs ?? JOB_CONSUMED_RETENTION_MS);
  const isDone = entry.delivery === "delivered" || entry.isQuiet;
  return isDone && nowMs - (entry.view.endedAtMs ?? nowMs) >= JOB_RETENTION_MS;
}
