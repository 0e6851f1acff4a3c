/**
 * A read-only command changes nothing, whoever runs it: after each attempt the world is as it was, and after the same
 * attempt without it is not, or the attempt would prove nothing. The attempts: `attempts/`; what is looked at: `world/`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities, executeShell } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import type { Outcomes } from "../../programs/read-only-world.ts";
import { startHost } from "../../support/host.ts";
import { USERS } from "../../support/sandbox-ways.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { allAttempts } from "./attempts/all.ts";
import { effectsIn, worldFolder } from "./world/by-tool.ts";
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
      const folder = worldFolder(options);
      const host = startHost("read-only-world", { ...options, copiesAddon: true, args: [folder], longestMs: SLOW_MS });
      const end = await host.ended();
      expect(end.code, host.stderr()).toBe(0);
      const { confined, controls } = JSON.parse(host.stdout()) as Outcomes;

      const attempts = allAttempts();
      expect(effectsIn(confined)).toEqual({});
      expect(Object.keys(confined)).toEqual([...attempts.keys()]);
      const silent = [...attempts].filter(([name]) => controls[name]?.effects.length === 0);
      const unexplained = silent.filter(([, attempt]) => attempt.uncontrolled === undefined);
      expect(unexplained.map(([name]) => [name, controls[name]?.printed])).toEqual([]);
      process.stdout.write(
        `read-only: ${attempts.size} attempts of ${user}, ${Object.keys(effectsIn(controls)).length} of their controls act here; ` +
          `silent ones: ${silent.map(([name, { uncontrolled }]) => `${name} (${uncontrolled})`).join("; ")}\n`,
      );
    });
  }
});
