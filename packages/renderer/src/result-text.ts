/**
 * Takes a result's text apart: the command's output, and the lines that the tool put after it for the model.
 *
 * A person gets those facts from `details`, once, in the footer; shown with the output they would stand there twice. The
 * tool ends its text with a blank line and its notices, among which the wall time always stands.
 */
import type { TextContent } from "@pi-bash/contract";

/** Lines that only the tool's last paragraph has. */
const ALWAYS_THERE = /^Wall time: \d+\.\d\d seconds$/m;

/** Of an answer without wall time: one that never ran, or that was ended before. */
const LAST_LINES =
  /^(?:Command (?:exited with code \d+|timed out after \d+ seconds|failed: missing exit status)|\[Command aborted\])$/;

/** The text of all parts, and of it what the command wrote. */
export function outputOf(content: readonly TextContent[]): string {
  const text = content.map((part) => part.text).join("\n");
  const at = text.lastIndexOf("\n\n");
  if (at === -1) return text;
  const last = text.slice(at + 2);
  return ALWAYS_THERE.test(last) || LAST_LINES.test(last) ? text.slice(0, at) : text;
}
