/** 2,000 aborts at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakAborts } from "./aborts.ts";

it("2,000 aborts at random moments lose no session and leave nothing behind", async () => {
  await soakAborts(2_000, soakSeed());
});
