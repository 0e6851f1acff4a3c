/**
 * What `classify` calls read-only only reads, tried long: every option of every program, then random lines.
 *
 * `PI_BASH_DIFFERENTIAL_LINES` sets how many read-only lines with values, and how many random ones, are run;
 * `PI_BASH_SOAK_SEED` repeats a run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { soakSeed } from "../../../../test/support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import type { Case } from "./case.ts";
import { describeFindings, subjectsHere, summarize, tryCases } from "./findings.ts";
import { randomCases, type Subject, sampleValues, sweepOptions } from "./generate.ts";
import { type Fixture, prepareFixture, whyNoSandbox } from "./sandbox.ts";

const folder = scratchFolder();
const reason = whyNoSandbox();
const LINES = Number(process.env["PI_BASH_DIFFERENTIAL_LINES"] ?? 20_000);
const title = `what is called read-only${reason === undefined ? "" : ` (skipped: ${reason})`}`;

describe.skipIf(reason !== undefined)(title, () => {
  const seed = soakSeed();
  let fixture: Fixture;
  let subjects: readonly Subject[];
  let absent: readonly string[];
  beforeAll(() => {
    fixture = prepareFixture(folder);
    ({ subjects, absent } = subjectsHere(true));
  }, 600_000);

  it("has no effect with any option of any program", async () => {
    await expectNoEffect("options", sweepOptions(subjects), Number.POSITIVE_INFINITY);
  });

  it("has no effect with values of options", async () => {
    await expectNoEffect("values", sampleValues(subjects, seed), LINES);
  });

  it("has no effect in random lines", async () => {
    await expectNoEffect("random lines", randomCases(subjects, seed), LINES);
  });

  async function expectNoEffect(kind: string, cases: Iterable<Case>, most: number): Promise<void> {
    const tried = await tryCases(cases, fixture, ({ run }) => run >= most);

    process.stdout.write(summarize(kind, tried, subjects, absent));
    expect(describeFindings(tried.found)).toBe("");
    expect(tried.run).toBeGreaterThan(Math.min(most, 1_000) - 1);
  }
});
