/**
 * A real command as a job, and reading its output as someone who awaits it does.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BashWorkOptions, bashWork } from "../../src/jobs/bash-work.ts";
import type { FollowOptions, FollowReport } from "../../src/jobs/follow.ts";
import type { JobManager } from "../../src/jobs/job-manager.ts";
import type { JobManagerOptions } from "../../src/jobs/job-options.ts";
import { open } from "./jobs.ts";
import { type Real, type RealOptions, real } from "./real.ts";
import { until } from "./waiting.ts";

/** Longer than anything takes. */
export const LONG_MS = 60_000;

export interface Scene extends Real {
  manager: JobManager;
  /** Starts a command in the background; its id. */
  start: (command: string, options?: Partial<BashWorkOptions>) => string;
  /** Reads what is new, and counts it as given out. */
  next: (id: string, options?: Partial<FollowOptions>) => Promise<FollowReport>;
  /** Lets a command go on that waits for the file of that name. */
  touch: (name: string) => void;
  /** Waits until a job has written so much. */
  written: (id: string, text: string) => Promise<void>;
}

/** `wait_for go`, as bash text: goes on when the test makes the file. */
export const waitFor = (name: string): string => `until [ -e ${name} ]; do sleep 0.02; done`;

/** Jobs on the real runtime. */
export async function followScene(options: JobManagerOptions = {}, more: RealOptions = {}): Promise<Scene> {
  const made = real({ usesSnapshot: false, ...more });
  const manager = await open({ artifacts: made.executor.artifacts, ...options });
  const follow = async (id: string, more: Partial<FollowOptions> = {}): Promise<FollowReport> => {
    const defaults = { reader: "one", timeoutMs: LONG_MS, wakesOnOutput: true, maxBytes: 51_200 };
    const report = await manager.follow(id, { ...defaults, ...more });
    if (report === undefined) throw new Error(`there is no job ${id}`);
    report.commit();
    return report;
  };
  return {
    ...made,
    manager,
    start: (command, more = {}) =>
      manager.start({
        command,
        owner: "one",
        work: bashWork(made.executor, command, { session: "own", cwd: made.folder, timeoutMs: LONG_MS, ...more }),
      }).id,
    next: follow,
    touch: (name) => writeFileSync(join(made.folder, name), ""),
    written: (id, text) =>
      until(() => manager.read(id, "one")?.text.includes(text) === true, `${id} to write ${JSON.stringify(text)}`),
  };
}
