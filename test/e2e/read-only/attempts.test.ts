/**
 * A read-only command can change nothing, whoever runs it: what it tries is refused, and the same succeeds without, or it
 * would prove nothing. What it may read, and what the session keeps of it: `crates/pi-shell/tests/driven/read_only.rs`.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ReadOnlyAttempts } from "../../programs/read-only-attempts.ts";
import { startHost } from "../../support/host.ts";
import { USERS } from "../../support/sandbox-ways.ts";

/** Time for some eighty commands and a host. */
const SLOW_MS = 90_000;

/**
 * Attempts that need more than a user has on some machines, so that their control may fail: user namespaces, keys, a file
 * system with attributes and flags, tracing by Yama's rules.
 */
const MAY_LACK_A_CONTROL = [
  "make a namespace",
  "add a key",
  "set an attribute",
  "set flags of a file",
  "trace a process",
  "type into a terminal",
  "run a script in memory that writes",
];

const { available, reason: unavailable } = capabilities().readOnly;
const lack = available ? "" : ` (${unavailable})`;

describe(`a read-only command${lack}`, () => {
  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    it(`of ${user} changes nothing${reason}`, { skip: !available || !works, timeout: SLOW_MS }, async () => {
      const folder = mkdtempSync("/var/tmp/pi-bash-read-only-");
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      // The attempts are to fail for the confinement, not for the owner of a folder.
      chmodSync(folder, 0o777);
      const env = { ...process.env, HOME: folder } as Record<string, string>;
      const host = startHost("read-only-attempts", { ...options, copiesAddon: true, env, args: [folder] });
      const end = await host.ended();
      expect(end.code, host.stderr()).toBe(0);
      const found = JSON.parse(host.stdout()) as ReadOnlyAttempts;

      expect(found.succeeded).toEqual({});
      expect(found.arrived).toEqual([]);
      expect(found.outsiderLived).toBe(true);
      const without = found.names.filter((name) => !found.controls.includes(name));
      expect(without.filter((name) => !MAY_LACK_A_CONTROL.includes(name))).toEqual([]);
    });
  }
});
