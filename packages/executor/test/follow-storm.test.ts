/**
 * A sample of the storms of `follow-storm.soak.ts`: no reader of a job gets a line twice or never.
 */
import { it } from "vitest";
import { followStorm } from "./support/follow-storm.ts";

it.each([1, 2, 3, 4])(
  "readers that come, leave and filter at random get every line once (seed %i)",
  async (seed) => {
    await followStorm(seed);
  },
  60_000,
);
