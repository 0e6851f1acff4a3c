/**
 * Stops at random moments of commands with every trap and mask among them: control is back, the session has its state, and
 * nothing is left; neither bash nor this process grows. It is the session's own bash that lives on, not one in its place.
 *
 * Two lists. What ends at the first word is timed as "prompt". A program that handles signals, or a subshell with a trap, is
 * given the time of the ladder (docs/cancellation.md), so those are counted apart.
 */
import { readFileSync } from "node:fs";
import { Shell } from "@pi-bash/natives";
import { expect } from "vitest";
import { pause, within } from "../support/patience.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { runIn } from "../support/session.ts";
import { newTag } from "../support/tag.ts";
import { backAt, settledCount } from "./process-count.ts";

/** A command without an end, and what takes back what it may have changed. */
interface Endless {
  readonly text: string;
  readonly undo?: string;
}

const NO_TRAPS = "for i in EXIT ERR DEBUG RETURN {1..64}; do trap - $i; done 2>/dev/null; trap 'echo usr1' USR1";

const PROMPT: readonly Endless[] = [
  { text: "sleep 300" },
  { text: "while :; do :; done" },
  { text: "while :; do x=$(echo hi); done; x=", undo: "unset x" },
  { text: "for ((;;)); do echo x >/dev/null; done" },
  { text: "x=$(sleep 300)", undo: "unset x" },
  { text: "sleep 300 | cat | cat" },
  { text: "yes | while read -r l; do :; done" },
  { text: "while read -r l; do :; done < <(yes)", undo: "unset l" },
  { text: "cat <(sleep 300) <(sleep 300)" },
  { text: "{ sleep 300; } > >(cat) 2> >(cat >&2)" },
  { text: "read -r x < <(sleep 300)", undo: "unset x" },
  { text: "[[ -p fifo ]] || mkfifo fifo; read -r x <fifo", undo: "unset x" },
  { text: "coproc sleep 300; wait", undo: "unset COPROC COPROC_PID" },
  { text: "coproc cat; read -r x <&${COPROC[0]}", undo: "unset x COPROC COPROC_PID" },
  { text: "sleep 300 & wait" },
  { text: "sleep 300 & sleep 300 & wait -n; wait" },
  { text: "( sleep 300; echo no ) | cat" },
  { text: "( ( while :; do :; done ) )" },
  { text: "f() { local a=5 b=(1 2 3); while :; do ((a++)); done; }; f", undo: "unset -f f" },
  {
    text: "f() { local -r V=inner; local PWD=/nowhere IFS=x; g; }; g() { local V=2; sleep 300; }; f",
    undo: "unset -f f g",
  },
  { text: "f() { trap 'echo returned' RETURN; sleep 300; }; f", undo: `unset -f f; ${NO_TRAPS}` },
  { text: "{ while :; do printf '%65536s' x; done; } > >(sleep 300)" },
  { text: "while :; do printf '%65536s' x; done | sleep 300" },
  { text: "mapfile -t lines < <(yes)", undo: "unset lines" },
  { text: ". <(sleep 300)" },
  { text: ". <(echo 'while :; do :; done')" },
  { text: "eval 'eval \"while :; do /bin/true; done\"'" },
  { text: "select x in a b; do :; done < <(sleep 300)", undo: "unset x REPLY" },
  { text: "exec 5> >(sleep 300); while :; do printf '%65536s' x >&5; done", undo: "exec 5>&-" },
  { text: "exec 7>/dev/null; sleep 300", undo: "exec 7>&-" },
  { text: "trap '' INT TERM HUP; while :; do :; done", undo: NO_TRAPS },
  { text: "trap '' INT TERM HUP; sleep 300", undo: NO_TRAPS },
  { text: "trap '' INT TERM HUP; x=$(sleep 300; echo $(sleep 300))", undo: `unset x; ${NO_TRAPS}` },
  { text: 'for i in {1..64}; do trap "" $i; done 2>/dev/null; while :; do :; done', undo: `unset i; ${NO_TRAPS}` },
  { text: 'for i in {1..64}; do trap "" $i; done 2>/dev/null; sleep 300 | cat', undo: `unset i; ${NO_TRAPS}` },
  {
    text: 'for i in {1..64}; do trap ": caught" $i; done 2>/dev/null; while :; do :; done',
    undo: `unset i; ${NO_TRAPS}`,
  },
  { text: "trap 'echo int' INT; trap 'echo term' TERM; while :; do :; done", undo: NO_TRAPS },
  { text: "trap 'echo exit' EXIT; sleep 300", undo: NO_TRAPS },
  { text: "trap 'echo err' ERR; while :; do false; done", undo: NO_TRAPS },
  { text: "trap ': debug' DEBUG; while :; do :; done", undo: NO_TRAPS },
  { text: "trap 'while :; do :; done' ERR; false", undo: NO_TRAPS },
  { text: "trap 'sleep 300' USR2; kill -USR2 $BASHPID; sleep 300", undo: NO_TRAPS },
  { text: "set -e; sleep 300" },
  { text: "set -eu -o pipefail; while :; do :; done", undo: "set +u +o pipefail" },
  { text: "set -m; sleep 300 | cat", undo: "set +m" },
  { text: "set -x; while :; do :; done 2>/dev/null", undo: "set +x" },
  { text: "shopt -s lastpipe; yes | while read -r l; do :; done", undo: "shopt -u lastpipe; unset l" },
  { text: "shopt -s extdebug; trap ': debug' DEBUG; sleep 300", undo: NO_TRAPS },
  { text: "cd /tmp; pushd / >/dev/null; sleep 300", undo: "dirs -c; cd /usr/share; cd /usr" },
  { text: "umask 077; alias z=echo; hash -r; sleep 300", undo: "umask 022; unalias z 2>/dev/null" },
  { text: "time { sleep 300; }" },
  { text: "until false; do sleep 0.001; done" },
  { text: "cat <<E\n$(sleep 300)\nE" },
  { text: "read -r x <<<$(sleep 300)", undo: "unset x" },
  { text: "x=(/usr/*/*); while :; do x=(/usr/*); done", undo: "unset x" },
  { text: "kill -STOP $BASHPID; sleep 300" },
  { text: "compgen -b >/dev/null; sleep 300" },
  { text: "timeout 300 sleep 300" },
];

/** What handles a signal and goes on. */
const POLITE: readonly Endless[] = [
  { text: "(trap 'echo caught' INT; sleep 300; sleep 300)" },
  { text: "(trap ': term' TERM; trap ': int' INT; while :; do :; done) | cat" },
  { text: "sh -c 'trap : INT TERM; while :; do sleep 0.05; done'" },
];

/** What a session has after each stop; `V` is the round. */
const STATE = [
  'echo "$V ${arr[*]} ${#FUNCNAME[@]} $BASH_SUBSHELL $BASHPID $PWD $(umask) $-"',
  "declare -f",
  "trap -p",
  "alias",
  "dirs",
  "declare -p kept IFS OLDPWD; shopt -p; set -o; compgen -v | grep -vE '^(_|BASH_|PIPESTATUS|EPOCH|SECONDS|SRANDOM|RANDOM)'",
  'fds=(/proc/$$/fd/*); echo "${#fds[@]} descriptors"; unset fds',
  "jobs -r",
].join("\n");

/** Longest time from a run's start to its stop, in milliseconds. */
const LATEST_MS = 25;

/** The bound of the product, with what a busy machine needs. */
const BOUND_MS = 15_000;

/** After this many rounds memory has what it needs; growth is counted from there. */
const WARM_ROUNDS = 500;

/** Rounds that growth is counted over, at least: a buffer that one command needed is the share of many stops then. */
const COUNTED_ROUNDS = 1_500;

/**
 * What bash's heap may add for each stop: what bash holds in local variables when it jumps is lost (docs/cancellation.md has
 * the figures, and those of a plain bash that is interrupted).
 */
const GROWTH_KIB = 1;

/** What a soak found out. */
export interface StopFigures {
  readonly prompt: StopTimes;
  readonly polite: StopTimes;
  /** Of bash's data, for each stop after the first ones. */
  readonly growthKib: number;
}

/** Times from the abort to the settled call, in milliseconds. */
export interface StopTimes {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Stops `count` commands; the same `seed` chooses the same commands and moments. */
export async function soakStops(count: number, seed: number): Promise<StopFigures> {
  const folder = scratchFolder();
  const tag = newTag();
  const random = seededRandom(seed);
  await using first = new Shell();
  await runIn(first, "true");
  const before = await settledCount();
  let growthKib = 0;
  const times: Record<"prompt" | "polite", number[]> = { prompt: [], polite: [] };
  {
    await using shell = new Shell({ sessionEnv: { ...tag.env, W: folder }, cwd: folder });
    await runIn(
      shell,
      `arr=(1 "2 3" 4); keep() { echo "$V"; }; kept=yes; set +o history; ${NO_TRAPS}; cd /usr/share; cd /usr`,
    );
    let expected = "";
    let memory = 0;
    const pid = Number((await runIn(shell, "echo $BASHPID")).text);
    for (let round = 0; round < count; round += 1) {
      const isPolite = random() < 0.01;
      const { text, undo } = pick(isPolite ? POLITE : PROMPT, random);
      const what = `round ${round}: ${text}`;
      const ms = await stopOnce(shell, `V=${round}; cd "$W"; cd /usr/share; cd /usr; ${text}`, what, random);
      times[isPolite ? "polite" : "prompt"].push(ms);
      const took = await runIn(shell, `cd /usr/share; cd /usr; V=V; ${undo ?? ":"}`);
      const state = await runIn(shell, STATE);
      if (round === 0) expected = state.text;
      const taken = took.text.replace(/^\+ .*\n/gm, ""); // what `set -x` shows
      expect({ what, taken, reset: took.sessionReset || state.sessionReset, state: state.text }).toEqual({
        what,
        taken: "",
        reset: false,
        state: expected,
      });
      if (round === WARM_ROUNDS) memory = dataOf(pid);
      if (round % 200 === 199)
        expect({ what, survivors: othersOf(tag.survivors(), pid) }).toEqual({ what, survivors: [] });
    }
    if (count >= WARM_ROUNDS + COUNTED_ROUNDS) growthKib = (dataOf(pid) - memory) / (count - WARM_ROUNDS);
  }
  await tag.gone();
  await backAt(before);
  const figures = { prompt: timesOf(times.prompt), polite: timesOf(times.polite), growthKib };
  process.stdout.write(`${count} stops: ${JSON.stringify(figures)}\n`);
  expect(growthKib).toBeLessThan(GROWTH_KIB);
  return figures;
}

async function stopOnce(shell: Shell, command: string, what: string, random: Random): Promise<number> {
  const controller = new AbortController();
  const running = shell.run({ command, signal: controller.signal, sink: {} });
  await pause(random() * LATEST_MS);
  const began = performance.now();
  controller.abort();
  const result = await within(what, running, BOUND_MS);
  const ms = performance.now() - began;
  expect({ what, cancelled: result.cancelled, survivors: result.survivors, reset: result.sessionReset }).toEqual({
    what,
    cancelled: true,
    survivors: [],
    reset: false,
  });
  return ms;
}

/** The session's bash and the copies that stand by have its environment too. */
function othersOf(survivors: readonly number[], pid: number): string[] {
  const shells = new Set(survivors.filter((one) => one === pid || commandOf(one) === commandOf(pid)));
  return survivors.filter((one) => !shells.has(one)).map((one) => `${one} ${commandOf(one)}`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "gone";
  }
}

/** KiB of a process's data: heap and stack, whether resident or not. */
function dataOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmData:\s+(\d+)/m.exec(status)?.[1]);
}

function timesOf(all: readonly number[]): StopTimes {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}
