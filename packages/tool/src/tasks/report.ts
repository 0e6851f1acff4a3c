/**
 * What a model reads about tasks: one grammar for a command that runs, one that has ended, and an agent's report.
 *
 * Facts stand in lines before the output, which is fenced by more backticks than it has anywhere: no output can end its
 * own fence and pretend to be a fact.
 */

import { outputText, type TaskAwaitEntry, type TaskPort, type TaskTruncation } from "@pi-bash/contract";
import { artifactUrl, displayLine } from "@pi-bash/contract/internal";
import { clipped, headBytes, tailBytes } from "@pi-bash/contract/internal/text";
import type { JobView, LogText } from "@pi-bash/executor";
import { usageText } from "../notices.ts";
import { terminalHead } from "./tty-report.ts";

/** Longest name or script in a line, in UTF-16 units. */
const MAX_LINE_CHARS = 120;
/** Ports that are named in a line. */
const MAX_NAMED = 8;
/** Longest run of backticks that is shown as it is. */
const MAX_RUN_CHARS = 32;
const LONG_RUN = /`{33,}/g;
/** Beginning of an answer that is kept where it is too long, in bytes: the facts stand there. */
const KEPT_HEAD_BYTES = 1_000;
/** The same, in lines. */
const KEPT_HEAD_LINES = 20;

/** How a command's job stands, in the words of a report. */
function processStatus(job: JobView): "running" | "exited" | "killed" | "failed" {
  if (job.endedAtMs === undefined) return "running";
  if (job.state === "cancelled" || job.signal !== undefined) return "killed";
  return job.exitCode === undefined ? "failed" : "exited";
}

/** `### Bash task: bash:bg_1 (tests)`, the facts, the output. */
export function bashReport(taskId: string, job: JobView, output: string): string {
  const name = job.title === undefined ? "" : ` (${oneLine(job.title)})`;
  const lines = [`### Bash task: ${taskId}${name}`, `status: ${processStatus(job)}`];
  if (job.exitCode !== undefined) lines.push(`exitCode: ${job.exitCode}`);
  if (job.signal !== undefined) lines.push(`signal: ${job.signal}`);
  if (job.usage !== undefined) lines.push(`used: ${usageText(job.usage)}`);
  if (job.recordId !== undefined) lines.push(`record: ${artifactUrl(job.recordId)}`);
  return `${lines.join("\n")}\n\n${fenced(output)}`;
}

/**
 * A text between fences that are longer than any run of backticks in it. Runs that would make them very long are
 * shortened, with a word on it.
 */
export function fenced(text: string): string {
  const body = outputText(text, true).replaceAll(LONG_RUN, shortened).replace(/\n+$/, "");
  let longest = 2;
  for (const [run] of body.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${body === "" ? "(no output)" : body}\n${fence}`;
}

function shortened(run: string): string {
  return `${"`".repeat(MAX_RUN_CHARS)}[${run.length - MAX_RUN_CHARS} more backticks]`;
}

/** What a text leaves out, and where that is. */
export function leftOutNote(output: LogText, job: JobView, filter: string | undefined): string | undefined {
  const { leftOut, isIncomplete, isUnfinished, matches } = output;
  const address = job.artifactId === undefined ? undefined : artifactUrl(job.artifactId);
  const notes: string[] = [];
  if (leftOut !== undefined) {
    const range = `${leftOut.startLine}-${leftOut.endLine}`;
    notes.push(`Lines ${range} are left out here${address === undefined ? "." : `: ${address}?lines=${range}`}`);
  } else if (isIncomplete && isUnfinished !== true) {
    const what = filter === undefined ? "Some of it is" : `Some of ${matches ?? 0} matching lines are`;
    notes.push(`${what} left out here${address === undefined ? "." : `; all output: ${address}`}`);
  }
  if (isUnfinished) notes.push("The filter has not seen all of the output yet; the next call goes on.");
  return notes.length === 0 ? undefined : notes.join(" ");
}

/** The same as data; lines are those of the whole output. */
export function truncationOf(output: LogText, reason: string | undefined): TaskTruncation | undefined {
  if (!output.isIncomplete) return undefined;
  return { reason: reason ?? "the beginning is left out", totalLines: output.leftOut?.endLine ?? 0 };
}

/** Room for a text that a model reads. */
export interface Room {
  readonly maxBytes: number;
  /** Absent: any number within the bytes. */
  readonly maxLines?: number | undefined;
}

/** A share of a window for each of several texts; at least one line. */
export function sharedRoom({ maxBytes, maxLines }: Room, count: number): Room {
  const share = (all: number): number => Math.floor(all / Math.max(1, count));
  return { maxBytes: share(maxBytes), maxLines: maxLines === undefined ? undefined : Math.max(1, share(maxLines)) };
}

/** What the model reads of one awaited task, as much of it as there is room for. `isSameScreen`: it knows the screen. */
export function awaitText(entry: TaskAwaitEntry, room: Room, isSameScreen = false): string {
  const text = (): string => {
    switch (entry.status) {
      case "completed":
        return withNote(entry.reportMarkdown, entry.note);
      case "not_found":
        return `Task not found: ${oneLine(entry.taskId)}. It may have ended long ago, or the host was started again.`;
      case "invalid_scope":
        return `Task ${oneLine(entry.taskId)} belongs to a workspace that is not below this one.`;
      case "error":
        return `Task ${oneLine(entry.taskId)}: ${entry.error}`;
      case "queued":
      case "running":
      case "awaiting_report":
        return runningText(entry, isSameScreen);
    }
  };
  return withoutMiddle(text(), room);
}

/** What is said of one that has not ended: its facts, its lines, its screen. */
function runningText(
  entry: Extract<TaskAwaitEntry, { status: "queued" | "running" | "awaiting_report" }>,
  isSameScreen: boolean,
): string {
  const elapsed = entry.elapsed_ms === undefined ? "" : ` for ${(entry.elapsed_ms / 1_000).toFixed(1)} s`;
  const listens = "ports" in entry && entry.ports !== undefined ? `\nports: ${portsText(entry.ports)}` : "";
  const head = `### Task ${entry.taskId}: ${entry.status}${elapsed}${listens}`;
  const output = entry.output === undefined || entry.output === "" ? [] : [fenced(entry.output)];
  if (entry.status !== "running") return withNote([head, ...output].join("\n\n"), entry.note);
  const { screen } = entry;
  const shown = screen === undefined ? [] : [isSameScreen ? "Screen unchanged." : fenced(screen.text)];
  return withNote([terminalHead(entry) ?? head, ...output, ...shown].join("\n\n"), entry.note);
}

/** A text within its room: its beginning, where the facts are, and its end. */
export function withoutMiddle(whole: string, { maxBytes, maxLines }: Room): string {
  const text = maxLines === undefined ? whole : withoutMiddleLines(whole, maxLines);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const head = headBytes(text, Math.min(KEPT_HEAD_BYTES, Math.floor(maxBytes / 3)));
  const mark = `\n[… ${bytes - maxBytes} bytes and more left out …]\n`;
  const room = Math.max(0, maxBytes - Buffer.byteLength(head) - Buffer.byteLength(mark));
  return `${head}${mark}${tailBytes(text, room)}`;
}

function withoutMiddleLines(text: string, maxLines: number): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines) return text;
  const head = lines.slice(0, Math.min(KEPT_HEAD_LINES, Math.floor(maxLines / 3)));
  const tail = lines.slice(head.length + 1 - maxLines);
  return [...head, `[… ${lines.length - head.length - tail.length} lines left out …]`, ...tail].join("\n");
}

/** Lines that each say one thing, as many as there is room for, and how many more there are. */
export function listedLines(lines: readonly string[], { maxBytes, maxLines = Infinity }: Room): string {
  let bytes = 0;
  const over = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes || index + 1 > maxLines;
  });
  if (over === -1) return lines.join("\n");
  return [...lines.slice(0, over), `… and ${lines.length - over} more`].join("\n");
}

function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text}\n\n${note}`;
}

/** `127.0.0.1:5173 (node, pid 4711)`, each port once. */
export function portsText(ports: readonly TaskPort[]): string {
  const named = ports.slice(0, MAX_NAMED).map((each) => {
    const address = each.address.includes(":") ? `[${each.address}]` : each.address;
    const who = [
      ...(each.program === undefined ? [] : [oneLine(each.program)]),
      ...(each.pid === undefined ? [] : [`pid ${each.pid}`]),
      ...(each.inside ? ["inside its own network only"] : []),
    ];
    return `${address}:${each.port}${who.length === 0 ? "" : ` (${who.join(", ")})`}`;
  });
  const more = ports.length > MAX_NAMED ? ` and ${ports.length - MAX_NAMED} more` : "";
  return `${named.join(", ")}${more}`;
}

/** A name or a script as one line of bounded length, hidden characters written out. */
export function oneLine(text: string): string {
  return clipped(displayLine(text), MAX_LINE_CHARS);
}
