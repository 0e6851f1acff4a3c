/**
 * Bash as the judge: every script of the corpus prints the same and ends with the same status in a session, as a one-shot,
 * and from a file by plain bash.
 */
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { readCorpus } from "./corpus.ts";
import { DIFFERENCES } from "./differences.ts";
import { EXAMPLE_BLOCKS } from "./manual.ts";
import { ask, asOneShot, inSession, plainly } from "./ways.ts";

const themes = readCorpus();
const scripts = themes.flatMap((theme) => theme.scripts);

describe.each(themes.map(({ name, scripts }) => [name, scripts] as const))("%s", (_name, scripts) => {
  const alike = scripts.filter(({ id }) => !DIFFERENCES.has(id)).map(({ id, text }) => [id, text] as const);

  it.each(alike)("%s", async (_id, text) => {
    const scratch = scratchFolder();

    const expected = await ask(plainly, text, scratch);

    expect({ way: "session", ...(await ask(inSession, text, scratch)) }).toEqual({ way: "session", ...expected });
    expect({ way: "one-shot", ...(await ask(asOneShot, text, scratch)) }).toEqual({ way: "one-shot", ...expected });
  });
});

describe("the corpus", () => {
  it("has at least 300 scripts with names of their own", () => {
    expect(new Set(scripts.map(({ id }) => id)).size).toBe(scripts.length);
    expect(scripts.length).toBeGreaterThanOrEqual(300);
  });

  it.each(Object.entries(EXAMPLE_BLOCKS))(
    "has a script for each example of the manual's section %s",
    (section, blocks) => {
      const ofSection = scripts.filter(({ id }) => /^manual-\w+: (\S+) /.exec(id)?.[1] === section);

      expect(ofSection.length).toBeGreaterThanOrEqual(blocks);
    },
  );

  it.each([...DIFFERENCES])("has a known difference in `%s`: %s", async (id) => {
    const script = scripts.find((one) => one.id === id);
    const scratch = scratchFolder();

    const expected = await ask(plainly, script?.text ?? "", scratch);

    expect(await ask(inSession, script?.text ?? "", scratch)).not.toEqual(expected);
  });

  it("has fewer than five known differences", () => {
    expect(DIFFERENCES.size).toBeLessThan(5);
  });
});
