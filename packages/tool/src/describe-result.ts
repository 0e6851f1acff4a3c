/**
 * Makes the answer of a call from what became of its command: the text for the model, the facts for programs.
 *
 * An exit, with any status, is a result. A timeout, a cancellation and a missing status are thrown with the output and
 * the same notices in the message, as the specification has it. The text always fits the inline budget, so that nothing
 * after this cuts off the status.
 */

import { type BashDetails, type BashToolResult, type InputWanted, outputText } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { CommandResult } from "@pi-bash/executor";
import { askedInputNotice, promptOf } from "./asked-input.ts";
import {
  type FolderNews,
  sessionNotices,
  survivorsNotice,
  truncationNotice,
  truncationOf,
  usageText,
  wallTimeNotice,
} from "./notices.ts";
import type { PreparedCall } from "./prepared-call.ts";
import { readOnlyNotice, readOnlyOutcome, withFirstOutput } from "./read-only/read-only-notice.ts";
import { sandboxNotice } from "./sandbox-notice.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";

/** Survivors reported as data; a command may leave thousands, each with a command line of up to 4 KiB. */
const MAX_SURVIVORS = 50;
/** Room for what is said after an answer that has no status. */
const EXTRA_BYTES = 128;

/** A command that was run, wherever it was. */
export interface FinishedRun {
  call: PreparedCall;
  result: CommandResult;
  /** `executor`: its text already says how it was stopped. */
  backend: "executor" | "pty" | "client-terminal";
  /** What a trailing `| head` or `| tail` has hidden. */
  keptNotice?: string | undefined;
  /** Where the session is now, where the call has moved it. */
  movedTo?: string | undefined;
  terminalId?: string | undefined;
  /** The client's terminal dropped the beginning. */
  isClientTruncated?: boolean;
}

/** The answer. Throws `ToolError`, or `ToolAbortError` where the caller's signal is aborted. */
export function describeResult(run: FinishedRun, signal: AbortSignal | undefined): BashToolResult {
  const { result } = run;
  const details = detailsOf(run);
  if (result.cancelled || result.timedOut) throw stoppedError(run, details, signal);
  if (result.exitCode === undefined) {
    throw new ToolError(`${answerText(run, [])}\n\nCommand failed: missing exit status`, {
      details,
      maxBytes: inlineBytes(run.call) + EXTRA_BYTES,
    });
  }
  const isFailure = result.exitCode !== 0;
  const text = answerText(run, exitLines(result));
  return {
    content: [{ type: "text", text }],
    details: isFailure ? { ...details, exitCode: result.exitCode } : details,
    ...(isFailure ? { isError: true } : {}),
  };
}

/** The text of a command that became a job: whatever its end, the same grammar. */
export function describeJob(run: FinishedRun): string {
  const { result } = run;
  const isStopped = result.cancelled || result.timedOut === true;
  return answerText(run, isStopped ? [] : exitLines(result));
}

/** `details` of a call before its command has ended. */
export function timeoutDetails({ timeout }: PreparedCall): BashDetails {
  return {
    timeoutSeconds: timeout.seconds,
    ...(timeout.requestedSeconds === undefined ? {} : { requestedTimeoutSeconds: timeout.requestedSeconds }),
  };
}

function detailsOf(run: FinishedRun): BashDetails {
  const { result, call, terminalId } = run;
  const truncation = truncationOf(result, call.settings);
  const { artifactError } = result;
  const readOnly = readOnlyOutcome(result, call.reading);
  const hasMeta = truncation !== undefined || artifactError !== undefined;
  return {
    ...timeoutDetails(call),
    ...(result.wallTimeMs === undefined ? {} : { wallTimeMs: result.wallTimeMs }),
    ...(terminalId === undefined ? {} : { terminalId }),
    ...sessionFacts(result),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(result.artifactId === undefined ? {} : { artifactId: result.artifactId }),
    ...(call.applied.length === 0 ? {} : { applied: call.applied }),
    ...(result.withheldNames === undefined ? {} : { withheldNames: result.withheldNames }),
    ...(result.masked === undefined ? {} : { masked: result.masked }),
    ...(hasMeta
      ? {
          meta: {
            ...(truncation === undefined ? {} : { truncation }),
            ...(artifactError === undefined ? {} : { artifactError }),
          },
        }
      : {}),
  };
}

/** What the command did to its session, and what the session was. */
function sessionFacts(result: CommandResult): BashDetails {
  const { signal, survivors, sessionReset, lostWithShell, workingDir, sandbox, limitsMet, place, lost } = result;
  const { inputWanted, usage } = result;
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(place === undefined ? {} : { place }),
    ...(lost === undefined ? {} : { lost }),
    ...(survivors === undefined ? {} : { survivors: survivors.slice(0, MAX_SURVIVORS) }),
    ...(sessionReset === undefined ? {} : { sessionReset }),
    ...(lostWithShell === undefined ? {} : { lostWithShell }),
    ...(workingDir === undefined ? {} : { workingDir }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(limitsMet === undefined ? {} : { limitsMet }),
    ...(inputWanted === undefined ? {} : { inputWanted: withPrompt(inputWanted, result.output) }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function withPrompt(wanted: InputWanted, output: string): InputWanted {
  const prompt = promptOf(output);
  return prompt === undefined ? wanted : { ...wanted, prompt };
}

function stoppedError(run: FinishedRun, facts: BashDetails, signal: AbortSignal | undefined): Error {
  const { result, call, backend } = run;
  const isAborted = signal?.aborted === true;
  const details: BashDetails = { ...facts, stopped: result.timedOut && !isAborted ? "deadline" : "cancelled" };
  const maxBytes = inlineBytes(call);
  const Failure = isAborted ? ToolAbortError : ToolError;
  // What is known of a lost end stands in the output.
  if (backend === "executor" || result.lost === true) return new Failure(answerText(run, []), { details, maxBytes });
  if (result.timedOut && !isAborted) {
    const { seconds } = call.timeout;
    const line = `Command timed out after ${seconds} second${seconds === 1 ? "" : "s"}`;
    return new ToolError(answerText(run, [line]), { details, maxBytes });
  }
  if (result.output === "") return new Failure("Command aborted", { details, maxBytes });
  return new Failure(answerText(run, ["[Command aborted]"]), { details, maxBytes });
}

function exitLines({ exitCode, signal }: CommandResult): string[] {
  if (exitCode === undefined || exitCode === 0) return [];
  const line = `Command exited with code ${exitCode}`;
  return signal === undefined ? [line] : [`Killed by ${signal}`, line];
}

/** Which limits ended processes of the command, or kept it from starting more. */
function limitNotices({ limitsMet = [] }: CommandResult): string[] {
  return limitsMet.map((limit) => (limit === "processes" ? "refused: processes limit" : `killed: ${limit} limit`));
}

/** Body, blank line, notices, and what stands last. */
function answerText(run: FinishedRun, last: readonly string[]): string {
  const { result, call } = run;
  const truncation = truncationOf(result, call.settings);
  const notices = [
    ...call.rewriteNotices,
    ...(run.keptNotice === undefined ? [] : [run.keptNotice]),
    ...(truncation === undefined ? [] : [truncationNotice(truncation, result.artifactError)]),
    ...(run.isClientTruncated ? ["(output truncated)"] : []),
    ...limitNotices(result),
    // With a terminal a person, or a client, had the chance to answer.
    ...(run.backend === "executor" ? askedInputNotice(result, call.command) : []),
    ...readOnlyNotice(result, call.command),
    ...sandboxNotice(result),
    ...survivorsNotice(result),
    ...sessionNotices(call.mayOverlap ? withoutCopy(result) : result, placeOf(run)),
    ...(result.wallTimeMs === undefined ? [] : [wallTimeNotice(result.wallTimeMs)]),
    ...(result.usage === undefined ? [] : [`Used: ${usageText(result.usage)}`]),
    ...(call.timeout.notice === undefined ? [] : [call.timeout.notice]),
    ...last,
  ];
  // Colours and carriage returns are gone already, but for a client's terminal, whose text is its own.
  const own = result.output === "" ? "(no output)" : outputText(result.output, true).replace(/\n+$/, "");
  const text = withFirstOutput(own, call.reading);
  // A client drops bytes of the beginning, so that what is left may begin anywhere in a line.
  const body = run.isClientTruncated && result.output !== "" ? `…${text}` : text;
  return fitInline(body, notices.join("\n"), inlineBytes(call));
}

/** Where a result is not worth a line, or what to say of where it is. */
function placeOf({ call, result, movedTo }: FinishedRun): FolderNews {
  const isFollowed = call.settings["bash.directoryPersists"] && !call.hasOwnFolder;
  if (movedTo !== undefined) return { kind: "moved", to: movedTo };
  return { kind: "left", from: isFollowed ? (result.workingDir ?? call.cwd) : call.cwd };
}

/** A command that only reads sets nothing, so that there is nothing to say about the copy it ran in. */
function withoutCopy({ isIsolated: _, ...result }: CommandResult): CommandResult {
  return result;
}

/** Most bytes of an answer. */
function inlineBytes({ settings }: PreparedCall): number {
  return settings["bash.outputMaxBytes"] + INLINE_SLACK_BYTES;
}

/** Both within the budget: the end of the notices first, then the end of the body. */
function fitInline(body: string, notices: string, maxBytes: number): string {
  const tail = tailBytes(notices, INLINE_SLACK_BYTES);
  const room = maxBytes - Buffer.byteLength(tail) - 2;
  return tail === "" ? tailBytes(body, room) : `${tailBytes(body, room)}\n\n${tail}`;
}
