/**
 * The lines about a command that ran read-only: what it was refused, why it ran so, and what the next step is.
 *
 * Nothing is said of a command that was not refused anything, nor where nothing could confine it: `details.readOnly` has
 * both. What was refused is said as probable: it comes from what the command printed.
 */
import { analyzeCommand } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { outputText, type ReadOnlyEnforced, type ReadOnlyOutcome } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import { refusalWords } from "../sandbox-notice.ts";
import type { CallReading } from "./call-reading.ts";

const WHY = "This ran read-only, because it was allowed without asking as a command that only reads";
const NEXT = "If it has to write, call again with `unconfined: true`: approval is asked for first.";
const DENIED = "It was not approved to run where it can write.";

/** Programs whose status 1 is an answer: no match, a difference, false. */
const ANSWERS =
  /^(?:grep|egrep|fgrep|zgrep|rg|ag|ack|ack-grep|diff|cmp|test|\[|\[\[|expr|false|which|type|command|pgrep|look|fd|fdfind)$/;

/** Status of a pipeline, with `pipefail`, of which a reader ended first: SIGPIPE is 13 on each system, and refuses nothing. */
const BROKEN_PIPE = 128 + 13;

/** Last words of a command that failed for a reason of its own. */
const EXPLAINED =
  /no such file or directory|command not found|is a directory|not a (?:directory|git repository)|syntax error|(?:invalid|unrecognized|unknown) option/i;

/** The lines; none for most. `command`: what ran. */
export function readOnlyNotice(
  { readOnly, exitCode, output }: Pick<CommandResult, "readOnly" | "exitCode" | "output">,
  command: string,
): string[] {
  if (readOnly?.enforced !== true) return [];
  return [...refusalLine(readOnly, { exitCode, output, command }), ...(readOnly.stateDropped ? [STATE_DROPPED] : [])];
}

const STATE_DROPPED =
  "What the command set in its shell (variables, functions, options) is gone, because it ran read-only.";

/** The line about a run that was approved after a read-only one. */
export function approvedLine({ refusals }: ReadOnlyEnforced): string {
  return `It ran read-only first and was refused: ${refusedWords(refusals)}. It was approved, and ran again where it can write.`;
}

/** What stands before the output of such a run: what the first one printed. */
export function withFirstOutput(text: string, reading: CallReading | undefined): string {
  const firstRun = reading?.kind === "approved" ? reading.first.firstRun : undefined;
  if (firstRun === undefined || firstRun.output === "") return text;
  const first = outputText(firstRun.output, true).replace(/\n+$/, "");
  return `[Read-only run]\n${first}\n[Approved run]\n${text}`;
}

/** The same facts for programs. */
export function readOnlyOutcome(
  { readOnly }: Pick<CommandResult, "readOnly">,
  reading: CallReading | undefined,
): ReadOnlyOutcome | undefined {
  switch (reading?.kind) {
    case "approved":
      return reading.first;
    case "unheld":
      return { enforced: false, reason: reading.reason };
    default:
      return readOnly;
  }
}

function refusalLine(
  { refusals, answer }: ReadOnlyEnforced,
  { exitCode, output, command }: { exitCode: number | undefined; output: string; command: string },
): string[] {
  const next = answer === "denied" ? DENIED : NEXT;
  if (refusals.length > 0) {
    return [`${WHY}. Probably refused: ${refusedWords(refusals)}. ${next}`];
  }
  if (exitCode === undefined || exitCode === 0 || exitCode === BROKEN_PIPE) return [];
  if (exitCode === 1 && answersByStatus(command)) return [];
  if (EXPLAINED.test(output.trimEnd().split("\n").at(-1) ?? "")) return [];
  return [`${WHY}; something may have been refused. ${next}`];
}

/** What was refused, in words. */
export function refusedWords(refusals: ReadOnlyEnforced["refusals"]): string {
  return refusalWords(refusals, WORDS);
}

/** What read-only runs refuse is wider than what sandboxes do. */
const WORDS = { "read-only-path": "writing", "protected-path": "writing" } as const;

/** Whether status 1 of a line is what its last program has to say. */
function answersByStatus(command: string): boolean {
  const { effective } = analyzeCommand(command);
  const last = effective.at(-1)?.argv ?? [];
  const name = programName(firstValue(last));
  return name === "git" ? last.some(({ value }) => /^(?:grep|diff|config)$/.test(value ?? "")) : ANSWERS.test(name);
}
