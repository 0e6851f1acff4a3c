/** 10,000 stops at random moments. `PI_BASH_SOAK_SEED` repeats a run. */
import { loadavg } from "node:os";
import { expect, it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { soakStops } from "./stops.ts";

/** Longest that 99 of 100 stops may take, in milliseconds, on a machine that has nothing else to do. */
const P99_MS = 20;

it("10,000 stops at random moments keep the session and leave nothing behind", async () => {
  const isQuiet = loadavg().every((load) => load < 1);
  const { prompt } = await soakStops(10_000, soakSeed());

  if (isQuiet) expect(prompt.p99).toBeLessThan(P99_MS);
});
