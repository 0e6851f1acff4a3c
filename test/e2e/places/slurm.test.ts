/** Sessions over Slurm: what `sessions.ts` says of any place, and what is Slurm's own. */
import { spawnSync } from "node:child_process";
import { createExecutor } from "@pi-bash/executor";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { within } from "../../support/patience.ts";
import { absenceOfPlace, startPlaces, type TestPlaces } from "../../support/places.ts";
import { describePlace } from "./sessions.ts";

describePlace("slurm");

const absence = absenceOfPlace("slurm");

describe.skipIf(absence !== undefined)(`a job of Slurm${absence === undefined ? "" : ` (skipped: ${absence})`}`, () => {
  let places: TestPlaces;

  beforeAll(async () => {
    places = await startPlaces("slurm");
  }, 180_000);

  afterAll(() => places?.stop(), 90_000);

  it("that is cancelled is reported as what it was", { timeout: 90_000 }, async () => {
    const place = places.make();
    const executor = createExecutor({}, { place, usesSnapshot: false });
    try {
      const { output: job } = await executor.executeBash('printf %s "$SLURM_JOB_ID"');
      expect(job).toMatch(/^\d+$/);
      const run = executor.executeBash("echo begun; sleep 300", {
        onUpdate: (tail) => {
          if (tail.includes("begun")) spawnSync("scancel", [job], { env: places.env });
        },
      });
      const result = await within("the cancelled command", run, 60_000);
      expect(result).toMatchObject({ cancelled: true, place: "slurm" });
      expect(result.output).toMatch(
        new RegExp(`^\\[The job was cancelled .*\\(Slurm job ${job}: CANCELLED\\)\\]\nbegun`),
      );
    } finally {
      await executor.dispose();
      await place.close();
    }
  });
});
