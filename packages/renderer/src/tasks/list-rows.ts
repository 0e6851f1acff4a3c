/**
 * What `task_list` answered: one row a task, those of the agents below further in; whole scripts when expanded.
 */
import type { TaskListEntry, TextContent } from "@pi-bash/contract";
import { durationText } from "../footer.ts";
import { continuedLines, type InnerOptions } from "../layout.ts";
import { hiddenRows, noteRows, previewRows, themeOf } from "../preview.ts";
import { ACTIVE_STANDINGS, type Standing, standingRun } from "../standing.ts";
import { highlight } from "../syntax.ts";
import { plainRun, type StyledLine } from "../text/styled.ts";
import { cutLine, type Row, signedAs, wrapLines } from "../text/wrap.ts";
import type { Colours } from "../theme.ts";

/** Deepest step to the right, so that a name stays on the screen. */
const MAX_STEPS = 8;

/** The rows of an answer; `content` where there is no task. */
export function listRows(
  entries: readonly TaskListEntry[],
  content: readonly TextContent[],
  options: InnerOptions,
): Row[] {
  if (entries.length === 0) return noteRows(content.map((part) => part.text).join(" "), options);
  const { colours } = themeOf(options);
  if (options.expanded) {
    return entries.flatMap((entry) => {
      const [head = [], ...rest] = linesOf(entry, colours);
      return signedAs("words", wrapLines([head, ...continuedLines(rest, options)], options.width));
    });
  }
  const shown = entries.slice(0, previewRows(options.rows));
  const rows = shown.map((entry) => cutLine(linesOf(entry, colours)[0] ?? [], options.width));
  return [...signedAs("words", rows), ...hiddenRows(entries.length - shown.length, "task", options)];
}

/** `▸ bash:bg_1 dev server · running · 2m 05s $ npm run dev`, and the other lines of the script. */
function linesOf(entry: TaskListEntry, colours: Colours): StyledLine[] {
  const found = standing(entry);
  const [mark, role] = found;
  const name = entry.display_name ?? entry.title ?? entry.agentType ?? "";
  const elapsed = entry.uptime_ms === undefined ? "" : ` · ${durationText(entry.uptime_ms)}`;
  const head: StyledLine = [
    { text: "  ".repeat(Math.min(MAX_STEPS, entry.depth - 1)), style: "" },
    { text: `${mark} `, style: colours[role] },
    plainRun(entry.taskId, colours.accent),
    plainRun(name === "" ? "" : ` ${name}`),
    { text: " · ", style: colours.dim },
    standingRun(found, colours),
    { text: elapsed, style: colours.dim },
  ];
  if (entry.script === undefined) return [head];
  const [first = [], ...rest] = highlight(entry.script, colours);
  return [[...head, { text: " $ ", style: colours.prompt }, ...first], ...rest];
}

function standing({ status, exitCode }: TaskListEntry): Standing {
  if (status !== "reported") return ACTIVE_STANDINGS[status];
  return exitCode === undefined || exitCode === 0 ? ["✓", "success", "ended"] : ["✗", "error", `exit ${exitCode}`];
}
