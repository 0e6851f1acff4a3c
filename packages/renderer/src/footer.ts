/**
 * The last line of a result: how it ended, time, bound, artifact, job; and the warnings that a reader must not miss.
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

/** `exit 2 · 1.23s · artifact 7`; nothing where there is nothing to say. `askedSeconds`: the deadline that the call named. */
export function statusLine(
  details: BashDetails | undefined,
  state: CallState,
  colours: Colours,
  askedSeconds?: number,
): StyledLine[] {
  const facts = details === undefined ? [] : statusFacts(details, state, askedSeconds);
  const ending = endingRuns(details ?? {}, state, colours);
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

/** `SIGKILL · exit 137`, `timed out after 5s`, `goes on as bg_1`: how it ended, where that is not a success alone. */
function endingRuns(details: BashDetails, state: CallState, colours: Colours): Run[] {
  const parts: readonly Run[] = [
    ...reasonRuns(details, state, colours),
    ...(isOver(state) ? leftRuns(details, colours) : []),
  ];
  return parts.flatMap((part, at) => (at === 0 ? [part] : [{ text: " · ", style: colours.dim }, part]));
}

function isOver(state: CallState): boolean {
  return state !== "pending" && state !== "running" && state !== "partial";
}

function reasonRuns(details: BashDetails, state: CallState, { error, warning, accent }: Colours): Run[] {
  switch (state) {
    case "timed out": {
      const { timeoutSeconds: seconds } = details;
      return [plainRun(seconds === undefined ? "timed out" : `timed out after ${seconds}s`, warning)];
    }
    case "cancelled":
      return [plainRun(details.inputWanted?.ended === true ? "ended: it waits for input" : "cancelled", warning)];
    case "backgrounded":
      return [plainRun(details.async === undefined ? "goes on" : `goes on as ${details.async.jobId}`, accent)];
    case "blocked":
      return [plainRun("not run", error)];
    default: {
      const { exitCode, signal } = details;
      const isFailure = isOver(state) && exitCode !== undefined && exitCode !== 0;
      const parts = [signal, isFailure ? `exit ${exitCode}` : undefined].filter((part) => part !== undefined);
      return parts.length === 0 ? [] : [plainRun(parts.join(" · "), error)];
    }
  }
}

/** A call that left processes is not a plain success. */
function leftRuns({ survivors = [] }: BashDetails, { warning }: Colours): Run[] {
  const { length } = survivors;
  return length === 0 ? [] : [plainRun(`${length} ${length === 1 ? "process" : "processes"} left running`, warning)];
}

function statusFacts(details: BashDetails, state: CallState, askedSeconds: number | undefined): string[] {
  const { async: job, wallTimeMs } = details;
  // A notice of what is not shown names the artifact already.
  const artifactId = details.meta?.truncation?.artifactId === undefined ? details.artifactId : undefined;
  return [
    placePart(details),
    job === undefined || state === "backgrounded" ? undefined : `job ${job.jobId}`,
    wallTimeMs === undefined ? undefined : durationText(wallTimeMs),
    timeoutPart(details, state, askedSeconds),
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

/** The deadline, where the call named one or could not have the one that it named; not where the status begins with it. */
function timeoutPart(
  { timeoutSeconds, requestedTimeoutSeconds }: BashDetails,
  state: CallState,
  askedSeconds: number | undefined,
): string | undefined {
  if (timeoutSeconds === undefined) return undefined;
  if (requestedTimeoutSeconds !== undefined)
    return `timeout ${timeoutSeconds}s (${requestedTimeoutSeconds}s asked for)`;
  return askedSeconds === undefined || state === "timed out" ? undefined : `timeout ${timeoutSeconds}s`;
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
