/** A few seconds of the soak of tasks on terminals, with the same code. */
import { it } from "vitest";
import { soakTalks } from "../soak/talks.ts";
import { soakSeed } from "../support/random.ts";

it.skipIf(process.platform !== "linux")(
  "30 tasks on terminals with sends and ends at random moments leave nothing behind (counted in `/proc`)",
  async () => {
    await soakTalks(30, soakSeed());
  },
  180_000,
);
