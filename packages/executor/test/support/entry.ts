/**
 * A job as an entry, without a manager: the test ends it.
 */
import type { JobEnd, JobView } from "../../src/jobs/job.ts";
import { newEntry, settledView } from "../../src/jobs/job-entry.ts";

/** A job with an id; `end` ends it. */
export function job(more: Partial<JobView> = {}) {
  const entry = newEntry(
    { command: "make all", owner: "me", title: "the build", work: async () => ({ text: "" }) },
    1_000,
  );
  entry.view = { ...entry.view, id: "bg_1", ...more };
  const end = (result: JobEnd | undefined, nowMs = 2_000): void =>
    entry.settle(settledView(entry, result, nowMs), result?.text ?? "failed", result);
  return { entry, end };
}
