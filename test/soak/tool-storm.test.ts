/** 20 storms of 100 tool calls over 10 sessions. `PI_BASH_SOAK_SEED` repeats a run. */
import { it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakToolStorm } from "./tool-storm.ts";

it("20 storms of 100 tool calls over 10 sessions lose nothing and leave nothing", async () => {
  await soakToolStorm({ rounds: 20, calls: 100, sessions: 10, seed: soakSeed() });
});
