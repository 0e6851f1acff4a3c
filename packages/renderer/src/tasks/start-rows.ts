/**
 * What `task` answered: an agent's report, a command's output, or a task that goes on.
 */
import type { TaskResult, TextContent } from "@pi-bash/contract";
import { statusRows } from "../layout.ts";
import { noteRows, outputRows, type RenderOptions, themeOf } from "../preview.ts";
import { splitResult } from "../result-text.ts";
import { plainRun, type StyledLine, styledLines } from "../text/styled.ts";
import type { Row } from "../text/wrap.ts";
import { isBashReport } from "./report-text.ts";

/** The rows of an answer. `content` is the text for the model: of a command that has ended, its output and notices. */
export function startRows(task: TaskResult, content: readonly TextContent[], options: RenderOptions): Row[] {
  const { colours } = themeOf(options);
  const { output, notes, facts } = partsOf(task, content);
  const lines = styledLines(output, themeOf(options).hasColour);
  // What is said of one that has ended is how it failed.
  const status: StyledLine = [
    plainRun(facts.join(" · "), task.status === "completed" ? colours.error : colours.accent),
  ];
  return [
    ...outputRows(lines, options),
    ...notes.filter((note) => note !== "").flatMap((note) => noteRows(note, options)),
    ...(facts.length === 0 ? [] : statusRows([status], options)),
  ];
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
      return { output: "", notes, facts: [`queued as ${task.taskId}`] };
    case "running":
      return { output: task.output ?? "", notes, facts: [`goes on as ${task.taskId}`] };
    case "completed": {
      const exit = task.exitCode === undefined || task.exitCode === 0 ? [] : [`exit ${task.exitCode}`];
      if (!isBashReport(task.reportMarkdown)) return { output: task.reportMarkdown, notes, facts: exit };
      const { output, notices } = splitResult(content);
      // The status has the exit code.
      const others = notices.filter((notice) => !notice.startsWith("Command exited with code "));
      return { output, notes: [...notes, ...others], facts: exit };
    }
  }
}
