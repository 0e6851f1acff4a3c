/**
 * The report of a command's task is Markdown for the model: a title, facts, the output between fences. A person sees the
 * facts in a line of ours, so only what is between the fences is shown.
 */
import { splitResult } from "../result-text.ts";

const TITLE = /^### Bash task: /;

/** Whether a report is that of a command, and not an agent's own words. */
export function isBashReport(report: string): boolean {
  return TITLE.test(report);
}

/** The output in a command's report; an agent's report as it is. */
export function reportText(report: string): string {
  if (!isBashReport(report)) return report;
  const start = /^`{3,}\n/m.exec(report);
  if (start === null) return report;
  const [fence] = start;
  const body = report.slice(start.index + fence.length);
  const end = body.lastIndexOf(`\n${fence.trimEnd()}`);
  const text = end === -1 ? body : body.slice(0, end);
  return text === "(no output)" ? "" : splitResult([{ type: "text", text }]).output;
}
