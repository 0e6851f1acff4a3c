/**
 * Which processes a client and its engine have: by a mark in their environment, never by a name, which anyone may have. A
 * program that gives itself a title overwrites its environment; a client's are found by their session and parents as well.
 * Linux only, as it reads `/proc`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two looks. */
const LOOK_EVERY_MS = 100;

/** Waits for a condition. @returns {Promise<boolean>} whether it came to hold within `limitMs` */
export async function until(holds, limitMs) {
  for (const deadline = Date.now() + limitMs; ; ) {
    if (await holds()) return true;
    if (Date.now() > deadline) return false;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Ids of living processes whose environment has the line `mark`, e.g. `RUN=1`. */
export function processesWith(mark) {
  return living()
    .map(({ pid }) => pid)
    .filter((pid) => hasMark(pid, mark));
}

/**
 * Ids of the living processes of a client: with its mark, in the session that its first process leads, or descended from it.
 * The engine's and what they have started are left out.
 * @param {number | undefined} leader the first process; undefined: there is none that lives on
 */
export function clientProcesses(leader, clientMark, engineMark) {
  const processes = living();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const line = (pid) => {
    const all = [];
    for (let at = pid; at !== undefined && at > 1 && all.length < parents.size; at = parents.get(at)) all.push(at);
    return all;
  };
  return processes
    .filter(({ pid, session }) => hasMark(pid, clientMark) || session === leader || line(pid).includes(leader))
    .map(({ pid }) => pid)
    .filter((pid) => !line(pid).some((each) => hasMark(each, engineMark)));
}

/** A process that has ended and was not waited for (state `Z`) is not alive. */
export function isAlive(pid) {
  const { state } = statOf(pid);
  return state !== undefined && state !== "Z";
}

function living() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), ...statOf(Number(name)) }))
    .filter(({ state }) => state !== undefined && state !== "Z");
}

/** @returns {{ state?: string, parent?: number, session?: number }} empty when there is no such process */
function statOf(pid) {
  // The name stands in parentheses and may hold anything; the state is the first letter after the last one.
  const [, state, parent, , session] = /\) (\w) (\d+) (-?\d+) (-?\d+)[^)]*$/.exec(read(pid, "stat")) ?? [];
  return state === undefined ? {} : { state, parent: Number(parent), session: Number(session) };
}

function hasMark(pid, mark) {
  return read(pid, "environ").split("\0").includes(mark);
}

/** How a process is shown in a report. */
export function commandLineOf(pid) {
  return `${pid} ${read(pid, "cmdline").split("\0").join(" ").trim().slice(0, 80)}`;
}

/** Ends processes; those that have just ended themselves are fine. */
export function kill(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return ""; // It went away, or is another user's.
  }
}
