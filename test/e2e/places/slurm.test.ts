/** Sessions over Slurm: what `sessions.ts` says of any place, and what is Slurm's own. */
import { afterAll, beforeAll, describe } from "vitest";
import { absenceOfPlace } from "../../support/places.ts";
import { describePlace } from "./sessions.ts";
import { slurmEnds } from "./slurm-ends.ts";
import { LIMIT_MS, SlurmLab } from "./slurm-lab.ts";
import { slurmQueues } from "./slurm-queues.ts";
import { slurmSessions } from "./slurm-sessions.ts";

describePlace("slurm");

const absence = absenceOfPlace("slurm");
const title = absence === undefined ? "" : ` (skipped: ${absence})`;

describe.skipIf(absence !== undefined)(`a job of Slurm${title}`, () => {
  let lab: SlurmLab;

  beforeAll(async () => {
    lab = await SlurmLab.start();
  }, 2 * LIMIT_MS);

  afterAll(() => lab?.places.stop(), LIMIT_MS);

  slurmEnds(() => lab);
  slurmQueues(() => lab);
  slurmSessions(() => lab);
});
