/**
 * Survivors: processes found by a variable in their environment, never by a name, which anyone may have.
 *
 * A process has the variable when it was started with it; a daemon that forked twice has it too. Linux only, as it reads
 * `/proc`.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { until } from "./patience.ts";

/** A mark for everything that one command or session starts. */
export interface Tag {
  /** Give this as `env` or `sessionEnv`. */
  readonly env: { readonly FTAG: string };
  /** Ids of the processes that carry it and are alive. */
  survivors(): number[];
  /** Waits until there are none. */
  gone(): Promise<void>;
}

/** A tag that no one else has. */
export function newTag(): Tag {
  const env = { FTAG: randomUUID() };
  const survivors = () => processesWith(`FTAG=${env.FTAG}`);
  return { env, survivors, gone: () => until("no survivor", () => survivors().length === 0) };
}

/** Ids of living processes, this one aside, whose environment has the line `assignment`. */
export function processesWith(assignment: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(assignment) && !isZombie(pid));
}

/** Whether a process is in the state `Z`, or gone. */
export function isZombie(pid: number): boolean {
  const state = processState(pid);
  return state === undefined || state === "Z";
}

/** The state letter of `/proc/<pid>/stat`; absent when there is no such process. */
export function processState(pid: number): string | undefined {
  // The name stands in parentheses and may hold anything; the state is the first letter after the last one.
  return /\) (\w)[^)]*$/.exec(readOrNothing(`/proc/${pid}/stat`))?.[1];
}

function environmentOf(pid: number): string[] {
  return readOrNothing(`/proc/${pid}/environ`).split("\0");
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It went away between the listing and the look, or is another user's.
  }
}
