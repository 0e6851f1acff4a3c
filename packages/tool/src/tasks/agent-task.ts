/**
 * An agent as a task: started by the host's port, and waited for where it is in the foreground.
 */

import type { AgentTaskParams, TaskResult } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { waitWithin } from "@pi-bash/contract/internal/wait";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import type { AgentTasks } from "./agent-tasks.ts";
import { answer, type TaskCall, type TaskToolResult } from "./define-tool.ts";
import { type Room, withoutMiddle } from "./report.ts";
import { type TaskSession, workspaceOf } from "./task-session.ts";

/** Whether an agent in this workspace may start agents. */
export function maySpawnAgents(session: TaskSession, maxDepth: number): boolean {
  const { agentTasks } = session;
  return agentTasks !== undefined && agentTasks.depthOf(workspaceOf(session)) < maxDepth;
}

/** Starts the agent of a call. */
export async function runAgentTask(
  session: TaskSession,
  params: AgentTaskParams,
  { signal, settings }: TaskCall<unknown>,
): Promise<TaskToolResult<TaskResult>> {
  const { agentTasks } = session;
  const workspaceId = workspaceOf(session);
  if (agentTasks === undefined) {
    throw new ToolError('There are no agents here. Use task with kind: "bash" to run commands.');
  }
  if (!maySpawnAgents(session, settings["task.maxDepth"])) {
    const depth = agentTasks.depthOf(workspaceId);
    throw new ToolError(
      `Agents cannot be started at depth ${depth} (task.maxDepth is ${settings["task.maxDepth"]}). ` +
        'Do the work here; task with kind: "bash" runs commands.',
    );
  }
  const { run_in_background: isBackground, ...request } = params;
  const begun = agentTasks.start({ ...request, workspaceId }, signal);
  const started = await explained(() => orStopped(begun, signal ?? new AbortController().signal));
  if (started === "stopped") throw new ToolAbortError();
  const { taskId, status } = started;
  if (isBackground === true) {
    return answer(`Task ${taskId} is ${status}. \`task_await\` waits for its report.`, { status, taskId });
  }
  return waitInForeground(session, agentTasks, { taskId, signal, room: outputWindow(settings) });
}

async function waitInForeground(
  session: TaskSession,
  agents: AgentTasks,
  { taskId, signal, room }: { taskId: string; signal: AbortSignal | undefined; room: Room },
): Promise<TaskToolResult<TaskResult>> {
  const queued = session.queuedMessage?.();
  const stop = AbortSignal.any([signal, queued].filter((one) => one !== undefined));
  const ended = await explained(() => orStopped(agents.waitForReport(taskId, stop), stop));
  if (ended === "stopped") {
    if (signal?.aborted) throw new ToolAbortError(`Waiting was aborted; task ${taskId} goes on.`);
    const note = "Task sent to background because a new message was queued. Use task_await to monitor progress.";
    return answer(`${note}\n\nTask: ${taskId}`, { status: "running", taskId, note });
  }
  return answer(withoutMiddle(ended.reportMarkdown, room), { status: "completed", taskId, ...ended });
}

/** What a wait comes to, or `stopped` as soon as the signal is aborted, whatever the wait does then. */
export async function orStopped<T>(wait: Promise<T>, stop: AbortSignal): Promise<T | "stopped"> {
  const waited = await waitWithin(wait, { signal: stop });
  if (waited.kind === "value") return waited.value;
  // A wait that was asked to stop may well reject.
  if (waited.kind === "error" && !stop.aborted) throw waited.error;
  return "stopped";
}

/** What the host's agents throw is for the model to read. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError || error instanceof ToolAbortError) throw error;
    throw new ToolError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
