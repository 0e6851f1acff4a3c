/** The failure cases, twenty times in a row. */
import { it } from "vitest";
import { passRound } from "./round.ts";

const ROUNDS = 20;

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))("round %i of the failure cases passes", async () => {
  await passRound("test/e2e/failures");
});
