/** Bash's own test suite in a session, judged by plain bash. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { compareBoth, fetchSuite, LEFT_OUT } from "./bash-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-bash-suite-"));
const suite = fetchSuite(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(typeof suite === "string")(`bash's own suite${typeof suite === "string" ? ` (${suite})` : ""}`, () => {
  const scripts = typeof suite === "string" ? [] : suite.scripts;

  it.each(scripts.filter((script) => LEFT_OUT[script] === undefined))(
    "has in a session what bash has: %s",
    async (script) => {
      if (typeof suite === "string") throw new Error(suite);
      const { plain, ours } = await compareBoth(suite, script, scratchFolder);

      expect(ours).toBe(plain);
    },
  );

  it("has every script that is left out", () => {
    expect(scripts).toEqual(expect.arrayContaining(Object.keys(LEFT_OUT)));
  });
});
