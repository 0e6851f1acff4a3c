/**
 * What a model reads about jobs: one place, so that starting, polling and delivery speak alike.
 */

import { outputText, type ProcessInfo } from "@pi-bash/contract";
import { artifactUrl, displayLine, MAX_JOB_LABEL_CHARS } from "@pi-bash/contract/internal";
import { headUnits, tailUnits } from "@pi-bash/contract/internal/text";
import type { JobView } from "./job.ts";

/** A result longer than this is delivered as a preview, in UTF-16 units. */
export const MAX_DELIVERED_CHARS = 12_000;
const PREVIEW_HEAD_CHARS = 3_000;
const PREVIEW_TAIL_CHARS = 1_000;

/** A command as a label, hidden characters written out: its first 117 units and `...` where it is longer than 120. */
export function jobLabel(command: string): string {
  const line = displayLine(command);
  if (line.length <= MAX_JOB_LABEL_CHARS) return line;
  return `${headUnits(line, MAX_JOB_LABEL_CHARS - 3)}...`;
}

/** What a call returns whose command goes on in the background. */
export function startedText(job: JobView): string {
  return [
    `Background job ${job.id} started: ${job.label}`,
    `Its result is delivered when it ends; there is no need to ask. With the \`job\` tool, \`poll: ["${job.id}"]\` waits ` +
      `for it, \`list: true\` shows all jobs, \`cancel: ["${job.id}"]\` ends it.`,
  ].join("\n");
}

/** The text that is delivered when a job has ended. */
export function endedText(job: JobView, output: string, artifactId: string | undefined): string {
  const text = outputText(output, true);
  const isLong = text.length > MAX_DELIVERED_CHARS;
  const lines = [headline(job), "", isLong ? preview(text) : text.trimEnd() || "(no output)"];
  if (job.survivors !== undefined && job.survivors.length > 0) lines.push("", survivorsLine(job));
  if (isLong && artifactId !== undefined) lines.push("", `Full output: ${artifactUrl(artifactId)}`);
  return lines.join("\n");
}

/** The text of a job whose host ended first. */
export function lostText(job: JobView): string {
  const place =
    job.artifactId === undefined
      ? "Its output is lost."
      : `Output up to then, if it was long enough to be saved: ${artifactUrl(job.artifactId)}?tail=200`;
  return `The host that ran this job ended before it did; whether the command finished is not known. ${place}`;
}

/** One line of a list. */
export function listLine(job: JobView, nowMs: number): string {
  const end = job.endedAtMs ?? nowMs;
  return `${job.id} [${job.type}] ${stateOf(job)} ${duration(end - job.startedAtMs)} — ${job.label}`;
}

/** What a cancellation says. */
export function cancelText(id: string, job: JobView | undefined, stopped: number): string {
  if (job === undefined) return `Background job not found: ${id}`;
  const rest =
    stopped === 0 ? "" : ` Its ${stopped} remaining ${stopped === 1 ? "process was" : "processes were"} ended.`;
  return `Background job ${id} is already ${stateOf(job)}.${rest}`;
}

function headline(job: JobView): string {
  const facts = [
    ...(job.signal === undefined ? [] : [`killed by ${job.signal}`]),
    ...(job.exitCode === undefined ? [] : [`exit code ${job.exitCode}`]),
    ...(job.endedAtMs === undefined ? [] : [duration(job.endedAtMs - job.startedAtMs)]),
  ];
  const tail = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  const name = job.title === undefined ? "" : ` (${displayLine(job.title)})`;
  return `Background job ${job.id}${name} ${stateOf(job)}${tail}: ${job.label}`;
}

function stateOf(job: JobView): string {
  return job.isLost ? "lost" : job.state;
}

/** ` (listens on 5173)`; empty where it listens on nothing. */
export function portsNote({ ports = [] }: ProcessInfo): string {
  return ports.length === 0 ? "" : ` (listens on ${ports.slice(0, 8).join(", ")})`;
}

function survivorsLine(job: JobView): string {
  const names = (job.survivors ?? []).map(
    (process) => `${process.pid} \`${displayLine(process.command).slice(0, 80)}\`${portsNote(process)}`,
  );
  return `Still running: ${names.join(", ")}. Cancel the job to end them.`;
}

function preview(text: string): string {
  const head = headUnits(text, PREVIEW_HEAD_CHARS);
  const tail = tailUnits(text, PREVIEW_TAIL_CHARS);
  const omitted = text.length - head.length - tail.length;
  return `${head}\n[… ${omitted} characters left out …]\n${tail.trimEnd()}`;
}

/** `350ms`, `1.2s`, `3m 5s`, `2h 1m`. */
function duration(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m ${Math.floor((ms % 60_000) / 1_000)}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
