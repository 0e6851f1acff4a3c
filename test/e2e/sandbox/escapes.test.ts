/**
 * Getting out of a sandbox is refused, in each backend and for each kind of user, and the result says for what; and the
 * same attempts succeed without one, or they would prove nothing. What is left in the workspace: `plants.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import type { SandboxRefusalKind } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { escapes } from "../../support/escapes.ts";
import { canHaveNamespaces, USERS, WAYS, WITHOUT_NAMESPACES } from "../../support/sandbox-ways.ts";

/** Time for some twenty commands, twice a proof, and a host. */
const SLOW_MS = 90_000;

/** Attempts that succeed where the file system is contained by Landlock alone: docs/sandbox.md names them. */
const ONLY_BY_MOUNTS = [
  "change a file outside",
  "make a missing hook",
  "move the folder of a hook away",
  "change the configuration of git",
  "make what editors read",
];

/** What the result of each attempt gives as the reason. */
const REASONS: Readonly<Record<string, SandboxRefusalKind>> = {
  "write outside": "read-only-path",
  "change a file outside": "read-only-path",
  "follow a link": "read-only-path",
  "link a file": "read-only-path",
  "race by dots": "read-only-path",
  "make a missing hook": "protected-path",
  "move the folder of a hook away": "protected-path",
  "change the configuration of git": "protected-path",
  "make what editors read": "protected-path",
  "mount again": "mount",
  "nest namespaces": "namespace",
  "look through proc": "process",
  "kill the host": "process",
  "make a set-id program": "file-metadata",
  "connect to a Unix socket": "local-socket",
  "connect to an abstract socket": "local-socket",
  "connect by TCP": "network",
  "send by UDP": "network",
  "type into the terminal": "terminal",
  "write to another terminal": "terminal",
  "read another terminal": "terminal",
};

/** The same, where the machine has a message bus to call. */
const BUS_REASONS: Readonly<Record<string, SandboxRefusalKind>> = {
  "call a bus at unix:path": "local-socket",
  "call a bus at unix:abstract": "local-socket",
};
const hasBus = spawnSync("dbus-daemon", ["--version"]).status === 0;
const noBus = hasBus ? "" : " (without dbus-daemon no bus is called)";

describe(`without a sandbox${noBus}`, () => {
  it("what the proof tries is possible", { timeout: SLOW_MS }, async () => {
    const { found } = await escapes("none", {});

    for (const name of ["write", "network", "unix-socket", "signal", "other-terminal"]) {
      expect(found.printed["probe"]).toContain(`${name} possible`);
    }
    expect([...new Set(found.arrived)].sort()).toEqual(["abstract", "tcp", "terminal", "udp", "unix"]);
    for (const name of Object.keys(found.printed).filter((name) => /another terminal|a bus at/.test(name))) {
      expect(found.printed[name]?.split("\n"), name).toContain("out");
    }
    expect(Object.keys(found.printed).filter((name) => name in BUS_REASONS)).toHaveLength(hasBus ? 2 : 0);
    expect(Object.values(found.sandboxes).filter((sandbox) => sandbox !== undefined)).toEqual([]);
  });
});

// The attempts at sockets are made by the running runtime, and Bun calls every refusal ECONNREFUSED, which is not what the
// kernel said; the sandbox itself is native and the same.
describe.skipIf("bun" in process.versions).each(WAYS)("$way", ({ backend, degraded }) => {
  const isAlone = degraded.length > 0;
  // A kernel or a machine without it; what it lacks is reported by the error that `sandbox` gives there.
  const isOffered = capabilities().sandbox.includes(backend);
  for (const { user, options, works } of USERS) {
    const machine = isOffered ? "" : ` (this machine has no ${backend})`;
    const reason = works ? "" : " (needs root and setpriv)";
    const when = { skip: !isOffered || !works, timeout: SLOW_MS };
    describe(`${user}${machine}${reason}${noBus}`, () =>
      it("refuses every way out, and results say which", when, async (test) => {
        const hasNamespaces = canHaveNamespaces(options);
        if (isAlone && !hasNamespaces) test.skip("cannot be kept from having namespaces");
        const wrapper = [...(options.wrapper ?? []), ...(isAlone ? WITHOUT_NAMESPACES : [])];
        const { found, workspace, unavailable } = await escapes(backend, { ...options, wrapper }, isAlone);
        // Where this user can have namespaces, nothing excuses a sandbox that does not stand.
        if (unavailable !== undefined && !hasNamespaces) test.skip(`no user namespaces: ${unavailable}`);
        expect(unavailable).toBeUndefined();
        const { probe, "write inside": inside, "go on": state, ...attempts } = found.printed;

        expect(found.canary).toBe("unchanged\n");
        expect(found.made.filter((path) => !isAlone || !path.startsWith(workspace))).toEqual([]);
        expect(found.arrived).toEqual([]);
        expect(probe?.split("\n").filter((line) => !/^(\w|-)+ refused$|^end$|^$/.test(line))).toEqual([]);
        expect(probe).toContain("end");
        const isTold = (name: string): boolean => isAlone && ONLY_BY_MOUNTS.includes(name);
        for (const [name, text] of Object.entries(attempts)) {
          if (isTold(name)) continue;
          expect(text.split("\n"), `${name}: ${text}`).not.toContain("out");
        }
        for (const [name, sandbox] of Object.entries(found.sandboxes)) {
          expect(sandbox, name).toMatchObject({ mode: "workspace-write", backend, network: false, degraded });
          if (found.statuses[name] === 0) expect(sandbox, name).not.toHaveProperty("refusals");
        }
        // A user without an account has no message bus.
        if (user === "this user") expect("call a bus at unix:path" in attempts).toBe(hasBus);
        for (const [name, kind] of Object.entries({ ...REASONS, ...BUS_REASONS })) {
          if (name in BUS_REASONS && !(name in attempts)) continue;
          if (isTold(name)) continue;
          const kinds = found.sandboxes[name]?.refusals?.map((refusal) => refusal.kind);
          expect(kinds, `${name}: ${found.printed[name]}`).toContain(kind);
        }
        expect(inside).toBe("inside\ntemporary\n");
        expect(state).toBe("5\n");
        const left = readdirSync(workspace).filter((name) => name.startsWith("."));
        if (!isAlone) expect(left).toEqual([".git"]);
        // What cannot be refused is named.
        const planted = Object.values(found.sandboxes).flatMap((sandbox) => sandbox?.planted ?? []);
        const names = planted.map(({ path }) => path.slice(workspace.length + 1));
        if (isAlone) expect(names).toEqual(expect.arrayContaining([".git/hooks/pre-commit", ".vscode"]));
        else expect(names).toEqual([]);
      }));
  }
});
