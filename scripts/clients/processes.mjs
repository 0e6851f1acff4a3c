/**
 * Which processes a client and its engine have: by a mark in their environment, never by a name, which anybody may have.
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

/** Ids of living processes whose environment has the line `mark`, e.g. `RUN=1`; without those that have `otherThan`. */
export function processesWith(mark, otherThan) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const lines = read(pid, "environ").split("\0");
      return lines.includes(mark) && !lines.includes(otherThan ?? "") && isAlive(pid);
    });
}

/** A process that has ended and was not waited for (state `Z`) is not alive. */
export function isAlive(pid) {
  // The name stands in parentheses and may hold anything; the state is the first letter after the last one.
  const state = /\) (\w)[^)]*$/.exec(read(pid, "stat"))?.[1];
  return state !== undefined && state !== "Z";
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
