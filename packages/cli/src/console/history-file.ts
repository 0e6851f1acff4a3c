/**
 * The lines that a person typed in earlier sessions of the console, and those of this one for later ones.
 *
 * Kept in a file that its owner alone can read, a JSON string a line, since a line may have line breaks. Like a shell's
 * history it has what was typed, secrets too: a line that begins with a blank is not kept. A file that cannot be read or
 * written costs the history and nothing else.
 */
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { makeFolders } from "@pi-bash/executor/internal";

/** Lines that are kept; older ones go when the file is read. */
export const MAX_HISTORY = 1_000;
/** Most bytes of a line that is kept: what is longer was pasted. */
const MAX_LINE_BYTES = 16 * 1024;

/** Lines from before, the oldest first, and where new ones go. */
export interface History {
  readonly lines: readonly string[];
  add(line: string): void;
}

/** A history that stores nothing. */
export const NO_HISTORY: History = { lines: [], add: () => undefined };

/** The file of this environment: `PI_BASH_HISTFILE`, else one in the folder for state. None where that is set to nothing. */
export function historyPath(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { PI_BASH_HISTFILE: chosen, XDG_STATE_HOME: state, HOME: home } = env;
  if (chosen !== undefined) return chosen === "" ? undefined : chosen;
  return join(state || join(home || homedir(), ".local", "state"), "pi-bash", "console-history");
}

/** Reads the file; one that is too long is written again, without its oldest lines. */
export async function openHistory(path: string | undefined): Promise<History> {
  if (path === undefined) return NO_HISTORY;
  // Without a folder there is no file either.
  await makeFolders(dirname(path), 0o700).catch(() => undefined);
  const lines = quietly(() => readLines(path)) ?? [];
  return {
    lines,
    add(line) {
      if (/^\s/.test(line) || Buffer.byteLength(line) > MAX_LINE_BYTES) return;
      quietly(() => appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
    },
  };
}

function readLines(path: string): string[] {
  const all = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const kept = all.slice(-MAX_HISTORY);
  if (kept.length < all.length) writeFileSync(path, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  chmodSync(path, 0o600);
  return kept.flatMap((line) => {
    const value: unknown = quietly(() => JSON.parse(line));
    return typeof value === "string" ? [value] : [];
  });
}

/** Undefined where the system refuses, or the file cannot be used. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}
