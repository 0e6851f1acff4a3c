/**
 * Thousands of random sequences of commands, each judged by plain bash. `PI_BASH_SOAK_SEED` repeats a run; what a session
 * does differently on purpose is listed in `differential/differences.ts`.
 */
import { describe, it } from "vitest";
import { soakSeed } from "../support/random.ts";
import { compareSequences } from "./differential/sequences.ts";

describe("random sequences of commands do in a session what they do in plain bash", () => {
  const seed = soakSeed();

  it("3,000 of them as they are", async () => {
    await compareSequences(3_000, seed, { ends: false, clones: false });
  });

  it("1,500 with shells that end on the way and are replaced", async () => {
    await compareSequences(1_500, seed, { ends: true, clones: false });
  });

  it("1,500 with copies of the session beside them, and shells that end", async () => {
    await compareSequences(1_500, seed, { ends: true, clones: true });
  });
});
