/**
 * The line under a result: time, bound, exit, artifact, job; and the warnings that a reader must not miss.
 */

import { artifactUrl, type BashDetails, displayLine, type MaskedSecrets, type Truncation } from "@pi-bash/contract";
import { headUnits } from "@pi-bash/contract/text";
import type { CallState } from "./call-state.ts";
import { plainRun, type Run, type StyledLine } from "./text/styled.ts";
import type { Colours } from "./theme.ts";

/** Survivors that are named one by one. */
const MAX_NAMED = 3;
/** Longest command line of a survivor, in UTF-16 units. */
const MAX_COMMAND_UNITS = 60;

/** `1.23s`, `2m 05s` */
export function durationText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(2)}s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`;
}

/** `[Wall: 1.23s | Timeout: 300s | Exit: 2]`; nothing where there is nothing to say. */
export function footerLine(details: BashDetails | undefined, state: CallState, colours: Colours): StyledLine[] {
  if (details === undefined) return [];
  const { async: job, wallTimeMs, exitCode, signal } = details;
  const isOver = state !== "pending" && state !== "running" && state !== "partial";
  const artifactId = details.artifactId ?? details.meta?.truncation?.artifactId;
  const parts = [
    placePart(details),
    job === undefined ? undefined : `${state === "backgrounded" ? "Backgrounded" : "Job"}: ${job.jobId}`,
    wallTimeMs === undefined ? undefined : `Wall: ${durationText(wallTimeMs)}`,
    timeoutPart(details),
    artifactId === undefined ? undefined : `Artifact: ${artifactId}`,
    details.terminalId === undefined ? undefined : `Terminal: ${details.terminalId}`,
    readOnlyPart(details),
    signal === undefined ? undefined : `Signal: ${signal}`,
    isOver && exitCode !== undefined && exitCode !== 0 ? `Exit: ${exitCode}` : undefined,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return [];
  return [[plainRun(`[${parts.join(" | ")}]`, colours.dim)]];
}

/** `On ssh:build7`, where that is not this machine. */
function placePart({ place, lost }: BashDetails): string | undefined {
  if (place === undefined) return undefined;
  const shown = headUnits(displayLine(place), MAX_COMMAND_UNITS);
  return lost === true ? `On ${shown}: connection lost` : `On ${shown}`;
}

function timeoutPart({ timeoutSeconds, requestedTimeoutSeconds }: BashDetails): string | undefined {
  if (timeoutSeconds === undefined) return undefined;
  const requested = requestedTimeoutSeconds === undefined ? "" : ` (requested ${requestedTimeoutSeconds}s clamped)`;
  return `Timeout: ${timeoutSeconds}s${requested}`;
}

/** `Read-only`, where the kernel held the command, with how often it refused something. */
function readOnlyPart({ readOnly }: BashDetails): string | undefined {
  if (readOnly?.enforced !== true) return undefined;
  if (readOnly.answer === "approved") return "Read-only first, then approved";
  const { length } = readOnly.refusals;
  return length === 0 ? "Read-only" : `Read-only: ${length} refused`;
}

/** Each fact once: what is not shown, what still runs, what was lost. */
export function warningLines(details: BashDetails | undefined, colours: Colours): StyledLine[] {
  if (details === undefined) return [];
  const lines: Run[][] = [];
  const warn = (text: string) => lines.push([plainRun(text, colours.warning)]);
  if (details.meta?.truncation !== undefined) warn(truncationText(details.meta.truncation, details.meta.artifactError));
  else if (details.meta?.artifactError !== undefined) warn(`Output is not kept: ${details.meta.artifactError}`);
  const survivors = details.survivors ?? [];
  if (survivors.length > 0) {
    const named = survivors
      .slice(0, MAX_NAMED)
      .map(({ pid, command }) => `${pid} ${headUnits(displayLine(command), MAX_COMMAND_UNITS)}`);
    const more = survivors.length > MAX_NAMED ? ` and ${survivors.length - MAX_NAMED} more` : "";
    warn(`Still running: ${named.join(", ")}${more}`);
  }
  if (details.masked !== undefined) warn(maskedText(details.masked));
  if (details.sessionReset) warn("The shell was replaced; what was set in it may be gone");
  else if (details.lostWithShell?.length)
    warn(`The shell was replaced, without its ${details.lostWithShell.join(" and ")}`);
  for (const change of details.applied ?? []) lines.push([plainRun(change, colours.dim)]);
  return lines;
}

function maskedText({ count, names }: MaskedSecrets): string {
  const named = names.slice(0, MAX_NAMED).map((name) => headUnits(displayLine(name), MAX_COMMAND_UNITS));
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `Masked ${count} secret${count === 1 ? "" : "s"}: ${named.join(", ")}${more}`;
}

function truncationText(truncation: Truncation, artifactError: string | undefined): string {
  const { shownRange, totalLines, artifactId } = truncation;
  const limit = limitText(truncation);
  const shown = shownRange === undefined ? "the end" : `lines ${shownRange.startLine}-${shownRange.endLine}`;
  const place =
    artifactId !== undefined
      ? `. Full: ${artifactUrl(artifactId)}`
      : artifactError === undefined
        ? ""
        : `. Full output is not kept: ${artifactError}`;
  return `Truncated: showing ${shown} of ${totalLines} lines${limit}${place}`;
}

function limitText({ truncatedBy, maxBytes, maxLines }: Truncation): string {
  if (truncatedBy === "lines") return maxLines === undefined ? "" : ` (${maxLines} lines limit)`;
  return maxBytes === undefined ? "" : ` (${Math.round(maxBytes / 1024)}KB limit)`;
}
