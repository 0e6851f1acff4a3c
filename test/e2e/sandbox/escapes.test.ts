/**
 * Getting out of a sandbox is refused, in each backend and for each kind of user, and the result says for what; and the
 * same attempts succeed without one, or they would prove nothing.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxRefusalKind } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Escapes } from "../../programs/sandbox-escapes.ts";
import { type HostOptions, startHost } from "../../support/host.ts";

/** Time for some twenty commands, twice a proof, and a host. */
const SLOW_MS = 90_000;

const supervisor = fileURLToPath(new URL("../../../packages/natives/bin/pi-supervisor", import.meta.url));

/** Words that make a program another user's. */
const OTHER = ["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups"];
const canBeOther = process.getuid?.() === 0 && spawnSync(OTHER[0] ?? "", [...OTHER.slice(1), "true"]).status === 0;

const USERS = [
  { user: "this user", options: {} satisfies HostOptions, works: true },
  { user: "another user", options: { wrapper: OTHER, copiesAddon: true } satisfies HostOptions, works: canBeOther },
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
  "mount anew": "mount",
  "nest namespaces": "namespace",
  "look through proc": "process",
  "kill the host": "process",
  "make a set-id program": "file-metadata",
  "connect to a Unix socket": "local-socket",
  "connect to an abstract socket": "local-socket",
  "connect by TCP": "network",
  "send by UDP": "network",
  "type into the terminal": "terminal",
};

function canHaveNamespaces({ wrapper = [] }: HostOptions): boolean {
  const [program = "", ...words] = [...wrapper, "unshare", "--user", "--map-root-user", "--mount", "true"];
  return spawnSync(program, words).status === 0;
}

interface Ran {
  found: Escapes;
  workspace: string;
  /** Why this machine does not let this user have the sandbox. */
  unavailable: string | undefined;
}

/** Runs the attempts and returns what became of them. */
async function escapes(backend: string, options: HostOptions): Promise<Ran> {
  // Not in /tmp, which is private in a sandbox: what is outside must be seen there, or nothing is proven.
  const folder = mkdtempSync("/var/tmp/pi-bash-sandbox-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  for (const path of [workspace, outside]) {
    mkdirSync(path);
    // The attempts are to fail for the sandbox, not for the owner of a folder.
    chmodSync(path, 0o777);
  }
  const copy = join(folder, "pi-supervisor");
  copyFileSync(supervisor, copy);
  const env = { ...process.env, HOME: folder } as Record<string, string>;
  const host = startHost("sandbox-escapes", { ...options, env, args: [backend, workspace, outside, copy] });
  const end = await host.ended();
  if (end.code !== 0) throw new Error(`the host ended with ${end.code ?? end.signal}: ${host.stderr()}`);
  const found = JSON.parse(host.stdout().split("\n")[1] ?? "") as Escapes & { unavailable?: string };
  return { found, workspace, unavailable: found.unavailable };
}

describe("without a sandbox", () => {
  it("what the proof tries is possible", { timeout: SLOW_MS }, async () => {
    const { found } = await escapes("none", {});

    for (const name of ["write", "network", "unix-socket", "signal"]) {
      expect(found.printed["probe"]).toContain(`${name} possible`);
    }
    expect([...new Set(found.arrived)].sort()).toEqual(["abstract", "tcp", "udp", "unix"]);
    expect(Object.values(found.sandboxes).filter((sandbox) => sandbox !== undefined)).toEqual([]);
  });
});

// The attempts at sockets are made by the running runtime, and Bun calls every refusal ECONNREFUSED, which is not what the
// kernel said; the sandbox itself is native and the same.
describe.skipIf("bun" in process.versions).each(["bubblewrap", "landlock"] as const)("%s", (backend) => {
  // A kernel or a machine without it; what it lacks is told by the error that `sandbox` gives there.
  const isOffered = capabilities().sandbox.includes(backend);
  for (const { user, options, works } of USERS) {
    const machine = isOffered ? "" : ` (this machine has no ${backend})`;
    const reason = works ? "" : " (needs root and setpriv)";
    const when = { skip: !isOffered || !works, timeout: SLOW_MS };
    describe(`${user}${machine}${reason}`, () =>
      it("refuses every way out, and results say which", when, async (test) => {
        const { found, workspace, unavailable } = await escapes(backend, options);
        // Where this user can have namespaces, nothing excuses a sandbox that does not stand.
        if (unavailable !== undefined && !canHaveNamespaces(options)) test.skip(`no user namespaces: ${unavailable}`);
        expect(unavailable).toBeUndefined();
        const { probe, "write inside": inside, "go on": state, ...attempts } = found.printed;

        expect(found.canary).toBe("unchanged\n");
        expect(found.made).toEqual([]);
        expect(found.arrived).toEqual([]);
        expect(probe?.split("\n").filter((line) => !/^(\w|-)+ refused$|^end$|^$/.test(line))).toEqual([]);
        expect(probe).toContain("end");
        for (const [name, text] of Object.entries(attempts)) {
          expect(text.split("\n"), `${name}: ${text}`).not.toContain("out");
        }
        for (const [name, sandbox] of Object.entries(found.sandboxes)) {
          expect(sandbox, name).toMatchObject({ mode: "workspace-write", backend, network: false, degraded: [] });
          if (found.statuses[name] === 0) expect(sandbox, name).not.toHaveProperty("refusals");
        }
        for (const [name, kind] of Object.entries(REASONS)) {
          const kinds = found.sandboxes[name]?.refusals?.map((refusal) => refusal.kind);
          expect(kinds, `${name}: ${found.printed[name]}`).toContain(kind);
        }
        expect(inside).toBe("inside\ntemporary\n");
        expect(state).toBe("5\n");
        expect(
          readdirSync(workspace)
            .filter((name) => name.startsWith("."))
            .sort(),
        ).toEqual([".git"]);
      }));
  }
});
