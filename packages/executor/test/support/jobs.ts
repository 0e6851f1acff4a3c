/**
 * A job manager that goes away after its test, and work that the test ends.
 */
import { onTestFinished } from "vitest";
import type { JobDelivery, JobEnd, JobWork } from "../../src/jobs/job.ts";
import { JobManager } from "../../src/jobs/job-manager.ts";
import type { JobManagerOptions } from "../../src/jobs/job-options.ts";
import { deferred } from "./waiting.ts";

/** A manager. */
export async function open(options: JobManagerOptions = {}): Promise<JobManager> {
  const manager = await JobManager.open(options);
  onTestFinished(() => manager.dispose());
  return manager;
}

/** Work that the test ends, and that ends by itself when it is cancelled. */
export function work() {
  const end = deferred<JobEnd>();
  const run: JobWork = (context) => {
    context.signal.addEventListener("abort", () => end.resolve({ text: "[Command cancelled]" }));
    return end.promise;
  };
  return {
    run,
    end: (result: Partial<JobEnd> = {}) => end.resolve({ text: "done\n", exitCode: 0, ...result }),
    fail: end.reject,
  };
}

/** Work that ends at once. */
export const quick =
  (text = "done\n", exitCode = 0): JobWork =>
  async () => ({ text, exitCode });

/** What a sink was given, in order. */
export function receive(manager: JobManager, owner?: string) {
  const got: JobDelivery[] = [];
  const stop = manager.subscribe(owner, (batch) => {
    got.push(...batch);
  });
  return { got, stop };
}
