/**
 * Ways past the rules of a sandbox's network, made from inside of it against a server of the host: none reaches it, in each
 * backend and for each kind of user; and each does by a proxy that judges nothing, or it would prove nothing. The same with
 * names and TLS, in a network made up for it: `crates/pi-proxy/tests/bypass.rs`.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Attempted } from "../../programs/network-attempts.ts";
import { type HostOptions, startHost } from "../../support/host.ts";
import { canHaveNamespaces, USERS } from "../../support/sandbox-ways.ts";

/** Time for a proof of a sandbox and some commands, and a host. */
const SLOW_MS = 60_000;

/** How many attempts there are at least. */
const LEAST_ATTEMPTS = 40;

async function attempted(backend: string, options: HostOptions): Promise<Attempted & { unavailable?: string }> {
  // Not in /tmp, which is private in a sandbox.
  const folder = mkdtempSync("/var/tmp/pi-bash-network-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  chmodSync(workspace, 0o777);
  const env = { ...process.env, HOME: folder } as Record<string, string>;
  const host = startHost("network-attempts", { ...options, env, args: [backend, workspace] });
  const end = await host.ended();
  if (end.code !== 0) throw new Error(`the host ended with ${end.code ?? end.signal}: ${host.stderr()}`);
  return JSON.parse(host.stdout()) as Attempted & { unavailable?: string };
}

// The attempts are made by the running runtime, and what a proxy answers is the same for each.
const isBun = "bun" in process.versions;

it.skipIf(isBun)("each attempt reaches the server by a proxy that judges nothing", { timeout: SLOW_MS }, async () => {
  const { reached, answers } = await attempted("none", {});

  const names = Object.keys(answers);
  expect(names.length).toBeGreaterThanOrEqual(LEAST_ATTEMPTS);
  expect(names.filter((name) => !reached.includes(name))).toEqual([]);
});

describe.skipIf(isBun).each(["bubblewrap", "landlock"])("in %s", (backend) => {
  // A kernel or a machine without it.
  const isOffered = capabilities().sandbox.includes(backend);
  for (const { user, options, works } of USERS) {
    const when = { skip: !isOffered || !works, timeout: SLOW_MS };
    it(`none does, for ${user}${works ? "" : " (needs root and setpriv)"}`, when, async (test) => {
      const { reached, connections, answers, network, refusals, unavailable } = await attempted(backend, options);
      if (unavailable !== undefined && !canHaveNamespaces(options)) test.skip(`no user namespaces: ${unavailable}`);
      expect(unavailable).toBeUndefined();
      const { "the allowed server": allowed, ...others } = answers;

      expect(allowed).toContain("allowed");
      expect(reached).toEqual([]);
      expect(connections).toBe(0);
      expect(Object.keys(others).length).toBeGreaterThanOrEqual(LEAST_ATTEMPTS);
      for (const [name, answer] of Object.entries(others)) expect(answer, name).not.toContain("forbidden");
      expect(network).toEqual({ allow: expect.arrayContaining([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]) });
      const targets = refusals.map(({ target = "" }) => target.replace(/:\d+$/, ""));
      expect(targets).toEqual(expect.arrayContaining(["127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]"]));
      expect(refusals.every(({ kind, target }) => kind === "network" && target !== undefined)).toBe(true);
    });
  }
});
