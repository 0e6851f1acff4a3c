/**
 * What `task` answered: an agent's report, a command's output, or a task that goes on.
 */
import type { TaskResult, TextContent } from "@pi-bash/contract";
import { outputRows, type RenderOptions, themeOf } from "../preview.ts";
import { splitResult } from "../result-text.ts";
import { plainRun, type StyledLine, styledLines } from "../text/styled.ts";
import { type Row, wrapLines } from "../text/wrap.ts";
import { isBashReport } from "./report-text.ts";

/** The rows of an answer. `content` is the text for the model: of a command that has ended, its output and notices. */
export function startRows(task: TaskResult, content: readonly TextContent[], options: RenderOptions): Row[] {
  const { colours } = themeOf(options);
  const { output, notes, facts } = partsOf(task, content);
  const lines = styledLines(output, themeOf(options).hasColour);
  const label: StyledLine[] =
    lines.length === 0
      ? []
      : [[{ text: task.status === "completed" ? "Output" : "Output so far", style: colours.label }]];
  const below: StyledLine[] = [
    ...notes.filter((note) => note !== "").map((note) => [plainRun(note, colours.dim)]),
    ...(facts.length === 0 ? [] : [[plainRun(`[${facts.join(" | ")}]`, colours.dim)]]),
  ];
  return [...wrapLines(label, options.width), ...outputRows(lines, options), ...wrapLines(below, options.width)];
}

interface Parts {
  readonly output: string;
  readonly notes: readonly string[];
  readonly facts: readonly string[];
}

function partsOf(task: TaskResult, content: readonly TextContent[]): Parts {
  const notes = task.note?.split("\n") ?? [];
  switch (task.status) {
    case "queued":
      return { output: "", notes, facts: [`Queued: ${task.taskId}`] };
    case "running":
      return { output: task.output ?? "", notes, facts: [`Backgrounded: ${task.taskId}`] };
    case "completed": {
      const exit = task.exitCode === undefined || task.exitCode === 0 ? [] : [`Exit: ${task.exitCode}`];
      if (!isBashReport(task.reportMarkdown)) return { output: task.reportMarkdown, notes, facts: exit };
      const { output, notices } = splitResult(content);
      // The footer has the exit status.
      const others = notices.filter((notice) => !notice.startsWith("Command exited with code "));
      return { output, notes: [...notes, ...others], facts: exit };
    }
  }
}
