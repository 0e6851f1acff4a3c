/**
 * A sample of the generated lines that `npm run soak` runs, and the lines of the differential harness that looked
 * read-only and were not. First every one is called read-only, so that the kernel alone holds it; then each is a call of
 * the bash tool whose question is refused. What the latter do without is seen in that harness's own test, and by the same
 * traps as here in the soak.
 */
import { describe, expect, it } from "vitest";
import { CONTROL_CLASSES } from "../../../packages/policy/test/differential/controls.ts";
import { whyNoSandbox } from "../../../packages/policy/test/differential/sandbox.ts";
import { prepareFixtures } from "../../soak/read-only/fixture.ts";
import { generatedCases, tryAll } from "../../soak/read-only/generated.ts";
import { soakSeed } from "../../support/random.ts";
import { scratchFolder } from "../../support/scratch.ts";

const reason = whyNoSandbox();

/** Lines of the sample, and those of it that are run without, to see what they would do. */
const LINES = 200;
const CONTROL_LINES = 30;

describe.skipIf(reason !== undefined)(`in the fixture${reason ? ` (skipped: ${reason})` : ""}`, () => {
  it("no line that looked read-only and was not changes anything", { timeout: 300_000 }, async () => {
    const fixtures = prepareFixtures(scratchFolder());
    const cases = CONTROL_CLASSES.flatMap((each) => each.cases);

    const confined = await tryAll(cases, fixtures.confined);

    expect(confined.found.join("\n")).toBe("");
    expect(confined.run).toBeGreaterThan(150);
  });

  it("no generated line changes anything", { timeout: 300_000 }, async () => {
    const fixtures = prepareFixtures(scratchFolder());
    const cases = generatedCases(LINES, soakSeed(), false);

    const confined = await tryAll(cases, fixtures.confined);
    const control = await tryAll(cases.slice(0, CONTROL_LINES), fixtures.control);
    expect(confined.found.join("\n")).toBe("");
    expect(control.found.length).toBeGreaterThan(CONTROL_LINES / 10);
  });

  it("no line changes anything as a call of the tool that is refused where it asks", { timeout: 300_000 }, async () => {
    const fixtures = prepareFixtures(scratchFolder());
    const classes = CONTROL_CLASSES.flatMap((each) => each.cases);
    const generated = generatedCases(LINES / 2, soakSeed(), false);

    const tried = await tryAll([...classes, ...generated], fixtures.tool);
    // The test can fail: lines of the same kind with a policy that lets everything through.
    const seeded = await tryAll(generated.slice(0, CONTROL_LINES), fixtures.toolControl);

    expect(tried.found.join("\n")).toBe("");
    // There are readers among them, which are not refused.
    expect(tried.run - tried.refused).toBeGreaterThan(5);
    expect(seeded.found.length).toBeGreaterThan(CONTROL_LINES / 10);
  });
});
