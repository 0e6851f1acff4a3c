/** All attempts, by name. */
import type { Attempt, Attempts } from "./attempt.ts";
import { FILES } from "./files.ts";
import { KERNEL } from "./kernel.ts";
import { PROCESSES } from "./processes.ts";
import { REACH } from "./reach.ts";
import { SHELL } from "./shell.ts";

/** Each with its lines. */
export function allAttempts(): ReadonlyMap<string, Attempt> {
  const tables: readonly Attempts[] = [FILES, PROCESSES, REACH, KERNEL, SHELL];
  const entries = tables.flatMap((table) => Object.entries(table));
  const all = new Map(
    entries.map(([name, given]): [string, Attempt] => {
      if (typeof given === "string") return [name, { lines: [given] }];
      return [name, "lines" in given ? given : { lines: given }];
    }),
  );
  const names = entries.map(([name]) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`two attempts have the same name: ${twice.join(", ")}`);
  return all;
}
