/**
 * What `classify` calls read-only only reads: a sample of the harness that `differential.soak.ts` runs long, and the
 * controls that prove what it can see.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { soakSeed } from "../../../../test/support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { CONTROL_CLASSES } from "./controls.ts";
import { describeFindings, isCalledReadOnly, subjectsHere, summarize, tryCases } from "./findings.ts";
import { everyNth, randomCases, sampleValues, sweepOptions } from "./generate.ts";
import { isInstalled } from "./programs.ts";
import { type Fixture, prepareFixture, whyNoSandbox } from "./sandbox.ts";

const folder = scratchFolder();
const reason = whyNoSandbox();
const title = reason === undefined ? "in the fixture" : `in the fixture (skipped: ${reason})`;

describe.each(CONTROL_CLASSES)("$title", ({ cases }) => {
  it("has at least ten spellings, none of them called read-only", () => {
    expect(cases.length).toBeGreaterThanOrEqual(10);
    expect(cases.filter(isCalledReadOnly).map(({ line }) => line)).toEqual([]);
  });
});

describe.skipIf(reason !== undefined)(title, () => {
  let fixture: Fixture;
  beforeAll(() => {
    fixture = prepareFixture(folder);
  });

  it.each(CONTROL_CLASSES)("shows what each line does: $title", async ({ cases }) => {
    const possible = cases.filter(({ line }) => PROGRAMS.every((name) => !hasWord(line, name) || isInstalled(name)));

    const first = await fixture.run(possible);
    // A line has two seconds, which a crowded machine may not give it.
    const late = possible.filter((_, index) => first[index]?.timedOut === true && first[index]?.effects.length === 0);
    const second = await fixture.run(late);

    const silent = possible.filter((each, index) => first[index]?.effects.length === 0 && !late.includes(each));
    const stillLate = late.filter((_, index) => second[index]?.effects.length === 0);
    expect([...silent, ...stillLate].map(({ line }) => line)).toEqual([]);
  });

  it("finds no effect of what is called read-only", { timeout: 300_000 }, async () => {
    const seed = soakSeed();
    const { subjects, absent } = subjectsHere(false);
    const enough = (most: number) => (tried: { readonly run: number }) => tried.run >= most;

    const alone = await tryCases(everyNth(sweepOptions(subjects), 211, seed), fixture, () => false);
    const valued = await tryCases(sampleValues(subjects, seed), fixture, enough(VALUE_LINES));
    const random = await tryCases(randomCases(subjects, seed), fixture, enough(RANDOM_LINES));

    const all = { options: alone, values: valued, "random lines": random };
    for (const [kind, tried] of Object.entries(all)) process.stdout.write(summarize(kind, tried, subjects, absent));
    expect(describeFindings(Object.values(all).flatMap(({ found }) => found))).toBe("");
    expect(random.run).toBeGreaterThanOrEqual(RANDOM_LINES);
  });
});

/** Lines that are run, beside one in 211 of the options. */
const VALUE_LINES = 150;
const RANDOM_LINES = 500;

/** Programs of the controls that a machine may lack. */
const PROGRAMS = ["zsh", "fd", "rg", "gawk", "ip", "ss", "systemctl", "xxd", "dash", "file", "who"];

function hasWord(line: string, name: string): boolean {
  return new RegExp(`(?:^|[^\\w-])${name}(?=$|[^\\w])`).test(line);
}
