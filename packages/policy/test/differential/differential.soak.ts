/**
 * What `classify` calls read-only only reads, tried long: every option of every program, then random lines.
 *
 * `PI_BASH_DIFFERENTIAL_LINES` sets how many random read-only lines are run, `PI_BASH_SOAK_SEED` repeats a run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { soakSeed } from "../../../../test/support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { describeFindings, subjectsHere, summarize, tryCases } from "./findings.ts";
import { everyNth, randomCases, type Subject, sweepOptions, sweepValues } from "./generate.ts";
import { type Fixture, prepareFixture, whyNoSandbox } from "./sandbox.ts";

const folder = scratchFolder();
const reason = whyNoSandbox();
const LINES = Number(process.env["PI_BASH_DIFFERENTIAL_LINES"] ?? 20_000);
/** One in so many of the options' values is tried; the seed says which. */
const STEP = Number(process.env["PI_BASH_DIFFERENTIAL_STEP"] ?? 100);
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

  it.each([
    ["any option of any program", () => sweepOptions(subjects)],
    [`one in ${STEP} of their values`, () => everyNth(sweepValues(subjects), STEP, seed)],
  ])("has no effect with %s", async (kind, cases) => {
    const tried = await tryCases(cases(), fixture, () => false);

    process.stdout.write(summarize(kind, tried, subjects, absent));
    expect(describeFindings(tried.found)).toBe("");
  });

  it("has no effect in random lines", async () => {
    const tried = await tryCases(randomCases(subjects, seed), fixture, ({ run }) => run >= LINES);

    process.stdout.write(summarize("random lines", tried, subjects, absent));
    expect(describeFindings(tried.found)).toBe("");
    expect(tried.run).toBeGreaterThanOrEqual(LINES);
  });
});
