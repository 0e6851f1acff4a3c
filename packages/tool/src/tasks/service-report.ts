/**
 * What a model reads about services: one line of facts each, output fenced below it.
 */
import type { TaskPort } from "@pi-bash/contract";
import { clipped } from "@pi-bash/contract/internal/text";
import type { JobView, ListeningPort } from "@pi-bash/executor";
import { fenced, oneLine, portsText } from "./report.ts";
import type { RestartLimits } from "./service-restarts.ts";

/** `1.2 s`. */
export function seconds(milliseconds: number): string {
  return `${(Math.max(0, milliseconds) / 1_000).toFixed(1)} s`;
}

/** Ports as results have them. */
export function toTaskPorts(ports: readonly ListeningPort[]): TaskPort[] {
  return ports.map(({ port, address, pid, program, isInside }) => ({
    port,
    address,
    ...(pid === undefined ? {} : { pid }),
    ...(program === undefined ? {} : { program }),
    ...(isInside ? { inside: true as const } : {}),
  }));
}

/** The head of an answer about a service. */
export function serviceHead(name: string, taskId: string, state: string): string {
  return `### Service ${name} (${taskId}): ${state}`;
}

/** A head, its ports and what it wrote. */
export function serviceText(head: string, ports: readonly TaskPort[], output?: string): string {
  const lines = [head, ...(ports.length === 0 ? [] : [`ports: ${portsText(ports)}`])];
  if (output !== undefined) lines.push("", fenced(output));
  return lines.join("\n");
}

/** How a job ended, in a few words. */
export function endWords(job: JobView): string {
  if (job.signal !== undefined) return `was ended by ${job.signal}`;
  if (job.exitCode !== undefined) return `exited with code ${job.exitCode}`;
  return job.state === "cancelled" ? "was ended" : "ended";
}

/** It failed and was started again. */
export function restartedText(
  name: string,
  ended: JobView,
  { taskId, restarts }: { taskId: string; restarts: number },
): string {
  const life = seconds((ended.endedAtMs ?? ended.startedAtMs) - ended.startedAtMs);
  const before = ` bash:${ended.id}`;
  return `Service ${name} ${endWords(ended)} after ${life} (${before.trim()} has its output) and was started again as ${taskId}, restart ${restarts}.`;
}

/** It is ready after that. */
export function readyAgainText(name: string, taskId: string, afterMs: number): string {
  return `Service ${name} (${taskId}) is ready again after ${seconds(afterMs)}.`;
}

/** It failed too often. */
export function gaveUpText(name: string, { mostRestarts, windowMs }: RestartLimits): string {
  return `Service ${name} failed: it was started again ${mostRestarts} times within ${windowMs / 60_000} minutes and is not started again. Start it with task when its cause is mended.`;
}

/** What differs between a service that runs and one that is asked for. */
export function conflictText(
  runs: { name: string; taskId: string; script: string; cwd: string; isOnTerminal: boolean },
  asked: { script: string; cwd: string; isOnTerminal: boolean },
): string {
  const shown = ({ script, cwd, isOnTerminal }: typeof asked) =>
    `"${clipped(oneLine(script), 200)}" in ${oneLine(cwd)}${isOnTerminal ? " on a terminal" : ""}`;
  return `Service ${runs.name} (${runs.taskId}) runs ${shown(runs)}; you asked for ${shown(asked)}. Pass replace: true to end it first, or use another name.`;
}
