/**
 * What one command gives back: the contract's `BashResult`, made from what the core reports.
 *
 * Every way a run can end is a result here. A timeout is also `cancelled`, as the specification has it, and its text
 * begins with a line that says so; counts are the command's own and do not include such lines.
 */
import { type BashResult, DEFAULT_TIMEOUT_SECONDS, type InputWanted } from "@pi-bash/contract";
import { displayLine } from "@pi-bash/contract/internal";
import type { RunOutput, RunResult } from "./natives-port.ts";
import { enforcedOutcome } from "./read-only/read-only-result.ts";
import { outcomeOf } from "./refusals.ts";

/** Timeout of a command that names none, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = DEFAULT_TIMEOUT_SECONDS * 1_000;

/** Something a reader should know once, beside the output. */
export interface ExecutorNotice {
  kind: "snapshot" | "withheld" | "isolated" | "minimizer" | "secrets" | "place";
  text: string;
}

/** A `BashResult` with what the executor adds. */
export interface CommandResult extends BashResult {
  /** Bytes that background children wrote after the command ended; they are appended to the artifact. */
  lateOutputBytes?: number;
  /** The command ran in a copy: what it changed in the shell's state is gone. */
  isIsolated?: boolean;
  /** The minimizer's filter, where `output` is its text; sizes in bytes. */
  minimized?: { filter: string; inputBytes: number; outputBytes: number };
  /** Artifact with the record of its terminal, in the form asciicast v2. */
  recordId?: string;
  /** Why that record is not whole. */
  recordError?: string;
  /** Reported once a session, in the order they arose. */
  notices?: ExecutorNotice[];
}

/** Lines that stand before the output of a run that did not end by itself. */
export const ANNOTATIONS = {
  cancelled: "[Command cancelled]",
  timedOut: (timeoutMs: number): string => `[Command timed out after ${inSeconds(timeoutMs)}]`,
  unanswered: ({ program, pid }: InputWanted, wallTimeMs: number): string =>
    `[Ended after ${(wallTimeMs / 1_000).toFixed(1)} s: \`${displayLine(program)}\` (pid ${pid}) waits for a person's input and this call has no terminal, so it has no one to answer.]`,
  unresponsiveTimeout: (timeoutMs: number): string =>
    `[Command timed out after ${inSeconds(timeoutMs)}; the shell backend did not respond, so any output below may be incomplete]`,
  unresponsiveCancel: "[Command cancelled; the shell backend did not respond, so any output below may be incomplete]",
} as const;

/** The result of a call that was cancelled before its command was started. */
export function neverStarted(): CommandResult {
  return { ...EMPTY, output: ANNOTATIONS.cancelled, cancelled: true };
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

/** The result of a run that the core reported. Field by field: spreads for each cost as much as a tenth of a builtin. */
export function settledResult(run: RunResult, timeoutMs: number): CommandResult {
  const { output } = run;
  const isStopped = run.cancelled || run.timedOut;
  const result: Writable<CommandResult> = output === undefined ? { ...EMPTY } : countsOf(output);
  result.output = annotated(annotationOf(run, timeoutMs), output?.text ?? "");
  result.cancelled = isStopped;
  result.wallTimeMs = Math.round(run.wallTimeMs);
  addEnd(result, run, isStopped);
  if (run.timedOut) result.timedOut = true;
  if (run.workingDir !== undefined) result.workingDir = run.workingDir;
  if (run.sessionReset) result.sessionReset = true;
  if (run.lostWithShell !== undefined) result.lostWithShell = [...run.lostWithShell];
  addSurroundings(result, run);
  if (output?.masked !== undefined) result.masked = { count: output.masked.count, names: [...output.masked.names] };
  if (output !== undefined && output.lateOutputBytes !== 0) result.lateOutputBytes = output.lateOutputBytes;
  return result;
}

/** What was around it: what is left of it, and what it was kept in. */
function addSurroundings(result: Writable<CommandResult>, run: RunResult): void {
  if (run.survivors.length > 0) result.survivors = [...run.survivors];
  if (run.sandbox !== undefined) result.sandbox = outcomeOf(run.sandbox);
  if (run.readOnly !== undefined) result.readOnly = enforcedOutcome(run.readOnly);
  if (run.limitsMet !== undefined) result.limitsMet = [...run.limitsMet];
  if (run.placeNotice !== undefined) result.notices = [{ kind: "place", text: run.placeNotice }];
}

function addEnd(result: Writable<CommandResult>, run: RunResult, isStopped: boolean): void {
  const { exitCode, signal, inputWanted } = run;
  if (!isStopped && exitCode !== undefined) result.exitCode = exitCode;
  if (!isStopped && signal !== undefined) result.signal = signal;
  if (inputWanted !== undefined) result.inputWanted = { ...inputWanted };
  if (run.usage !== undefined) result.usage = { ...run.usage };
}

/** What was last seen of a run that does not settle. */
export interface LastSeen {
  tail: string;
  bytes: number;
  lines: number;
}

/** The result of a run that did not settle in time: its session is lost, its text is what was last seen. */
export function unresponsiveResult(
  reason: "deadline" | "cancelled",
  seen: LastSeen,
  run: { timeoutMs: number; wallTimeMs: number },
): CommandResult {
  const isTimeout = reason === "deadline";
  const note = isTimeout ? ANNOTATIONS.unresponsiveTimeout(run.timeoutMs) : ANNOTATIONS.unresponsiveCancel;
  const outputBytes = Buffer.byteLength(seen.tail);
  const outputLines = countLines(seen.tail);
  return {
    output: annotated(note, seen.tail),
    cancelled: true,
    ...(isTimeout ? { timedOut: true } : {}),
    truncated: seen.bytes > outputBytes,
    totalBytes: seen.bytes,
    totalLines: seen.lines,
    outputBytes,
    outputLines,
    sessionReset: true,
    wallTimeMs: Math.round(run.wallTimeMs),
  };
}

/** The result of a run on a place whose end is not known; `text` says why. Its session is lost. */
export function lostResult(text: string, seen: LastSeen, wallTimeMs: number): CommandResult {
  const outputBytes = Buffer.byteLength(seen.tail);
  return {
    output: annotated(`[${text}]`, seen.tail),
    cancelled: true,
    lost: true,
    truncated: seen.bytes > outputBytes,
    totalBytes: seen.bytes,
    totalLines: seen.lines,
    outputBytes,
    outputLines: countLines(seen.tail),
    sessionReset: true,
    wallTimeMs: Math.round(wallTimeMs),
  };
}

const EMPTY = {
  output: "",
  cancelled: false,
  truncated: false,
  totalLines: 0,
  totalBytes: 0,
  outputLines: 0,
  outputBytes: 0,
} as const;

function countsOf(output: RunOutput): CommandResult {
  const { truncated, totalLines, totalBytes, outputLines, outputBytes } = output;
  const { startLine, endLine } = output.shownRange;
  const shownRange = { startLine, endLine };
  return { output: "", cancelled: false, truncated, totalLines, totalBytes, outputLines, outputBytes, shownRange };
}

function annotationOf(result: RunResult, timeoutMs: number): string | undefined {
  if (result.endedByPlace !== undefined) return `[${result.endedByPlace}]`;
  if (result.timedOut) return ANNOTATIONS.timedOut(timeoutMs);
  if (result.inputWanted?.ended === true) return ANNOTATIONS.unanswered(result.inputWanted, result.wallTimeMs);
  return result.cancelled ? ANNOTATIONS.cancelled : undefined;
}

function annotated(annotation: string | undefined, text: string): string {
  if (annotation === undefined) return text;
  return text === "" ? annotation : `${annotation}\n${text}`;
}

/** Lines of a text; a last line without a newline counts. */
export function countLines(text: string): number {
  if (text === "") return 0;
  const newlines = text.split("\n").length - 1;
  return text.endsWith("\n") ? newlines : newlines + 1;
}

/** Seconds without needless digits: `300 seconds`, `1.5 seconds`, `1 second`. */
function inSeconds(milliseconds: number): string {
  const seconds = Number((milliseconds / 1_000).toFixed(3));
  return `${seconds} second${seconds === 1 ? "" : "s"}`;
}
