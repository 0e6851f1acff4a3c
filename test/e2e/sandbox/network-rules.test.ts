/** Rules for a sandbox's network that cannot be had: refused by name before anything is started. Those that can: `network.test.ts`. */
import { mkdtempSync, rmSync } from "node:fs";
import type { SandboxNetwork } from "@pi-bash/contract";
import { capabilities, Shell } from "@pi-bash/natives";
import { expect, it, onTestFinished } from "vitest";
import { startHost } from "../../support/host.ts";
import { within } from "../../support/patience.ts";
import { canHaveNamespaces, WITHOUT_NAMESPACES } from "../../support/sandbox-ways.ts";

/** Time for a proof of a sandbox and a host. */
const SLOW_MS = 60_000;

it.each([
  ["*", "set `sandbox.network` to `true`"],
  ["https://registry.npmjs.org", "has a scheme"],
  ["*.com", "allows too much"],
  ["127.0.0.1", "name the port"],
  ["a.example:0", "from 1 to 65535"],
  ["a\0.example", "NUL byte"],
])("the rule %j is refused before anything is started", (rule, reason) => {
  const options = { sandbox: { mode: "read-only", network: { allow: ["good.example", rule] } } } as const;

  expect(() => new Shell(options)).toThrow(
    expect.objectContaining({ code: "PI_INVALID_OPTION", message: expect.stringContaining(reason) }),
  );
});

it.each([
  [{ allow: "a.example" }, "`sandbox.network.allow` is not an array"],
  [{ allow: [443] }, "`sandbox.network.allow[0]`"],
  [{ deny: [] }, "`sandbox.network.deny`"],
  [{}, "`sandbox.network` has no `allow`"],
  ["a.example", "`sandbox.network`"],
])("a network that is neither a switch nor rules, %j, is refused by name", (network, name) => {
  const sandbox = { mode: "read-only", network: network as unknown as SandboxNetwork } as const;

  expect(() => new Shell({ sandbox })).toThrow(
    expect.objectContaining({ code: "PI_INVALID_OPTION", message: expect.stringContaining(name) }),
  );
});

it.skipIf(!capabilities().sandbox.includes("landlock"))(
  "Landlock without namespaces has no such network, and says what it needs",
  { timeout: SLOW_MS },
  async (test) => {
    const wrapper = WITHOUT_NAMESPACES;
    if (!canHaveNamespaces({})) test.skip("cannot be kept from having namespaces");
    const cwd = mkdtempSync("/var/tmp/pi-bash-network-");
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const host = startHost("sandbox-holder", { wrapper, args: ["landlock", cwd, "a.example"] });
    await within("its end", host.printed("unavailable"));

    expect(host.stdout()).toContain("rules for the network need a network namespace");
  },
);
