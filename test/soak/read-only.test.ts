/**
 * 10,000 generated lines as read-only commands, each held by the kernel alone. `PI_BASH_SOAK_SEED` repeats a run, given the
 * same programs; `PI_BASH_READ_ONLY_LINES` sets how many lines. A sample: `test/e2e/read-only/generated.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { CONTROL_CLASSES } from "../../packages/policy/test/differential/controls.ts";
import { whyNoSandbox } from "../../packages/policy/test/differential/sandbox.ts";
import { soakSeed } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { prepareFixtures } from "./read-only/fixture.ts";
import { generatedCases, tryAll } from "./read-only/generated.ts";

const reason = whyNoSandbox();
const LINES = Number(process.env["PI_BASH_READ_ONLY_LINES"] ?? 10_000);
/** Lines that are run without, to see what they would do. */
const CONTROL_LINES = 500;

describe.skipIf(reason !== undefined)(
  `generated lines as read-only commands${reason ? ` (skipped: ${reason})` : ""}`,
  () => {
    it(`${LINES} of them change nothing`, async () => {
      const cases = generatedCases(LINES, soakSeed(), true);
      const { confined, control } = prepareFixtures(scratchFolder());

      const tried = await tryAll(cases, confined);
      const without = await tryAll(cases.slice(0, CONTROL_LINES), control);

      process.stdout.write(
        `read-only: ${tried.run} lines (${tried.timedOut} stopped for their time), ${tried.found.length} had an effect; ` +
          `without: ${without.found.length} of ${without.run}\n`,
      );
      expect(tried.found.join("\n")).toBe("");
      expect(without.found.length).toBeGreaterThan(without.run / 4);
    });

    it("lines that looked read-only and were not change nothing, and without they do", async () => {
      const cases = CONTROL_CLASSES.flatMap((each) => each.cases);
      const { confined, control } = prepareFixtures(scratchFolder());

      const tried = await tryAll(cases, confined);
      const without = await tryAll(cases, control);

      expect(tried.found.join("\n")).toBe("");
      // Programs of theirs may be missing; that each has an effect where it can is held by the harness's own test.
      expect(without.found.length).toBeGreaterThan(cases.length / 2);
    });
  },
);
