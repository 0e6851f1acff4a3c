/**
 * A read-only command changes nothing, whoever runs it: after each attempt the world is as it was, and after the same
 * attempt without it is not, or the attempt would prove nothing. The attempts: `attempts/`; what is looked at: `world/`.
 */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities, executeShell } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome, Outcomes } from "../../programs/read-only-world.ts";
import { startHost } from "../../support/host.ts";
import { OTHER_USER, USERS } from "../../support/sandbox-ways.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { allAttempts } from "./attempts/all.ts";
import { treeFacts } from "./world/tree.ts";

/** Time for some 400 commands and twice as many looks at everything. */
const SLOW_MS = 600_000;

const { available, reason: unavailable } = capabilities().readOnly;
const lack = available ? "" : ` (${unavailable})`;

describe(`a read-only command${lack}`, () => {
  it("in a bash of its own changes nothing either", { skip: !available }, async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "file"), "kept\n");
    const command =
      "chmod 711 file; touch -d @1 file; echo x > file; mkdir made; kill -0 $PPID && echo x > /proc/self/cwd/new";
    const before = treeFacts([folder]);

    const confined = await executeShell({ command, cwd: folder, readOnly: true });

    expect(confined.readOnly).toBeDefined();
    expect(treeFacts([folder])).toEqual(before);
    await executeShell({ command, cwd: folder });
    expect([...treeFacts([folder]).keys()]).toContain(join(folder, "new"));
  });

  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    it(`of ${user} changes nothing${reason}`, { skip: !available || !works, timeout: SLOW_MS }, async () => {
      const folder = mkdtempSync("/var/tmp/pi-bash-world-");
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      if (options.wrapper !== undefined) chownSync(folder, OTHER_USER, OTHER_USER);
      // Others look into it on their way to the checkout's addon.
      chmodSync(folder, 0o755);
      const host = startHost("read-only-world", { ...options, copiesAddon: true, args: [folder], longestMs: SLOW_MS });
      const end = await host.ended();
      expect(end.code, host.stderr()).toBe(0);
      const { confined, controls } = JSON.parse(host.stdout()) as Outcomes;

      const attempts = allAttempts();
      expect(withEffects(confined)).toEqual({});
      expect(Object.keys(confined)).toEqual([...attempts.keys()]);
      const silent = [...attempts].filter(([name]) => controls[name]?.effects.length === 0);
      const unexplained = silent.filter(([, attempt]) => attempt.uncontrolled === undefined);
      expect(unexplained.map(([name]) => [name, controls[name]?.printed])).toEqual([]);
      process.stdout.write(
        `read-only: ${attempts.size} attempts of ${user}, ${Object.keys(withEffects(controls)).length} of their controls act here; ` +
          `silent ones: ${silent.map(([name, { uncontrolled }]) => `${name} (${uncontrolled})`).join("; ")}\n`,
      );
    });
  }
});

function withEffects(outcomes: Readonly<Record<string, Outcome>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(outcomes)
      .filter(([, { effects }]) => effects.length > 0)
      .map(([name, { effects, printed }]) => [name, [...effects, printed]]),
  );
}
