/** A service that is killed until it has failed, with the pauses that agents have: half a minute in all. */
import { expect, it } from "vitest";
import { RESTART_LIMITS } from "../../src/tasks/service-restarts.ts";
import { killUntilFailed } from "../support/service-kills.ts";

/** What a busy machine may take to see an end and to start the next one, in milliseconds. */
const PATIENCE_MS = 3_000;

it("a service that is killed is started again after 1, 2, 4, 8 and 16 seconds, then failed (20)", async () => {
  const pauses = await killUntilFailed(RESTART_LIMITS);
  for (const [at, pauseMs] of pauses.entries()) {
    const wantedMs = 1_000 * 2 ** at;
    expect(pauseMs).toBeGreaterThanOrEqual(wantedMs - 50);
    expect(pauseMs).toBeLessThan(wantedMs + PATIENCE_MS);
  }
});
