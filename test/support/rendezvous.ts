/**
 * Two commands that only read and meet: each waits at a pipe of its own, and both pipes have a reader at one time. What
 * takes turns never gets there.
 */
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { until } from "./patience.ts";

const NAMES = ["left", "right"] as const;

/**
 * Makes the two commands by `run`, at once, in `folder`. Resolves with what they give, once both were seen waiting at the
 * same time; fails where one waits for the other.
 */
export async function meet<T>(folder: string, run: (command: string) => Promise<T>): Promise<T[]> {
  for (const name of NAMES) execFileSync("mkfifo", [join(folder, name)]);
  const running = NAMES.map((name) => run(`cat ${name}`));
  const ended = Promise.all(running);
  // Awaited below, but not where the two never meet.
  ended.catch(() => undefined);
  const open: number[] = [];
  try {
    for (const name of NAMES) {
      // Opens only while someone reads, and holds that reader until it is closed.
      await until(`a reader of ${name}, beside the others`, () => {
        const end = writeEnd(join(folder, name));
        if (end !== undefined) open.push(end);
        return end !== undefined;
      });
    }
    for (const [index, name] of NAMES.entries()) writeSync(open[index] ?? -1, `${name} met\n`);
  } finally {
    for (const end of open) closeSync(end);
  }
  return ended;
}

/** The end of a pipe to write to; undefined: no one reads from it now. */
function writeEnd(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENXIO") return undefined;
    throw error;
  }
}
