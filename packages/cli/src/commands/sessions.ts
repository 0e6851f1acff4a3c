/**
 * `pi-bash sessions`: what the host keeps, a line for each session, job and command.
 */
import { displayLine, type KeptEntry } from "@pi-bash/contract/internal";
import { askOnce } from "../host/host-client.ts";
import { parseOptionWords } from "../option-words.ts";
import { SESSIONS_OPTIONS } from "../surface/options.ts";

/** Longest command in a line, in UTF-16 units. */
const MAX_COMMAND_CHARS = 100;

/** Runs the words after `sessions` and resolves with the exit status. */
export async function sessions(words: readonly string[]): Promise<number> {
  const { values } = parseOptionWords({ args: [...words], options: SESSIONS_OPTIONS });
  const { entries = [] } = await askOnce({ ask: "list" });
  if (values.json) process.stdout.write(`${JSON.stringify(entries, undefined, 2)}\n`);
  else if (entries.length === 0) process.stdout.write("no sessions are kept\n");
  else process.stdout.write(tableOf(entries, Date.now()));
  return 0;
}

/** Rows in columns, in the order of the entries. */
export function tableOf(entries: readonly KeptEntry[], nowMs: number): string {
  const rows = entries.map((entry) => [
    entry.id,
    stateOf(entry),
    ageOf(nowMs - entry.sinceMs),
    entry.place ?? "local",
    entry.kind === "session" ? entry.folder : (entry.command ?? ""),
  ]);
  const all = [["ID", "STATE", "SINCE", "PLACE", "FOLDER OR COMMAND"], ...rows].map((row) => row.map(shown));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** What a command or a folder is called may be anything: it is shown, and never obeyed. */
function shown(text: string): string {
  const line = displayLine(text);
  return line.length > MAX_COMMAND_CHARS ? `${line.slice(0, MAX_COMMAND_CHARS - 1)}…` : line;
}

/** What a terminal waits for, in words. */
const WAITS_FOR = { line: "a line", secret: "a secret", prompt: "input", key: "a key", screen: "keys" } as const;

function stateOf({ kind, state, hasClient, exitCode, waiting, holder }: KeptEntry): string {
  if (kind === "session") return `${state}, ${hasClient ? "client" : "no client"}`;
  if (holder !== undefined) return `${state}, a person types`;
  if (waiting !== undefined) return `${state}, waits for ${WAITS_FOR[waiting]}`;
  return exitCode === undefined || exitCode === 0 ? state : `${state} (exit ${exitCode})`;
}

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
