/**
 * `task_await` with `notify`: begins, changes or ends watches of tasks, and what a model reads of their matches.
 */
import type { TaskAwaitEntry, TaskAwaitParams } from "@pi-bash/contract";
import { artifactUrl } from "@pi-bash/contract/internal";
import { MonitorLimitError, type MonitorNews } from "@pi-bash/executor";
import { ToolError } from "../tool-error.ts";
import { fenced, oneLine } from "./report.ts";
import type { ScopedTask } from "./scope.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";

/** A request for watches. */
export type WatchRequest = TaskAwaitParams & { notify: NonNullable<TaskAwaitParams["notify"]> };

/** Whether a call asks for watches. */
export function isWatchRequest(params: TaskAwaitParams): params is WatchRequest {
  return params.notify !== undefined;
}

/** Throws where a request for watches asks for what they do not do. */
export function checkWatchRequest({ filter, filter_exclude, min_completed, task_ids }: WatchRequest): string {
  if (filter === undefined || filter === "") {
    throw new ToolError("notify needs `filter`: an RE2 expression for the lines to be notified of.");
  }
  if (filter_exclude === true || min_completed !== undefined) {
    throw new ToolError("notify does not wait: leave `filter_exclude` and `min_completed` out.");
  }
  if (task_ids === undefined || task_ids.length === 0)
    throw new ToolError("notify needs `task_ids`: the tasks to watch.");
  return filter;
}

/** Begins, changes or ends the watch of one task, and says so. */
export async function watchTask(
  session: TaskSession,
  task: ScopedTask,
  { notify, filter }: { notify: WatchRequest["notify"]; filter: string },
): Promise<TaskAwaitEntry> {
  if (task.kind === "not_found" || task.kind === "invalid_scope") return { status: task.kind, taskId: task.taskId };
  const { taskId } = task;
  if (task.kind === "agent") {
    return {
      status: "error",
      taskId,
      error: "An agent writes no lines that could be watched; task_await waits for its report.",
    };
  }
  const { job } = task.owned;
  const reader = workspaceOf(session) ?? "";
  const { monitors } = jobsOf(session);
  const shown = `/${oneLine(filter)}/`;
  if (notify === "off") {
    const wasOn = monitors.unwatch(job.id, { reader, filter });
    return {
      status: "running",
      taskId,
      note: wasOn ? `No longer watching ${taskId} for ${shown}.` : `${taskId} was not watched for ${shown}.`,
    };
  }
  try {
    const started = await monitors.watch(job.id, { reader, filter, mode: notify, describe: monitorText });
    if (started === undefined) {
      return { status: "error", taskId, error: "it has ended, so nothing was watched; task_await has its output." };
    }
    const how = notify === "quiet" ? ", quietly" : "";
    const from = started.fromLine === undefined ? "" : ` from line ${started.fromLine}`;
    return { status: "running", taskId, note: `Watching ${taskId} for ${shown}${from}${how}.` };
  } catch (error) {
    if (error instanceof MonitorLimitError) return { status: "error", taskId, error: error.message };
    throw error;
  }
}

/** What a model reads of matches: the facts outside the fence, the lines with their numbers inside. */
function monitorText({ jobId, name, artifactId, filter, lines, unshown, isDemoted }: MonitorNews): string {
  const taskId = toBashTaskId(jobId);
  const count = lines.length + (unshown?.count ?? 0);
  const head = `### Watch of ${taskId} (${oneLine(name)}) for /${oneLine(filter)}/: ${count} ${count === 1 ? "line matches" : "lines match"}`;
  const parts = [head];
  if (lines.length > 0) parts.push(fenced(lines.map(({ number, text }) => `${number}: ${text}`).join("\n")));
  if (unshown !== undefined) {
    const { first, last } = unshown;
    const range = first === last ? `line ${first}` : `lines ${first}-${last}`;
    const where = artifactId === undefined ? "" : `: ${artifactUrl(artifactId)}?lines=${first}-${last}`;
    parts.push(`${unshown.count} more ${unshown.count === 1 ? "match" : "matches"}, ${range}${where}`);
  }
  if (isDemoted) {
    parts.push(
      'There are too many matches to start a turn for each. From here on this watch is quiet: its matches go with your next answer. A narrower filter, or notify: "wake" again, changes that.',
    );
  }
  return parts.join("\n");
}
