/** 10,000 stops at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakStops } from "./stops.ts";

it("10,000 stops", async () => {
  console.log(await soakStops(Number(process.env["N"] ?? 10_000), soakSeed()));
});
