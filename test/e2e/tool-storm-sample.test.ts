/** One storm of what `npm run soak` does at length, with the same code. */
import { it } from "vitest";
import { soakToolStorm } from "../soak/tool-storm.ts";
import { soakSeed } from "../support/random.ts";

it("a storm of 100 tool calls over 10 sessions loses nothing and leaves nothing", async () => {
  await soakToolStorm({ rounds: 1, calls: 100, sessions: 10, seed: soakSeed() });
}, 180_000);
