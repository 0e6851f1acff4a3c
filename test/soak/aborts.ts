/**
 * Aborts at random moments: whatever ran, the call settles, no later statement of the script runs, the session has its state,
 * and nothing is left of the command.
 *
 * The commands are those that sessions were seen to be lost by: loops of builtins, programs that ignore signals, jobs,
 * daemons, floods, traps, shells that became another program.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Shell } from "@pi-bash/natives";
import { expect } from "vitest";
import { pause, within } from "../support/patience.ts";
import { pick, seededRandom } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { runIn } from "../support/session.ts";
import { newTag } from "../support/tag.ts";
import { inLanes } from "./lanes.ts";
import { backAt, settledCount } from "./process-count.ts";

/** Commands without an end, by what is special about them. */
export const ENDLESS = [
  "sleep 300",
  "while :; do :; done",
  "while :; do echo line; done",
  "yes",
  "yes | cat | wc -c",
  "sleep 300 | cat",
  "sleep 300 & sleep 300 & wait",
  "(sleep 300; echo x) | sort",
  "x=$(sleep 300); echo $x",
  "cat <(sleep 300)",
  "read x < <(sleep 300)",
  "f() { sleep 300; }; f; f",
  "for i in {1..1000}; do sleep 1; done",
  "for i in {1..1000000}; do /bin/true; done",
  "set -m; sleep 300 | cat & sleep 300",
  "setsid sleep 300 & sleep 300",
  "(setsid sleep 300 &); sleep 300",
  "coproc sleep 300; wait",
  "trap 'echo caught' INT; sleep 300; sleep 300",
  "trap '' INT TERM; sleep 300; sleep 300",
  "trap '' INT; while :; do :; done",
  "sh -c 'trap \"\" INT TERM; while :; do sleep 0.1; done'",
  "exec sleep 300",
  "kill -STOP $BASHPID",
  // Under `set -m`, which another of them leaves in the session, bash's `wait` ends when a job stops.
  "set +m; sleep 300 & kill -STOP $!; wait",
  "eval 'sleep 300'; echo x",
  "cat <<< x; printf abc; sleep 300",
  "until false; do sleep 0.01; done",
  "set -e; sleep 300",
  "bash -c 'bash -c \"sleep 300\" | cat'",
  "wait < <(sleep 300); sleep 300",
  "timeout 300 sleep 300",
  "nohup sleep 300",
] as const;

/** Sessions side by side. */
const LANES = 4;

/** Longest time from a run's start to its abort, in milliseconds. */
const LATEST_MS = 60;

/** Longest time from an abort to the end of the run, in milliseconds: the bound of the product is 5 s. */
const BOUND_MS = 15_000;

/** Aborts `count` commands; the same `seed` chooses the same commands and moments. */
export async function soakAborts(count: number, seed: number): Promise<void> {
  const folder = scratchFolder();
  const tag = newTag();
  const random = seededRandom(seed);
  const plan = Array.from({ length: count }, () => ({
    command: pick(ENDLESS, random),
    afterMs: random() * LATEST_MS,
    bySignal: random() < 0.5,
  }));
  // The runtime's own thread and descriptors are there before the count.
  await using first = new Shell();
  await runIn(first, "true");
  const before = await settledCount();
  const shells = Array.from({ length: Math.min(LANES, count) }, () => new Shell({ sessionEnv: tag.env, cwd: folder }));
  try {
    for (const [lane, shell] of shells.entries()) await prepare(shell, lane);
    await inLanes(count, LANES, async (index, lane) => {
      const shell = shells[lane];
      const step = plan[index];
      if (shell === undefined || step === undefined) throw new Error("lanes and plan do not match");
      await abortOnce(shell, { ...step, index, lane });
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("later-"))).toEqual([]);
  } finally {
    await Promise.all(shells.map((shell) => shell.close()));
  }
  await tag.gone();
  await backAt(before);
}

interface Step {
  readonly command: string;
  readonly afterMs: number;
  readonly bySignal: boolean;
  readonly index: number;
  readonly lane: number;
}

async function prepare(shell: Shell, lane: number): Promise<void> {
  await runIn(shell, `LANE=${lane}; cd /usr; say() { echo "lane $LANE in $PWD"; }; (exit 9)`);
}

async function abortOnce(shell: Shell, { command, afterMs, bySignal, index, lane }: Step): Promise<void> {
  const what = `run ${index}: ${command}, aborted after ${afterMs.toFixed(1)} ms`;
  const controller = new AbortController();
  const later = join("$OLDPWD", `later-${index}`);

  const running = shell.run({ command: `${command}\n: > "${later}"`, signal: controller.signal, sink: {} });
  await pause(afterMs);
  if (bySignal) controller.abort();
  else await within(what, shell.abort(), BOUND_MS);
  const result = await within(what, running, BOUND_MS);

  expect({ what, cancelled: result.cancelled, survivors: result.survivors }).toEqual({
    what,
    cancelled: true,
    survivors: [],
  });
  const check = await runIn(shell, "say");
  expect({ what, text: check.text }).toEqual({ what, text: `lane ${lane} in /usr\n` });
}
