/**
 * Two hundred storms of readers over jobs. The seed is printed; `PI_BASH_SOAK_SEED` repeats it.
 */
import { it } from "vitest";
import { soakSeed } from "../../../test/support/random.ts";
import { followStorm } from "./support/follow-storm.ts";

const STORMS = 200;
const first = soakSeed();

it.each(Array.from({ length: STORMS }, (_, at) => first + at))(
  "readers that come, leave and filter at random get every line once (seed %i)",
  async (seed) => {
    await followStorm(seed);
  },
  60_000,
);
