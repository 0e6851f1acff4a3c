/**
 * The end of a run, checked.
 *
 * Most ends have the same few members. Those are checked here by hand, as strictly as the schema does and in a tenth of its
 * time, which a round trip would show; whatever has anything else, or anything wrong, is the schema's. A test holds that both
 * say the same.
 */
import type { RunOutcome } from "@pi-bash/natives/internal";
import { type Frame, objectOf } from "./frames.ts";
import { checked, EndOfRun, type Failure } from "./messages.ts";

/** How a run ended, as far as the place says. */
export type RunEnd = (
  | { readonly ok: RunOutcome }
  /** Why it did not run. */
  | { readonly error: Failure }
) & {
  /** Bytes of text that were not sent, because the run was being ended and nothing could wait. */
  readonly leftOutBytes?: number;
  /** The reason, as `Bye` has it, for which the place itself ended it. */
  readonly endedBy?: string;
};

/** What an `End` frame says. Throws `FrameError` that names what is wrong and nothing of the value. */
export function runEndOf(frame: Frame): RunEnd {
  const value = objectOf(frame);
  const outcome = plainEnd(value);
  // JSON has no `undefined`, so that no member is there without a value.
  return outcome === undefined ? (checked(EndOfRun, "End", value) as RunEnd) : { ok: outcome };
}

/**
 * The outcome of an end that has nothing but a plain one; undefined where the schema has to look at it.
 *
 * Only members of the schema are taken over.
 */
export function plainEnd(end: Readonly<Record<string, unknown>>): RunOutcome | undefined {
  const { ok } = end;
  for (const name in end) if (name !== "ok") return undefined;
  if (!isRecord(ok)) return undefined;
  const { exitCode, cancelled, timedOut, workingDir, sessionReset, survivors, wallTimeMs, output } = ok;
  for (const name in ok) if (!PLAIN_MEMBERS.has(name)) return undefined;
  const isPlain =
    isCount(exitCode) &&
    exitCode <= 255 &&
    typeof cancelled === "boolean" &&
    typeof timedOut === "boolean" &&
    isAbsolute(workingDir) &&
    typeof sessionReset === "boolean" &&
    Array.isArray(survivors) &&
    survivors.length === 0 &&
    isAmount(wallTimeMs);
  if (!isPlain) return undefined;
  const outcome = { exitCode, cancelled, timedOut, workingDir, sessionReset, survivors: [], wallTimeMs };
  if (output === undefined) return outcome;
  const summary = plainSummary(output);
  return summary === undefined ? undefined : { ...outcome, output: summary };
}

const PLAIN_MEMBERS: ReadonlySet<string> = new Set([
  "exitCode",
  "cancelled",
  "timedOut",
  "workingDir",
  "sessionReset",
  "survivors",
  "wallTimeMs",
  "output",
]);

const PLAIN_SUMMARY: ReadonlySet<string> = new Set([
  "text",
  "truncated",
  "totalBytes",
  "totalLines",
  "outputBytes",
  "outputLines",
  "spilled",
  "startLine",
  "endLine",
  "lateOutputBytes",
]);

function plainSummary(output: unknown): RunOutcome["output"] {
  if (!isRecord(output)) return undefined;
  for (const name in output) if (!PLAIN_SUMMARY.has(name)) return undefined;
  const { text, truncated, totalBytes, totalLines, outputBytes, outputLines, spilled } = output;
  const { startLine, endLine, lateOutputBytes } = output;
  const isPlain =
    typeof text === "string" &&
    typeof truncated === "boolean" &&
    typeof spilled === "boolean" &&
    isCount(totalBytes) &&
    isCount(totalLines) &&
    isCount(outputBytes) &&
    isCount(outputLines) &&
    isCount(startLine) &&
    isCount(endLine) &&
    isCount(lateOutputBytes);
  if (!isPlain) return undefined;
  const lines = { totalLines, outputLines, startLine, endLine };
  return { text, truncated, spilled, totalBytes, outputBytes, lateOutputBytes, ...lines };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isAbsolute(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/") && !value.includes("\0");
}
