/**
 * The lines after the output of a call: one place, one order, bounded in length.
 *
 * Rewrites, truncation, survivors, state of the session, wall time, the clamped timeout; the exit status stands last,
 * because models read the end first. See docs/tool.md.
 */

import {
  DEFAULT_MAX_BYTES,
  type LostWithShell,
  type ResourceUsage,
  type Settings,
  type Truncation,
} from "@pi-bash/contract";
import { artifactUrl, displayLine } from "@pi-bash/contract/internal";
import { clipped } from "@pi-bash/contract/internal/text";
import type { CommandResult } from "@pi-bash/executor";
import { portsNote } from "@pi-bash/executor/internal";

/** Survivors, and names of variables, that are listed one by one. */
const MAX_LISTED = 5;
/** Longest text from outside (a command line, a path, a reason) in a notice, in UTF-16 units. */
const MAX_QUOTED_CHARS = 160;

/** `12B`, `50.0KB`, `1.5MB`: units of 1024. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return unit === 0 ? `${size}B` : `${size.toFixed(1)}${units[unit]}`;
}

/** What a shown text leaves out, as data; undefined where it is whole. */
export function truncationOf(result: CommandResult, settings: Settings): Truncation | undefined {
  if (!result.truncated) return undefined;
  const { totalLines, totalBytes, outputLines, outputBytes, shownRange, artifactId } = result;
  const headLines = shownRange === undefined ? 0 : outputLines - (shownRange.endLine - shownRange.startLine + 1);
  const maxLines = settings["bash.outputMaxLines"];
  const hasHead = settings["bash.outputHeadBytes"] > 0 && headLines > 0;
  return {
    direction: hasHead ? "middle" : "tail",
    truncatedBy: result.truncatedBy ?? "bytes",
    totalLines,
    totalBytes,
    outputLines,
    outputBytes,
    maxBytes: settings["bash.outputMaxBytes"],
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(shownRange === undefined ? {} : { shownRange }),
    ...(hasHead ? { headRange: { startLine: 1, endLine: headLines } } : {}),
    ...(artifactId === undefined ? {} : { artifactId }),
  };
}

/** The same for the model. */
export function truncationNotice(truncation: Truncation, artifactError: string | undefined): string {
  const { artifactId } = truncation;
  const place =
    artifactId !== undefined
      ? ` Full: artifact://${artifactId}`
      : artifactError === undefined
        ? ""
        : ` Full output is not kept: ${quoted(artifactError)}`;
  return `[${shownText(truncation)}.${place}]`;
}

function shownText({ shownRange: shown, headRange: head, totalLines, ...bounds }: Truncation): string {
  const { truncatedBy, maxBytes = DEFAULT_MAX_BYTES, maxLines } = bounds;
  const limit = truncatedBy === "lines" ? `(${maxLines} lines limit)` : `(${sizeText(maxBytes)} limit)`;
  if (shown === undefined) return `Showing the end of ${totalLines} lines ${limit}`;
  if (shown.startLine <= 1 && shown.endLine >= totalLines) return "Long lines are shown in part";
  const tail = `${shown.startLine}-${shown.endLine}`;
  if (head === undefined) return `Showing lines ${tail} of ${totalLines} ${limit}`;
  return `Showing lines ${head.startLine}-${head.endLine} and ${tail} of ${totalLines} ${limit}`;
}

/** Processes that outlived the command, and the artifact that takes what they write. */
export function survivorsNotice({ survivors = [], artifactId }: CommandResult): string[] {
  if (survivors.length === 0) return [];
  const names = survivors
    .slice(0, MAX_LISTED)
    .map((each) => `${each.pid} \`${clip(each.command, 60)}\`${portsNote(each)}`);
  const more = survivors.length > MAX_LISTED ? ` and ${survivors.length - MAX_LISTED} more` : "";
  const place = artifactId === undefined ? "" : ` What they write goes to ${artifactUrl(artifactId)}.`;
  return [`Still running: ${names.join(", ")}${more}. They end with the session.${place}`];
}

/** Of the folder: the session is in another one now, or the command has left the one that it ran in. */
export type FolderNews = { kind: "moved"; to: string } | { kind: "left"; from: string };

/** What became of the session, and what its user is reported once. */
export function sessionNotices(result: CommandResult, folder: FolderNews): string[] {
  const lines: string[] = [];
  lines.push(...replacementNotice(result));
  if (result.isIsolated) {
    lines.push("Another command has the shell, so this one ran in a copy: what it set in the shell is gone.");
  } else if (folder.kind === "moved") {
    lines.push(`Now in ${quoted(folder.to)}.`);
  } else if (result.workingDir !== undefined && result.workingDir !== folder.from && !result.sessionReset) {
    lines.push(`The command ended in ${quoted(result.workingDir)}; pass \`cwd\` to run the next one there.`);
  }
  const withheld = result.withheldNames ?? [];
  if (withheld.length > 0) {
    const names = withheld.slice(0, MAX_LISTED).map((name) => clip(name, 60));
    const more = withheld.length > MAX_LISTED ? ` and ${withheld.length - MAX_LISTED} more` : "";
    lines.push(`Not passed to commands (bash.environment.withhold): ${names.join(", ")}${more}.`);
  }
  lines.push(...maskedNotice(result));
  for (const { text } of (result.notices ?? []).slice(0, MAX_LISTED)) lines.push(quoted(text));
  return lines;
}

/** Which secrets the text does not show. */
function maskedNotice({ masked }: CommandResult): string[] {
  if (masked === undefined) return [];
  const { count, names } = masked;
  const listed = names.slice(0, MAX_LISTED).map((name) => clip(name, 60));
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return [`Masked ${count} secret${count === 1 ? "" : "s"} (secrets.mask): ${listed.join(", ")}${more}.`];
}

/** What a new shell in the session does not have. Nothing where it has everything. */
function replacementNotice({ sessionReset, lostWithShell = [] }: CommandResult): string[] {
  const parts: Record<LostWithShell, string> = {
    jobs: "its job table (`jobs`, `wait`, `%1`)",
    descriptors: "the descriptors that were opened in it",
  };
  const gone = lostWithShell.map((part) => parts[part]).join(" and ");
  if (sessionReset === true) {
    return [`The shell was replaced; what was set in it may be gone${gone === "" ? "" : `, with ${gone}`}.`];
  }
  return gone === ""
    ? []
    : [`The shell was replaced: what was set in it is kept, ${gone} ${verb(lostWithShell)} gone.`];
}

function verb([first, second]: readonly LostWithShell[]): string {
  return first === "jobs" && second === undefined ? "is" : "are";
}

/** `Wall time: 1.23 seconds` */
export function wallTimeNotice(wallTimeMs: number): string {
  return `Wall time: ${(wallTimeMs / 1_000).toFixed(2)} seconds`;
}

/** `1.23 s of processor time, at most 84.0 MiB of memory in one process` */
export function usageText({ userMs, systemMs, peakMemoryBytes }: ResourceUsage): string {
  const time = `${((userMs + systemMs) / 1_000).toFixed(2)} s of processor time`;
  if (peakMemoryBytes === undefined) return time;
  return `${time}, at most ${(peakMemoryBytes / (1024 * 1024)).toFixed(1)} MiB of memory in one process`;
}

function quoted(text: string): string {
  return clip(text, MAX_QUOTED_CHARS);
}

/** One line, hidden characters written out, at most so many UTF-16 units. */
function clip(text: string, maxChars: number): string {
  return clipped(displayLine(text), maxChars);
}
