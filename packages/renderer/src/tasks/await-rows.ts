/**
 * What `task_await` answered: each task with how it stands, its new output or report, and what is to know of it.
 */
import type { TaskAwaitEntry, TextContent } from "@pi-bash/contract";
import { durationText } from "../footer.ts";
import { belowEntry, type InnerOptions, inEntry } from "../layout.ts";
import { hiddenRows, noteRows, outputRows, previewRows, themeOf } from "../preview.ts";
import { ACTIVE_STANDINGS, type Standing, standingRun } from "../standing.ts";
import { plainRun, type Run, styledLines } from "../text/styled.ts";
import { type Row, signedAs, wrapWords } from "../text/wrap.ts";
import { reportText } from "./report-text.ts";

/** Least rows of a task's output in a preview of several. */
const MIN_OUTPUT_ROWS = 3;

/** The rows of an answer; `content` where there is no task. */
export function awaitRows(
  entries: readonly TaskAwaitEntry[],
  content: readonly TextContent[],
  options: InnerOptions,
): Row[] {
  if (entries.length === 0) return noteRows(content.map((part) => part.text).join(" "), options);
  const most = previewRows(options.rows);
  const shown = options.expanded ? entries : entries.slice(0, most);
  const each = Math.max(MIN_OUTPUT_ROWS, Math.floor(most / shown.length));
  const rows = shown.flatMap((entry) => entryRows(entry, options, each));
  return [...rows, ...hiddenRows(entries.length - shown.length, "task", options)];
}

function entryRows(entry: TaskAwaitEntry, options: InnerOptions, most: number): Row[] {
  const { hasColour } = themeOf(options);
  return [
    ...signedAs("words", wrapWords(headOf(entry, options), options.width, [plainRun("  ")])),
    ...belowEntry(outputRows(styledLines(textOf(entry), hasColour), inEntry(options), most), options),
    ...belowEntry(
      notesOf(entry).flatMap((note) => noteRows(note, inEntry(options))),
      options,
    ),
  ];
}

/** `✗ bash:bg_1 tests · exit 2 · 12.30s` */
function headOf(entry: TaskAwaitEntry, options: InnerOptions): Run[] {
  const { colours } = themeOf(options);
  const found = standing(entry);
  const [mark, role] = found;
  const title = entry.status === "completed" && entry.title !== undefined ? ` ${entry.title}` : "";
  const elapsed = "elapsed_ms" in entry && entry.elapsed_ms !== undefined ? ` · ${durationText(entry.elapsed_ms)}` : "";
  return [
    { text: `${mark} `, style: colours[role] },
    plainRun(entry.taskId, colours.accent),
    plainRun(title),
    { text: " · ", style: colours.dim },
    standingRun(found, colours),
    { text: elapsed, style: colours.dim },
  ];
}

function standing(entry: TaskAwaitEntry): Standing {
  switch (entry.status) {
    case "running": {
      if (entry.holder === "person") return ["▸", "dim", "a person has the terminal"];
      const { waiting } = entry;
      if (waiting?.certain !== true) return ACTIVE_STANDINGS.running;
      const asks = waiting.prompt === undefined ? "" : `: ${waiting.prompt}`;
      return ["?", "warning", `\`${waiting.program}\` waits for input (${waiting.kind})${asks}`];
    }
    case "queued":
    case "awaiting_report":
      return ACTIVE_STANDINGS[entry.status];
    case "completed": {
      const { exitCode } = entry;
      if (exitCode !== undefined && exitCode !== 0) return ["✗", "error", `exit ${exitCode}`];
      return isStopped(entry) ? ["■", "warning", "stopped"] : ["✓", "success", "done"];
    }
    case "not_found":
      return ["⊘", "warning", "not found"];
    case "invalid_scope":
      return ["⊘", "warning", "of a workspace that is not below this one"];
    case "error":
      return ["✗", "error", entry.error];
  }
}

/** A command without an exit status, of which the note says that it was timed out or cancelled. */
function isStopped({ exitCode, note }: Extract<TaskAwaitEntry, { status: "completed" }>): boolean {
  return exitCode === undefined && /^\[Command (?:timed out|cancelled)/.test(note ?? "");
}

/** New output; of a task that has ended and has none, its report. */
function textOf(entry: TaskAwaitEntry): string {
  if (!("output" in entry) && entry.status !== "completed") return "";
  const { output } = entry;
  if (entry.status === "running" && entry.screen !== undefined) return entry.screen.text;
  if (output !== undefined && output !== "") return output;
  return entry.status === "completed" ? reportText(entry.reportMarkdown) : "";
}

function notesOf(entry: TaskAwaitEntry): string[] {
  if ("activeTaskIds" in entry) {
    const ids = entry.activeTaskIds ?? [];
    return ids.length === 0 ? [] : [`Active: ${ids.join(", ")}`];
  }
  return "note" in entry && entry.note !== undefined ? entry.note.split("\n").filter((note) => note !== "") : [];
}
