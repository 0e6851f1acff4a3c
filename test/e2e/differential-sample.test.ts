/** A few seconds of what `npm run soak` compares at length, with the same code and always the same sequences. */
import { describe, it } from "vitest";
import { compareSequences } from "../soak/differential/sequences.ts";

describe("a sample of random sequences", () => {
  it.each([
    ["as they are", { ends: false, clones: false }],
    ["with shells that end on the way", { ends: true, clones: false }],
    ["with copies of the session", { ends: true, clones: true }],
  ])("40 %s do in a session what they do in plain bash", async (_, flavour) => {
    await compareSequences(40, 1, flavour);
  });
});
