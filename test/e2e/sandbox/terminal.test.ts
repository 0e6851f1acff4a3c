/**
 * A program on a terminal in a sandbox has its own one, by every name that programs use, and can open new ones. That it
 * reaches no other: `escapes.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OnTerminal } from "../../programs/sandbox-terminal.ts";
import { startHost } from "../../support/host.ts";
import { canHaveNamespaces, USERS, WAYS, WITHOUT_NAMESPACES } from "../../support/sandbox-ways.ts";

/** Time for a host, two proofs of a sandbox and two programs. */
const SLOW_MS = 60_000;

/** Each line is one fact. Its own descriptors are opened again by name, which is another check of the kernel's. */
const COMMAND = [
  "tty",
  "test -t 0 -a -t 1 -a -t 2 && echo is-a-terminal",
  "echo by-tty > /dev/tty",
  "echo by-name > $(tty)",
  "echo by-descriptor > /dev/stderr",
  "stty size",
  "ls /dev/pts > /dev/null && echo listed",
  "script -qec 'test -t 0 && echo new' /dev/null < /dev/null",
  "echo x 2> /dev/null > /dev/shm/pi-bash-x && rm /dev/shm/pi-bash-x && echo shared-memory",
  "head -c 3 /dev/urandom | wc -c",
].join("; ");
const hasScript = spawnSync("script", ["--version"]).status === 0;

describe.each(WAYS)("$way", ({ backend, degraded }) => {
  const isAlone = degraded.length > 0;
  // A kernel or a machine without it.
  const isOffered = capabilities().sandbox.includes(backend);
  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    const when = { skip: !isOffered || !works, timeout: SLOW_MS };
    describe(`${user}${reason}`, () =>
      it("has a terminal by every name", when, async (test) => {
        const hasNamespaces = canHaveNamespaces(options);
        if (!hasNamespaces) test.skip("this user has no namespaces");
        const folder = mkdtempSync("/var/tmp/pi-bash-terminal-");
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        chmodSync(folder, 0o777);
        const wrapper = [...(options.wrapper ?? []), ...(isAlone ? WITHOUT_NAMESPACES : [])];
        const env = { ...process.env, HOME: folder } as Record<string, string>;
        const host = startHost("sandbox-terminal", { ...options, wrapper, env, args: [backend, folder, COMMAND] });
        const end = await host.ended();
        expect(end.code, host.stderr()).toBe(0);
        const { printed, unavailable } = JSON.parse(host.stdout()) as OnTerminal;

        expect(unavailable).toBeUndefined();
        for (const text of Object.values(printed ?? {})) {
          const lines = text.split(/\r+\n/).filter((line) => !/^bash: |^script: /.test(line));
          expect(lines).toEqual([
            expect.stringMatching(isAlone ? /^\/dev\/pts\/\d+$/ : /^\/dev\/(console|pts\/\d+)$/),
            ...["is-a-terminal", "by-tty", "by-name", "by-descriptor", "40 120", "listed"],
            ...(isAlone || !hasScript ? [] : ["new"]),
            ...(backend === "bubblewrap" ? ["shared-memory"] : []),
            ...["3", ""],
          ]);
        }
      }));
  }
});
