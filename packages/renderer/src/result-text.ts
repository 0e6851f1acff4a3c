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

/** The line that stands before the output of a command that did not end by itself. */
const FIRST_LINE = /^\[(?:Command (?:timed out after|cancelled)|Ended after)[^\n]*\](?:\n|$)/;
/** What such a line says beside that. */
const UNANSWERED = /; (the shell backend did not respond[^\]\n]*)\]/;
const WAITED = /^\[Ended after [^\n]*?: (`[^\n]*)\]/;

/** A result's text in its parts. */
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

/** The output of a command that was stopped, and what a reader must know of its end beside what the status says. */
export function splitStopped(output: string): { output: string; news: readonly string[] } {
  const [line] = FIRST_LINE.exec(output) ?? [];
  if (line === undefined) return { output: output === "Command aborted" ? "" : output, news: [] };
  const words = (UNANSWERED.exec(line) ?? WAITED.exec(line))?.[1];
  const news = words === undefined ? [] : [`${words[0]?.toUpperCase()}${words.slice(1).replace(" below", "")}`];
  return { output: output.slice(line.length), news };
}

/** The output so far of a call that went on as a job, without what the tool says of that to the model. */
export function splitStarted(text: string, jobId: string): string {
  const at = `\n${text}`.lastIndexOf(`\nBackground job ${jobId} started: `);
  return at === -1 ? text : text.slice(0, at).replace(/\n+$/, "");
}

/** Why a command was not run: without what its own row says. */
export function refusalText(text: string): string {
  return text.replace(/^Blocked: /, "").replace(/\n\nOriginal command: [^\n]*$/, "");
}
