/**
 * Cuts a shown output to a number of lines.
 *
 * The sink bounds a text in bytes while a command runs; a client that reads lines has a bound of its own, and this is
 * where it is kept, once the text is there. What is cut must be kept somewhere else before: see `run-sink.ts`.
 */
import type { OutputWindow } from "@pi-bash/contract";
import { type CommandResult, countLines } from "../command-result.ts";

/** Whether a text has more lines than the window shows. */
export function isOverLines(text: string, { maxLines }: OutputWindow): boolean {
  return maxLines !== undefined && countLines(text) > maxLines;
}

/**
 * The result with at most `maxLines` lines of output: its end, and before a marker its beginning where the window has
 * one. `annotationLines`: lines at the beginning that are not the command's and stay.
 */
export function withinLines(result: CommandResult, window: OutputWindow, annotationLines = 0): CommandResult {
  const { maxLines } = window;
  if (maxLines === undefined) return result;
  const all = linesOf(result.output);
  const annotation = all.slice(0, annotationLines);
  const lines = all.slice(annotationLines);
  if (lines.length <= maxLines) return result;
  const ends = endsOf(result, lines, window);
  const half = Math.floor(maxLines / 2);
  const head = ends.head.slice(0, Math.min(window.headLines ?? half, half));
  const room = maxLines - (head.length === 0 ? 0 : head.length + 1);
  const tail = ends.tail.slice(-room);
  const endLine = result.shownRange?.endLine ?? result.totalLines;
  const missing = endLine - tail.length - head.length;
  // The grammar of the sink's own marker, see docs/output.md.
  const marker = head.length === 0 ? [] : [`[… ${missing} lines elided …]`];
  const kept = [...head, ...tail];
  const newline = result.output.endsWith("\n") ? "\n" : "";
  return {
    ...result,
    output: `${[...annotation, ...head, ...marker, ...tail].join("\n")}${newline}`,
    truncated: true,
    truncatedBy: "lines",
    outputLines: kept.length,
    outputBytes: Buffer.byteLength(kept.join("\n")) + newline.length,
    shownRange: { startLine: endLine - tail.length + 1, endLine },
  };
}

/** The lines that can be shown of the beginning, and of the end. */
function endsOf(result: CommandResult, lines: string[], window: OutputWindow): { head: string[]; tail: string[] } {
  if (!result.truncated) return { head: linesWithin(lines, window.headBytes), tail: lines };
  const { shownRange } = result;
  const tailLines = shownRange === undefined ? lines.length : shownRange.endLine - shownRange.startLine + 1;
  // The sink has cut already: head, marker, tail.
  const headLines = Math.max(0, result.outputLines - tailLines);
  return { head: lines.slice(0, headLines), tail: headLines === 0 ? lines : lines.slice(headLines + 1) };
}

/** The first lines that take no more than so many bytes together. */
function linesWithin(lines: readonly string[], maxBytes: number): string[] {
  let bytes = 0;
  const over = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes;
  });
  return over === -1 ? [...lines] : lines.slice(0, over);
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
