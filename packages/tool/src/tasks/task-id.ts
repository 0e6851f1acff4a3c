/**
 * Ids of tasks: `bash:<id of a job>` is a command, anything else an agent.
 */
import { BASH_TASK_PREFIX } from "@pi-bash/contract/internal";
import { ToolError } from "../tool-error.ts";

/** Longest id that is looked up, in UTF-16 units: ours are short, and an answer repeats them. */
const MAX_ID_CHARS = 200;

/** Whether an id names a command's task. Throws `ToolError` for one that names nothing. */
export function isBashTaskId(taskId: string): boolean {
  return checked(taskId).startsWith(BASH_TASK_PREFIX);
}

/** The task of a job. */
export function toBashTaskId(jobId: string): string {
  return `${BASH_TASK_PREFIX}${checked(jobId)}`;
}

/** The job of a task; undefined for an agent. Throws `ToolError` for `bash:` alone. */
export function fromBashTaskId(taskId: string): string | undefined {
  if (!isBashTaskId(taskId)) return undefined;
  const jobId = taskId.trim().slice(BASH_TASK_PREFIX.length).trim();
  if (jobId === "") throw new ToolError("Invalid bash taskId.");
  return jobId;
}

function checked(id: string): string {
  const trimmed = id.trim();
  if (trimmed === "") throw new ToolError("A task id is empty.");
  if (trimmed.length > MAX_ID_CHARS) throw new ToolError(`A task id is longer than ${MAX_ID_CHARS} characters.`);
  return trimmed;
}
