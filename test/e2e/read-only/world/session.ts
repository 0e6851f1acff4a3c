/**
 * A session that attempts are made in: with state of every kind, descriptors that lead out, a job and a sibling; and what
 * of that is there afterwards.
 */
import { readFileSync } from "node:fs";
import { Shell, type ShellRunOptions, type ShellRunResult } from "@pi-bash/natives";
import { stateLines } from "../../../../packages/policy/test/differential/runner/session.ts";
import { until, within } from "../../../support/patience.ts";
import { isAlive } from "../../../support/process.ts";
import type { World } from "./world.ts";

/** What an attempt of a session came to. */
export interface Made {
  readonly output: string;
  readonly result: ShellRunResult;
}

/** A session to be attacked from within. */
export interface Attacked {
  /** Runs a line; what it leaves is waited for, and then ended. */
  run(line: string): Promise<Made>;
  /** What the session has, by line. */
  state(): Promise<Map<string, string>>;
  /** Ids of the supervisor, the session's shell and a command beside it. */
  readonly others: readonly number[];
  close(): Promise<void>;
}

const BEGIN = `
variable=kept; exported=kept; export exported; array=(a b); declare -A map=([k]=v)
kept_function() { echo kept; }; alias kept_alias='echo kept'; trap 'echo kept' USR2
shopt -s extglob; set -o pipefail; umask 027
exec 7>> "$OUTSIDE/opened"; exec {high}>> "$OUTSIDE/opened"; coproc SERVANT { cat >> "$OUTSIDE/opened"; }
export SESSION=$$ SUPERVISOR=$PPID
sleep 600 & JOB=$!
`;

const STATE = `
declare -p; declare -f; alias; trap -p; shopt -p; set +o; umask; enable; ulimit -a; pwd; jobs -p
( for one in 7 "$high" "\${SERVANT[@]}"; do echo "descriptor $one $(readlink "/proc/$$/fd/$one")"; done )
`;

/** Longest wait for what an attempt left in the background, in milliseconds. */
const LEFT_MS = 5_000;

/** Begins one in the world. `readOnly`: its attempts, and the command beside it, are read-only commands. */
export async function beginSession(world: World, readOnly: boolean): Promise<Attacked> {
  const shell = new Shell({ cwd: world.workspace });
  const begun = await shell.run({ command: BEGIN, env: world.variables() });
  if (begun.exitCode !== 0) throw new Error(`the session did not begin: ${JSON.stringify(begun)}`);
  let printed = "";
  const beside = shell.run({ command: "echo $BASHPID; sleep 600", concurrency: "clone", readOnly }, (_error, chunk) => {
    printed += chunk;
  });
  beside.catch(() => undefined);
  await until("the command beside it has begun", () => printed.endsWith("\n"));
  const sibling = Number(printed);
  const capture = async (command: string, options: Omit<ShellRunOptions, "command"> = {}): Promise<Made> => {
    let output = "";
    const run = shell.run({ command, timeoutMs: 20_000, ...options }, (_error, chunk) => {
      output += chunk;
    });
    return { result: await within(command, run, 60_000), output };
  };
  const ids = (await capture('echo "$SUPERVISOR $SESSION"')).output.trim().split(" ").map(Number);
  await capture(`export SIBLING=${sibling}`);
  let count = 0;
  return {
    others: [...ids, sibling],
    run: async (line) => {
      // With the session's turn and beside it, in turn; what is not read-only has to have the session.
      const concurrency = readOnly && count++ % 2 === 1 ? "clone" : "queue";
      const made = await capture(line, { readOnly, concurrency, env: world.variables() });
      const { survivors } = made.result;
      const giveUp = performance.now() + LEFT_MS;
      const live = (): boolean => survivors.some(({ pid }) => isAlive(pid) && !isGone(pid));
      await until("what it left has ended", () => !live() || performance.now() > giveUp, LEFT_MS * 2);
      for (const { pid } of survivors) if (isAlive(pid)) process.kill(pid, "SIGKILL");
      return made;
    },
    state: async () => {
      const { output, result } = await capture(STATE);
      const lines = stateLines(output).map((line): [string, string] => [`state ${line}`, ""]);
      return new Map([...lines, ["the session was lost", String(result.sessionReset)]]);
    },
    close: () => shell.close(),
  };
}

function isGone(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
