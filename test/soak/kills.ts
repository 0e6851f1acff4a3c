/**
 * SIGKILL for one part at a random moment: the supervisor, the session's bash, its standby, a copy, or the host itself. The
 * call settles, `sessionReset` tells the truth, the next command is answered, and nothing is left in the process table.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Shell, ShellError } from "@pi-bash/natives";
import { expect } from "vitest";
import { PLACE } from "../places/variables.ts";
import { startHost } from "../support/host.ts";
import { pause, within } from "../support/patience.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { runIn } from "../support/session.ts";
import { newTag } from "../support/tag.ts";
import { backAt, settledCount } from "./process-count.ts";

const PARTS = ["supervisor", "bash", "standby", "copy"] as const;
type Part = (typeof PARTS)[number];

/** Commands that are running when the part is killed; each ends by itself. */
const COMMANDS = [
  "sleep 0.03",
  "for i in {1..3000}; do :; done",
  "for i in {1..20}; do /bin/true; done",
  "x=$(sleep 0.02; echo x)",
  "sleep 0.02 | cat | cat",
  "cat <(sleep 0.02)",
  "sleep 0.03 & wait",
  "(setsid sleep 0.1 &); sleep 0.02",
  "printf '%70000s' x; sleep 0.02",
  "cd /tmp; sleep 0.02; cd /usr",
  "V=changed; sleep 0.02; V=$MARK",
  "true",
] as const;

/** What a session has; the folder, a variable, a function, options, a trap. */
const STATE = 'echo "${V-} $(f 2>/dev/null) $PWD $SHELLOPTS $(trap -p USR1)"';

/** Longest time from the start of a command to the kill, in milliseconds. */
const LATEST_MS = 40;

/** The product's bound after a kill is 5 s; with what a busy machine needs. */
const BOUND_MS = 15_000;

/** One kill in so many is of a host of its own. */
const HOST_SHARE = 8;

/** Kills `count` parts; the same `seed` chooses the same parts and moments. */
export async function soakKills(count: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const folder = scratchFolder();
  await using first = new Shell();
  await runIn(first, "true");
  const before = await settledCount();
  for (let round = 0; round < count; round += 1) {
    if (round % HOST_SHARE === 0) await killHost(random);
    else await killPart(round, folder, random);
  }
  await backAt(before);
}

async function killHost(random: Random): Promise<void> {
  const tag = newTag();
  // In the mode `places` the host has its session over there, as the sessions of this process are.
  const program = process.env[PLACE] === undefined ? "run-in-loop" : "run-in-loop-on-place";
  const host = startHost(program, { args: [tag.env.FTAG] });
  await host.printed("ready");
  await pause(random() * LATEST_MS);
  host.process.kill("SIGKILL");
  await host.ended();
  await tag.gone();
}

async function killPart(round: number, cwd: string, random: Random): Promise<void> {
  const tag = newTag();
  const part = pick(PARTS, random);
  const command = pick(COMMANDS, random);
  const what = `round ${round}: ${part} during ${command}`;
  {
    await using shell = new Shell({ sessionEnv: tag.env, cwd });
    const set = `MARK=mark-${round}; V=$MARK; f() { echo "f $V"; }; cd /usr; set -o pipefail; trap 'echo usr1' USR1`;
    const pid = Number((await runIn(shell, `${set}; echo $BASHPID`)).text);
    const expected = (await runIn(shell, STATE)).text;
    const isCopy = part === "copy";
    const running = shell.run({ command, sink: {}, ...(isCopy ? { concurrency: "clone" } : {}) });
    const settled = within(what, running, BOUND_MS).then(
      (result) => result.sessionReset,
      (error: unknown) => {
        if (!(error instanceof ShellError)) throw error;
        return false; // It says that the command was not run; what became of the session the next one tells.
      },
    );
    await pause(random() * LATEST_MS);
    const isKilled = kill(part, pid);
    let isReported = await settled;
    // The kill may come late and meet the question, before or after its answer; then it is asked again.
    let state = await within(what, runIn(shell, STATE), BOUND_MS);
    isReported ||= state.sessionReset;
    if (state.sessionReset) state = await within(what, runIn(shell, STATE), BOUND_MS);
    isReported ||= state.sessionReset;

    // What is gone is reported. What is reported is gone, but for a command that died with its bash: what it had set is not known.
    const isGone = state.text !== expected;
    const mayBeOfCommand = part === "bash" && isKilled;
    expect({
      what,
      isGone,
      isReported: isReported && (isGone || !mayBeOfCommand),
      state: isGone && isReported ? "" : state.text,
    }).toEqual({
      what,
      isGone,
      isReported: isGone,
      state: isGone ? "" : expected,
    });
    if (part === "standby" || isCopy) expect({ what, isGone }).toEqual({ what, isGone: false });
  }
  await tag.gone();
}

/** Whether there was such a process. */
function kill(part: Part, bash: number): boolean {
  const supervisor = parentOf(bash);
  if (supervisor === undefined) return false;
  const shells = childrenOf(supervisor).filter((one) => one !== bash && commandOf(one) === commandOf(bash));
  const target = { supervisor, bash, standby: shells[0], copy: shells.at(-1) }[part];
  if (target === undefined) return false;
  try {
    return process.kill(target, "SIGKILL");
  } catch {
    return false; // It has just ended.
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, "latin1")
        .replace(/^.*\) /, "")
        .split(" ")[1],
    );
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
