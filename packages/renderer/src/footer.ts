/**
 * The last line of a result: exit, time, bound, artifact, job; and the warnings that a reader must not miss.
 */

import type { BashDetails, MaskedSecrets, Truncation } from "@pi-bash/contract";
import { artifactUrl, displayLine } from "@pi-bash/contract/internal";
import { headUnits } from "@pi-bash/contract/internal/text";
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

/** `exit 2 · 1.23s · timeout 300s`; nothing where there is nothing to say. */
export function statusLine(details: BashDetails | undefined, state: CallState, colours: Colours): StyledLine[] {
  if (details === undefined) return [];
  const facts = statusFacts(details, state);
  const ending = endingRuns(details, state, colours);
  if (ending.length === 0 && facts.length === 0) return [];
  const before = ending.length === 0 || facts.length === 0 ? "" : " · ";
  return [[...ending, plainRun(`${before}${facts.join(" · ")}`, colours.dim)]];
}

/** `exit 2 · 1.23s`: how a call ended, for one that is shown in a row. */
export function endingLine(details: BashDetails | undefined, state: CallState, colours: Colours): StyledLine {
  if (details === undefined) return [];
  const { wallTimeMs } = details;
  const ending = endingRuns(details, state, colours);
  if (wallTimeMs === undefined) return ending;
  return [...ending, plainRun(`${ending.length === 0 ? "" : " · "}${durationText(wallTimeMs)}`, colours.dim)];
}

/** `SIGKILL · exit 137`, where it is not a success. */
function endingRuns({ exitCode, signal }: BashDetails, state: CallState, colours: Colours): Run[] {
  const isOver = state !== "pending" && state !== "running" && state !== "partial";
  const parts = [signal, isOver && exitCode !== undefined && exitCode !== 0 ? `exit ${exitCode}` : undefined];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? [] : [plainRun(known.join(" · "), colours.error)];
}

function statusFacts(details: BashDetails, state: CallState): string[] {
  const { async: job, wallTimeMs } = details;
  const artifactId = details.artifactId ?? details.meta?.truncation?.artifactId;
  return [
    placePart(details),
    job === undefined ? undefined : state === "backgrounded" ? `goes on as ${job.jobId}` : `job ${job.jobId}`,
    wallTimeMs === undefined ? undefined : durationText(wallTimeMs),
    timeoutPart(details),
    artifactId === undefined ? undefined : `artifact ${artifactId}`,
    details.terminalId === undefined ? undefined : `terminal ${details.terminalId}`,
    readOnlyPart(details),
    usagePart(details),
  ].filter((part) => part !== undefined);
}

/** `0.82s of processor time, 84 MiB`, where results say so. */
function usagePart({ usage }: BashDetails): string | undefined {
  if (usage === undefined) return undefined;
  const time = `${durationText(usage.userMs + usage.systemMs)} of processor time`;
  const { peakMemoryBytes: bytes } = usage;
  return bytes === undefined ? time : `${time}, ${Math.round(bytes / (1024 * 1024))} MiB`;
}

/** `on ssh:build7`, where that is not this machine. */
function placePart({ place, lost }: BashDetails): string | undefined {
  if (place === undefined) return undefined;
  const shown = headUnits(displayLine(place), MAX_COMMAND_UNITS);
  return lost === true ? `on ${shown}, connection lost` : `on ${shown}`;
}

function timeoutPart({ timeoutSeconds, requestedTimeoutSeconds }: BashDetails): string | undefined {
  if (timeoutSeconds === undefined) return undefined;
  const requested = requestedTimeoutSeconds === undefined ? "" : ` (${requestedTimeoutSeconds}s asked for)`;
  return `timeout ${timeoutSeconds}s${requested}`;
}

/** `read-only`, where the kernel held the command, with how often it refused something. */
function readOnlyPart({ readOnly }: BashDetails): string | undefined {
  if (readOnly?.enforced !== true) return undefined;
  if (readOnly.answer === "approved") return "read-only first, then approved";
  const { length } = readOnly.refusals;
  return length === 0 ? "read-only" : `read-only, ${length} refused`;
}

/** Each fact once: what is not shown, what still runs, what was lost. */
export function warningTexts(details: BashDetails | undefined): string[] {
  if (details === undefined) return [];
  const texts: string[] = [];
  const warn = (text: string) => texts.push(text);
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
  return texts;
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
