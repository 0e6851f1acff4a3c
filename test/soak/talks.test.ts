/** 2,000 tasks on terminals, started, typed to and ended at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { expect, it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakTalks } from "./talks.ts";

const TASKS = 2_000;

it("2,000 tasks on terminals with sends and ends at random moments leave nothing behind", async () => {
  const counts = await soakTalks(TASKS, soakSeed());

  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(counts.starts).toBe(TASKS);
});
