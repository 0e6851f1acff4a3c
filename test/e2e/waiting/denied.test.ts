/**
 * Programs that an ordinary user may not look at: set-uid ones, and ones that are not dumpable. Root may look at all, so an agent
 * of another user does the looking.
 */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import type { Watched } from "../../support/watched-program.ts";

/** The user without rights of its own. */
const OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** Time for D1, the secret, and for D2, the question, in milliseconds. */
const SECRET_WITHIN_MS = 1_000;
const QUESTION_AFTER_MS = 5_000;
/** Twice what a plain call is looked at before it is ended, and more, in milliseconds. */
const NOT_ENDED_MS = 7_000;

/** Longest that a program is followed, in milliseconds. */
const LIMIT_MS = 12_000;

/** `prctl(PR_SET_DUMPABLE, 0)` by its number in x64 (`arch/x86/entry/syscalls/syscall_64.tbl`), with perl's unbuffered output. */
const NOT_DUMPABLE = "syscall(157, 4, 0, 0, 0, 0); $| = 1;";

const works =
  process.platform === "linux" &&
  process.arch === "x64" &&
  spawnSync(OTHER[0] ?? "", [...OTHER.slice(1), "true"]).status === 0;
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

async function watched(command: string, limitMs = LIMIT_MS): Promise<Watched> {
  const host = startHost("watched-programs", {
    wrapper: OTHER,
    copiesAddon: true,
    env: { ...process.env, HOME: "/" } as Record<string, string>,
    args: [JSON.stringify([{ command, limitMs }])],
  });
  const end = await host.ended();
  expect(end.code, host.stderr()).toBe(0);
  const [seen] = JSON.parse(host.stdout()) as Watched[];
  if (seen === undefined) throw new Error(`nothing was seen: ${host.stderr()}`);
  return seen;
}

describe.skipIf(!works)("a program that this user may not look at (Linux on x64; needs root and setpriv)", () => {
  const secrets = [
    ["sudo", "sudo -k true"],
    ["sudo", "sudo -k bash -c 'read -p \"Sure? \" x'"],
    ["su", "su"],
  ] as const;
  for (const [program, command] of secrets) {
    const missing = has(program) ? "" : ` (skipped where \`${program}\` is not installed)`;
    it.skipIf(!has(program))(`waits for a secret within a second: \`${command}\`${missing}`, async () => {
      const { state, output } = await watched(command);

      expect(state, output).toMatchObject({ state: "waiting", kind: "secret", rule: "D1", isCertain: true });
      expect(state.state === "waiting" && state.sinceMs).toBeLessThan(SECRET_WITHIN_MS);
    });
  }

  it.skipIf(!has("perl"))("may wait after five seconds, where its text asks (needs perl)", async () => {
    const { state, output } = await watched(`perl -e '${NOT_DUMPABLE} print "Name? "; <STDIN>'`);

    expect(state, output).toMatchObject({ state: "waiting", kind: "line", rule: "D2", isCertain: false });
    expect(state.state === "waiting" && state.sinceMs).toBeGreaterThanOrEqual(QUESTION_AFTER_MS);
  });

  it.skipIf(!has("perl"))("does not count as waiting where no text asks (needs perl)", async () => {
    const { state, output } = await watched(`perl -e '${NOT_DUMPABLE} print "Working\\n"; sleep 30'`, 8_000);

    expect(state, output).toEqual({ state: "running" });
  });

  it.skipIf(!has("python3"))(
    "is not ended in a plain call, unlike one that this user may look at (needs python3)",
    async () => {
      const waits = "import ctypes, select; HIDE select.select([2], [], [])";
      const hidden = waits.replace("HIDE", "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0);");
      const commands = [waits.replace("HIDE", ""), hidden].map((text) => `python3 -c '${text}'`);
      const host = startHost("run-commands", {
        wrapper: OTHER,
        copiesAddon: true,
        env: { ...process.env, HOME: "/" } as Record<string, string>,
        args: ["one", JSON.stringify(commands.map((command) => ({ command, timeoutMs: NOT_ENDED_MS })))],
      });
      expect((await host.ended()).code, host.stderr()).toBe(0);
      const [seen, denied] = JSON.parse(host.stdout().replace("started", "")) as Report[];

      expect(seen).toMatchObject({ cancelled: true, inputWanted: { ended: true } });
      expect(denied).toMatchObject({ timedOut: true });
      expect(denied).not.toHaveProperty("inputWanted");
    },
  );
});
