/** 1,000 kills at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakKills } from "./kills.ts";

it("1,000 kills of a part at random moments are reported truthfully and leave nothing behind", async () => {
  await soakKills(1_000, soakSeed());
});
