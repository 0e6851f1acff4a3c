/** The line for the model about what a sandbox may have refused. */
import type { SandboxOutcome, SandboxRefusalKind } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import { expect, it } from "vitest";
import { sandboxNotice } from "../src/sandbox-notice.ts";

const SANDBOX: SandboxOutcome = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] };

function notice(sandbox: Partial<SandboxOutcome>): string[] {
  const counts = { truncated: false, totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0 };
  const result: CommandResult = { output: "", cancelled: false, ...counts, sandbox: { ...SANDBOX, ...sandbox } };
  return sandboxNotice(result);
}

it("names what, where, and the remedy, and does not claim to know", () => {
  expect(notice({ refusals: [{ kind: "read-only-path", path: "/etc/x", evidence: "…" }] })).toEqual([
    "The sandbox (workspace-write, bubblewrap) may have refused: writing outside the writable folders (`/etc/x`). " +
      "Write in the workspace or `$TMPDIR`; the user can add to `sandbox.writablePaths`.",
  ]);
  expect(notice({ mode: "read-only", refusals: [{ kind: "read-only-path", evidence: "…" }] })[0]).toContain(
    "the user can set `sandboxMode` to `workspace-write`",
  );
});

it("says each thing and each remedy once, of the last three", () => {
  const refusals = [
    { kind: "mount", evidence: "…" },
    { kind: "namespace", evidence: "…" },
    { kind: "network", evidence: "one" },
    { kind: "network", evidence: "two" },
  ] as const;

  expect(notice({ refusals: [...refusals] })).toEqual([
    "The sandbox (workspace-write, bubblewrap) may have refused: a namespace; the network. " +
      "No setting of the sandbox allows that; leave it to the user. " +
      "It has no network but its own loopback; the user can set `sandbox.network`.",
  ]);
});

it.each<[SandboxRefusalKind, string]>([
  ["network", "It has no network but its own loopback; the user can set `sandbox.network`."],
  ["protected-path", "This path stays read-only; leave the change to the user."],
  ["read-only-path", "Write in the workspace or `$TMPDIR`; the user can add to `sandbox.writablePaths`."],
  ["mount", "No setting of the sandbox allows that; leave it to the user."],
])("has the remedy for %s, also where some hosts can be reached", (kind, remedy) => {
  const said = (sandbox: Partial<SandboxOutcome>) => notice({ refusals: [{ kind, evidence: "…" }], ...sandbox })[0];
  expect(said({})?.endsWith(`. ${remedy}`)).toBe(true);
  if (kind !== "network") expect(said({ network: { allow: [] } })?.endsWith(`. ${remedy}`)).toBe(true);
  const others = [{ kind: "mount", evidence: "…" } as const, ...Array(3).fill({ kind, evidence: "…" })];
  expect(said({ refusals: others })?.endsWith(`. ${remedy}`)).toBe(true);
  expect(said({ refusals: others })?.split(". ")).toHaveLength(2);
});

it("stays short and on one line whatever a path is", () => {
  const path = `/x\n${"y".repeat(5_000)}`;
  const [line = ""] = notice({ refusals: [{ kind: "protected-path", path, evidence: "…" }] });

  expect(line).not.toContain("\n");
  expect(line.length).toBeLessThan(300);
});

it("names what a program outside will obey, three at most, and whom to tell", () => {
  const planted = ["/w/.git/commondir", "/w/sub/.git/config", "/w/a`\u001b]52;c;x\u0007\nb/.npmrc", "/w/.yarnrc"].map(
    (path, index) => ({ kind: index < 2 ? ("git-repository" as const) : ("tool-configuration" as const), path }),
  );

  expect(notice({ planted })).toEqual([
    "New or changed, and obeyed outside of the sandbox: `/w/.git/commondir` (git runs programs for it), " +
      "`/w/sub/.git/config` (git runs programs for it), " +
      "`/w/a' ]52;c;x b/.npmrc` (an editor, a package manager or an agent obeys it) and 1 more. " +
      "Tell the user, who should read it before working there.",
  ]);
  expect(notice({ planted: planted.slice(0, 3) })[0]).toMatch(
    /\(an editor, a package manager or an agent obeys it\)\. Tell/,
  );
  expect(notice({ planted: [{ kind: "git-rebase", path: "/w/x" }] })[0]).toContain("`git rebase --continue` runs");
});

it("is not there where nothing hints at a refusal", () => {
  expect(notice({})).toEqual([]);
});

it("names what the proxy refused, with the rules to add, three at most", () => {
  const refused = (target: string, rule?: string) => ({
    kind: "network" as const,
    target,
    ...(rule === undefined ? {} : { rule }),
    evidence: `\`${target}\`, which no rule allows`,
  });
  const network = { allow: ["registry.example"] };

  expect(
    notice({ network, refusals: [refused("a.example:443", "a.example"), refused("b.example:22", "b.example:22")] }),
  ).toEqual([
    "The sandbox (workspace-write, bubblewrap) refused: `a.example:443`, which no rule allows; `b.example:22`, which no " +
      "rule allows. The user can add `a.example`, `b.example:22` to `sandbox.network.allow`.",
  ]);
  expect(notice({ network, refusals: [refused("0.0.0.0:80")] })).toEqual([
    "The sandbox (workspace-write, bubblewrap) refused: `0.0.0.0:80`, which no rule allows. " +
      "No rule of `sandbox.network` can allow that.",
  ]);
  const many = Array.from({ length: 9 }, (_, at) => refused(`h${at}.example:443`, `h${at}.example`));
  const named = (count: number) => notice({ network, refusals: many.slice(0, count) })[0];
  expect(named(9)).toContain("which no rule allows; and 6 more. ");
  expect(named(9)).toContain(" add `h0.example`, `h1.example`, `h2.example` to ");
  expect(named(9)).not.toContain("h3.example");
  expect(named(3)).toContain("`h2.example:443`, which no rule allows. ");
});

it("leads a program that passed the proxy by to it", () => {
  const [line] = notice({ network: { allow: [] }, refusals: [{ kind: "network", evidence: "…" }] });

  expect(line).toContain(
    "may have refused: the network. Hosts that `sandbox.network` allows are reached through the proxy",
  );
});
