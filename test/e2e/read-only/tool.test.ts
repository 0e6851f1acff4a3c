/**
 * Through the bash tool, in mode `default` and with a person who refuses everything, nothing changes either: what the
 * policy does not refuse runs so that it can only read. The same attempts and the same world as for read-only commands;
 * that each has an effect without is seen in `attempts.test.ts`.
 *
 * Few of the attempts look as if they only read. So they are made once more inside a one-liner of an interpreter, which
 * the policy lets run unasked: each sixth here, all of them in the soak (`test/soak/read-only-tool.test.ts`).
 */
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-ways.ts";
import { allAttempts } from "./attempts/all.ts";
import { attemptsByTool, effectsIn } from "./world/by-tool.ts";

/** Time for some 300 commands and twice as many looks at everything, on a machine that does more beside. */
const SLOW_MS = 240_000;

const { available, reason: unavailable } = capabilities().readOnly;
const lack = available ? "" : ` (${unavailable})`;

describe(`the bash tool, whose questions are refused${lack}`, () => {
  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    it(`lets no attempt of ${user} change anything${reason}`, {
      skip: !available || !works,
      timeout: SLOW_MS,
    }, async () => {
      const { plain, inside, unconfined, seeded } = await attemptsByTool(options, { every: 6, longestMs: SLOW_MS });

      expect(effectsIn(plain)).toEqual({});
      expect(Object.keys(plain)).toEqual([...allAttempts().keys()]);
      expect(effectsIn(inside)).toEqual({});
      // None of those inside is refused, or the kernel would have had nothing to hold.
      expect(Object.entries(inside).filter(([, { ran }]) => ran === 0)).toEqual([]);
      expect(effectsIn(unconfined)).toEqual({});
      expect(Object.values(unconfined).map(({ ran }) => ran)).toEqual(Object.keys(unconfined).map(() => 0));
      // The test can fail: with a policy that lets everything through each of the same attempts is seen.
      expect(Object.keys(seeded).length).toBeGreaterThan(3);
      expect(Object.keys(effectsIn(seeded))).toEqual(Object.keys(seeded));
    });
  }
});
