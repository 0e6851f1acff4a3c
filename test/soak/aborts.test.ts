/** 2,000 aborts at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { it } from "vitest";
import { soakAborts } from "./aborts.ts";
import { soakSeed } from "./random.ts";

it("2,000 aborts at random moments lose no session and leave nothing behind", async () => {
  await soakAborts(2_000, soakSeed());
});
