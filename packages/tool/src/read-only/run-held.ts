/**
 * Runs a call once, and once more where it was held and that was not the last word.
 *
 * Two things end a confined run without its answer. It cannot be confined after all: nothing ran, and the call is judged
 * again, now without the kernel. Or it was refused something and `readOnly.onRefusal` is `ask`: it has changed nothing, so
 * that it may run again from the beginning, once, if the host's approval says so. Nothing runs again without an approval.
 */
import type { ReadOnlyEnforced } from "@pi-bash/contract";
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { CommandResult } from "@pi-bash/executor";
import type { FinishedRun } from "../describe-result.ts";
import type { CallPermit, PreparedCall } from "../prepared-call.ts";
import { ToolError } from "../tool-error.ts";
import { approvedLine, refusedWords } from "./read-only-notice.ts";

/** Output of the first run that is kept in the result, in bytes. */
const FIRST_OUTPUT_BYTES = 4 * 1024;

/** How a call ended, or that it goes on. */
type End = { readonly kind: "ended"; readonly run: FinishedRun } | { readonly kind: "backgrounded" };

/** Runs the call by `once`, which is given the call as it is to run. */
export async function runHeld<Ended extends End>(
  call: PreparedCall,
  once: (call: PreparedCall) => Promise<Ended>,
): Promise<Ended> {
  if (call.reading?.kind !== "confined") return once(call);
  const end = await once(call).catch(async (error: unknown) => {
    if (!cannotConfine(error)) throw error;
    return once({ ...call, ...(await call.judge({})) });
  });
  if (end.kind !== "ended") return end;
  const { run } = end;
  const { readOnly } = run.result;
  const isRefused = readOnly?.enforced === true && readOnly.refusals.length > 0 && !run.result.cancelled;
  if (!isRefused || call.settings["readOnly.onRefusal"] !== "ask") return end;
  const permit = await askToWrite(call, readOnly.refusals);
  if (permit === "not-asked") return end;
  if (permit === "denied") {
    return { ...end, run: { ...run, result: { ...run.result, readOnly: { ...readOnly, answer: "denied" } } } };
  }
  call.rewriteNotices.push(approvedLine(readOnly));
  const second = await once({ ...call, ...permit, reading: { kind: "approved", first: firstOf(run, readOnly) } });
  return second.kind === "ended" ? { ...second, run: withSurvivors(second.run, run.result.survivors ?? []) } : second;
}

/** With what the first run left in the background and lives on: it is as much the call's as what the second one left. */
function withSurvivors(run: FinishedRun, first: NonNullable<CommandResult["survivors"]>): FinishedRun {
  const left = first.filter(({ pid }) => isAlive(pid));
  if (left.length === 0) return run;
  return { ...run, result: { ...run.result, survivors: [...left, ...(run.result.survivors ?? [])] } };
}

/** False where there is no such process any more. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Asks whether a call may run where it can write. `not-asked`: there is no one to ask. */
async function askToWrite(
  call: PreparedCall,
  refusals: ReadOnlyEnforced["refusals"],
): Promise<CallPermit | "denied" | "not-asked"> {
  // What a program prints is its own: one may name what it was never refused.
  const message = `it ran read-only, and by what it printed it was refused: ${refusedWords(refusals)}`;
  const doubt = { code: "refused-read-only", severity: "write", message, span: { start: 0, end: 0 } } as const;
  try {
    const permit = await call.judge({ unconfined: true, doubts: [doubt] });
    // A policy of the host's own may keep to reading, whatever it was asked.
    return permit.reading?.kind === "confined" ? "not-asked" : permit;
  } catch (error) {
    const refusal = error instanceof ToolError ? error.details?.refusal : undefined;
    if (refusal === undefined) throw error;
    return refusal.by === "approval" ? "denied" : "not-asked";
  }
}

/** What is kept of the first run. */
function firstOf({ result: { exitCode, output } }: FinishedRun, readOnly: ReadOnlyEnforced): ReadOnlyEnforced {
  const status = exitCode === undefined ? {} : { exitCode };
  return { ...readOnly, answer: "approved", firstRun: { ...status, output: tailBytes(output, FIRST_OUTPUT_BYTES) } };
}

/** Whether a command did not run because it cannot run read-only. The tool's own error has the core's as its cause. */
function cannotConfine(error: unknown): boolean {
  const cause = error instanceof ToolError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "PI_READ_ONLY_UNAVAILABLE";
}
