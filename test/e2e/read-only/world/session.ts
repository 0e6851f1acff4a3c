/**
 * A session that attempts are made in: with state of every kind, descriptors that lead out, a job and a sibling; and what
 * of that is there afterwards. How its commands run is the way's: `native-way.ts`, `tool-way.ts`.
 */
import { readFileSync } from "node:fs";
import { stateLines } from "../../../../packages/policy/test/differential/runner/session.ts";
import { until, within } from "../../../support/patience.ts";
import { isAlive } from "../../../support/process.ts";
import type { World } from "./world.ts";

/** What became of a line. */
export interface Made {
  readonly output: string;
  /** It was refused, and nothing of it ran. */
  readonly isRefused: boolean;
  readonly sessionReset: boolean;
  readonly survivors: readonly { readonly pid: number }[];
}

/** Variables of the world, see `attempts/`. */
export type Variables = Readonly<Record<string, string>>;

/** How the commands of a session run. */
export interface Way {
  /** Runs text of the test's own, which has the session and may do anything. */
  own(command: string, variables: Variables): Promise<Made>;
  /** Starts a command beside the session that goes on until the session ends. */
  beside(command: string, onOutput: (text: string) => void): Promise<void>;
  /** Makes an attempt. */
  attempt(line: string, variables: Variables): Promise<Made>;
  close(): Promise<void>;
}

/** A session to be attacked from within. */
export interface Attacked {
  /** Makes an attempt; what it leaves is waited for, and then ended. */
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

/** Longest time of one line with all that belongs to it, in milliseconds. */
const LINE_MS = 60_000;

/** Begins one in the world, whose commands run that way. */
export async function beginSession(world: World, way: Way): Promise<Attacked> {
  const own = async (command: string): Promise<Made> => within(command, way.own(command, world.variables()), LINE_MS);
  const begun = await own(BEGIN);
  let printed = "";
  await way.beside("echo $BASHPID; sleep 600", (text) => {
    printed += text;
  });
  await until("the command beside it has begun", () => printed.endsWith("\n"));
  const sibling = Number(printed);
  const ids = (await own('echo "$SUPERVISOR $SESSION"')).output.trim().split(" ").map(Number);
  if (ids.length !== 2 || !ids.every((id) => id > 1)) throw new Error(`the session did not begin: ${begun.output}`);
  await own(`export SIBLING=${sibling}`);
  return {
    others: [...ids, sibling],
    run: async (line) => {
      const made = await within(line, way.attempt(line, world.variables()), LINE_MS);
      const giveUp = performance.now() + LEFT_MS;
      const live = (): boolean => made.survivors.some(({ pid }) => isAlive(pid) && !isGone(pid));
      await until("what it left has ended", () => !live() || performance.now() > giveUp, LEFT_MS * 2);
      for (const { pid } of made.survivors) if (isAlive(pid)) process.kill(pid, "SIGKILL");
      return made;
    },
    state: async () => {
      const { output, sessionReset } = await own(STATE);
      const lines = stateLines(output).map((line): [string, string] => [`state ${line}`, ""]);
      return new Map([...lines, ["the session was lost", String(sessionReset)]]);
    },
    close: () => way.close(),
  };
}

function isGone(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
