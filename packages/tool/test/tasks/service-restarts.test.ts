/** Services that fail: how long they pause, and when they are given up. The number in brackets is that of the study's acceptance case. */
import { describe, expect, it } from "vitest";
import { RESTART_LIMITS, Restarts } from "../../src/tasks/service-restarts.ts";
import { killUntilFailed } from "../support/service-kills.ts";

const SECOND = 1_000;

describe("a service that fails", () => {
  it("is started again after 1, 2, 4, 8 and 16 seconds, and not a sixth time within ten minutes (20)", () => {
    const restarts = new Restarts(RESTART_LIMITS);
    const pauses = Array.from({ length: 7 }, (_, at) => restarts.pauseAfterFailure(at * 60 * SECOND));
    expect(pauses).toEqual([1 * SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, undefined, undefined]);
  });

  it("begins with the first pause again when its failures are ten minutes old", () => {
    const restarts = new Restarts(RESTART_LIMITS);
    for (let at = 0; at < 5; at += 1) restarts.pauseAfterFailure(at);
    expect(restarts.pauseAfterFailure(600 * SECOND + 4)).toBe(1 * SECOND);
  });

  it("pauses for the longest pause at most", () => {
    const restarts = new Restarts({ ...RESTART_LIMITS, mostRestarts: 8 });
    const pauses = Array.from({ length: 8 }, (_, at) => restarts.pauseAfterFailure(at));
    expect(pauses.slice(4)).toEqual([16 * SECOND, 30 * SECOND, 30 * SECOND, 30 * SECOND]);
  });

  it("with `kill -9` is reported, ready again five times, then failed, and can be started by its name (20)", async () => {
    await killUntilFailed({ ...RESTART_LIMITS, firstPauseMs: 20, longestPauseMs: 100 });
  });
});
