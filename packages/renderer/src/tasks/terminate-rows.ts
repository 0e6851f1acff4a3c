/**
 * What `task_terminate` answered: what is gone with each task, or why nothing is.
 */
import type { TaskTerminateEntry } from "@pi-bash/contract";
import { hiddenRows, previewRows, type RenderOptions, themeOf } from "../preview.ts";
import { plainRun, type StyledLine } from "../text/styled.ts";
import { type Row, signedAs, wrapLines } from "../text/wrap.ts";
import type { Colours, Role } from "../theme.ts";

/** The rows of an answer. */
export function terminateRows(entries: readonly TaskTerminateEntry[], options: RenderOptions): Row[] {
  const { colours } = themeOf(options);
  const shown = options.expanded ? entries : entries.slice(0, previewRows(options.rows));
  const lines = shown.flatMap((entry) => linesOf(entry, colours));
  const rows = signedAs("words", wrapLines(lines, options.width));
  return [...rows, ...hiddenRows(entries.length - shown.length, "task", options)];
}

/** `■ bash:bg_1 · ended, with bash:bg_2`, and a line for what is to know of it. */
function linesOf(entry: TaskTerminateEntry, colours: Colours): StyledLine[] {
  const [mark, role, words, note] = standing(entry);
  const head: StyledLine = [
    { text: `${mark} `, style: colours[role] },
    plainRun(entry.taskId, colours.accent),
    { text: " · ", style: colours.dim },
    plainRun(words, role === "success" ? colours.dim : colours[role]),
  ];
  return note === undefined ? [head] : [head, [plainRun(note, colours.warning)]];
}

type Standing = readonly [mark: string, role: Role, words: string, note: string | undefined];

function standing(entry: TaskTerminateEntry): Standing {
  switch (entry.status) {
    case "terminated": {
      const others = entry.terminatedTaskIds.filter((id) => id !== entry.taskId);
      const more = others.length === 0 ? "" : `, with ${others.join(", ")}`;
      return ["■", "success", `ended${more}`, entry.note];
    }
    case "not_found":
      return ["⊘", "warning", "not found", activeNote(entry.activeTaskIds)];
    case "invalid_scope":
      return ["⊘", "warning", "of a workspace that is not below this one", activeNote(entry.activeTaskIds)];
    case "error":
      return ["✗", "error", entry.error, undefined];
  }
}

function activeNote(ids: readonly string[] | undefined): string | undefined {
  return ids === undefined || ids.length === 0 ? undefined : `Active: ${ids.join(", ")}`;
}
