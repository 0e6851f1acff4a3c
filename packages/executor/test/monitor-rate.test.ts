/** How often watches may start turns. */
import { expect, it } from "vitest";
import { TurnBucket } from "../src/jobs/monitor-rate.ts";

it("watches of an agent start ten turns at once, and then one more every two seconds, and never save up more", () => {
  let now = 500;
  const bucket = new TurnBucket(() => now);
  const taken = () => {
    let count = 0;
    while (count < 50 && bucket.take()) count += 1;
    return count;
  };
  const counts = [0, 1_999, 1, 3_000, 1_000, 1_000_000, 4_000].map((passed) => {
    now += passed;
    return taken();
  });

  expect(counts).toEqual([10, 0, 1, 1, 1, 10, 2]);
});
