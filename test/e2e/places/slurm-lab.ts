/**
 * The Slurm of a test file, and what its tests do with it. It is started once for all of them: a machine has one Slurm at a
 * time.
 */
import { createExecutor, type Executor, type ExecutorPorts } from "@pi-bash/executor";
import { type RemotePlace, type SlurmOptions, slurm } from "@pi-bash/places";
import { expect, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { startPlaces, type TestPlaces } from "../../support/places.ts";
import { SlurmPrograms } from "../../support/slurm-jobs.ts";

/** Most time of a test that has no reason to take longer, in milliseconds. */
export const LIMIT_MS = 90_000;

export class SlurmLab {
  readonly places: TestPlaces;
  readonly programs: SlurmPrograms;

  private constructor(places: TestPlaces) {
    this.places = places;
    this.programs = new SlurmPrograms(places.env);
  }

  static async start(): Promise<SlurmLab> {
    return new SlurmLab(await startPlaces("slurm"));
  }

  /** An executor on a place with these options; both end with the test, and then no job is there. */
  open(options: SlurmOptions = {}, ports: ExecutorPorts = {}): { executor: Executor; place: RemotePlace } {
    const { common } = this.places;
    const place = slurm({ ...common, ...options, env: { ...common.env, ...options.env } });
    const where = ports.placement === undefined ? { place } : {};
    const executor = createExecutor({}, { ...where, usesSnapshot: false, ...ports });
    onTestFinished(async () => {
      await executor.dispose();
      await place.close();
      await until("no job to be there", () => this.programs.jobs().length === 0, 30_000);
    }, LIMIT_MS);
    return { executor, place };
  }

  /** The job that a session is in. */
  async jobOf(executor: Executor, sessionKey?: string): Promise<string> {
    const key = sessionKey === undefined ? {} : { sessionKey };
    const { output } = await executor.executeBash('printf %s "$SLURM_JOB_ID"', key);
    expect(output).toMatch(/^\d+$/);
    return output;
  }

  /** What becomes of a command when `end` happens to its job. */
  async endedBy(executor: Executor, end: (job: string) => void, ms = 60_000) {
    const job = await this.jobOf(executor);
    let isBegun = false;
    const run = executor.executeBash("echo begun; sleep 300", {
      onUpdate: (tail) => {
        if (isBegun || !tail.includes("begun")) return;
        isBegun = true;
        end(job);
      },
    });
    return { job, result: await within("the command of the job that ended", run, ms) };
  }
}
