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

/** A result's text in its two halves. */
export interface ResultText {
  /** What the command wrote. */
  readonly output: string;
  /** The lines that the tool put after it. */
  readonly notices: readonly string[];
}

/** Takes the text of all parts together and splits it. */
export function splitResult(content: readonly TextContent[]): ResultText {
  const text = content.map((part) => part.text).join("\n");
  const at = text.lastIndexOf("\n\n");
  const last = text.slice(at + 2);
  const isTool = at !== -1 && (ALWAYS_THERE.test(last) || LAST_LINES.test(last));
  return isTool ? { output: text.slice(0, at), notices: last.split("\n") } : { output: text, notices: [] };
}
