/**
 * The attempts of `test/e2e/read-only`, each inside a one-liner that the policy lets run, and 10,000 generated lines, as
 * calls of the bash tool whose questions are refused. `PI_BASH_SOAK_SEED` repeats a run, given the same programs;
 * `PI_BASH_READ_ONLY_LINES` sets how many lines. Samples: `tool.test.ts` and `generated.test.ts` there.
 */
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { CONTROL_CLASSES } from "../../packages/policy/test/differential/controls.ts";
import { whyNoSandbox } from "../../packages/policy/test/differential/sandbox.ts";
import { attemptsByTool, effectsIn } from "../e2e/read-only/world/by-tool.ts";
import { soakSeed } from "../support/random.ts";
import { USERS } from "../support/sandbox-ways.ts";
import { scratchFolder } from "../support/scratch.ts";
import { prepareFixtures } from "./read-only/fixture.ts";
import { generatedCases, tryAll } from "./read-only/generated.ts";

const LINES = Number(process.env["PI_BASH_READ_ONLY_LINES"] ?? 10_000);
/** Lines that are made with a policy that lets everything through, to see what they would do. */
const CONTROL_LINES = 300;
/** Bound of all attempts of one user, in milliseconds. */
const LONGEST_MS = 900_000;

const { available, reason: unavailable } = capabilities().readOnly;
const noSandbox = whyNoSandbox();

describe.skipIf(!available)(`attempts by the tool${available ? "" : ` (skipped: ${unavailable})`}`, () => {
  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    it.skipIf(!works)(`inside a one-liner, of ${user}, change nothing${reason}`, async () => {
      const { plain, inside } = await attemptsByTool(options, { every: 1, longestMs: LONGEST_MS });

      expect(effectsIn(plain)).toEqual({});
      expect(effectsIn(inside)).toEqual({});
      expect(Object.keys(inside)).toEqual(Object.keys(plain));
      expect(Object.entries(inside).filter(([, { ran }]) => ran === 0)).toEqual([]);
    });
  }
});

describe.skipIf(noSandbox !== undefined)(
  `generated lines as calls of the tool${noSandbox ? ` (skipped: ${noSandbox})` : ""}`,
  () => {
    it(`${LINES} of them, and those that looked read-only and were not, change nothing`, async () => {
      const generated = generatedCases(LINES, soakSeed(), true);
      const cases = [...CONTROL_CLASSES.flatMap((each) => each.cases), ...generated];
      const { tool, toolControl } = prepareFixtures(scratchFolder());

      const tried = await tryAll(cases, tool);
      const seeded = await tryAll(generated.slice(0, CONTROL_LINES), toolControl);

      process.stdout.write(
        `read-only by the tool: ${tried.run} lines, ${tried.refused} refused, ${tried.timedOut} stopped for their time, ` +
          `${tried.found.length} had an effect; with all let through: ${seeded.found.length} of ${seeded.run}\n`,
      );
      expect(tried.found.join("\n")).toBe("");
      expect(seeded.found.length).toBeGreaterThan(seeded.run / 4);
    });
  },
);
