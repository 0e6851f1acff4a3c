/**
 * The ways out of a sandbox, tried in read-only commands, which are a layer of their own: none of them leads out, for each
 * kind of user. That the same attempts succeed without is seen in `test/e2e/sandbox/escapes.test.ts` and `plants.test.ts`.
 */
import { readdirSync } from "node:fs";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { escapes } from "../../support/escapes.ts";
import { USERS } from "../../support/sandbox-ways.ts";

/** Time for some forty commands and a host. */
const SLOW_MS = 90_000;

const { available, reason: unavailable } = capabilities().readOnly;
const lack = available ? "" : ` (${unavailable})`;

describe(`a read-only command${lack}`, () => {
  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    it(`of ${user} has no way out${reason}`, { skip: !available || !works, timeout: SLOW_MS }, async () => {
      const { found, workspace } = await escapes("read-only", options);
      const { probe, "write inside": inside, "go on": state, ...attempts } = found.printed;

      expect(found.canary).toBe("unchanged\n");
      expect(found.made).toEqual([]);
      expect(found.arrived).toEqual([]);
      expect(probe?.split("\n").filter((line) => !/^(\w|-)+ refused$|^end$|^$/.test(line))).toEqual([]);
      expect(probe).toContain("end");
      expect(Object.keys(attempts).length).toBeGreaterThan(25);
      for (const [name, text] of Object.entries(attempts)) {
        expect(text.split("\n"), `${name}: ${text}`).not.toContain("out");
      }
      // Where it differs from a sandbox: the workspace is no place to write to either.
      expect(inside).not.toContain("inside");
      expect(readdirSync(workspace).toSorted()).toEqual([".git", "link"]);
      expect(readdirSync(`${workspace}/.git`)).toEqual(["config"]);
      expect(state).toBe("5\n");
    });
  }
});
