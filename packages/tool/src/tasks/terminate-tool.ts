/**
 * `task_terminate`: ends tasks with everything they started, and says what is gone.
 */
import { type TaskTerminateEntry, TaskTerminateParams } from "@pi-bash/contract";
import { outputWindow, TASK_TERMINATE_MS } from "@pi-bash/contract/internal";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import { foregroundCallsOf } from "../foreground-calls.ts";
import { ToolError } from "../tool-error.ts";
import type { AgentTask } from "./agent-tasks.ts";
import { cleanUpWorkspace } from "./clean-up.ts";
import { answer, defineTool, type TaskTool } from "./define-tool.ts";
import { listedLines, oneLine } from "./report.ts";
import { openScope, type Scope, type ScopedTask } from "./scope.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession } from "./task-session.ts";

/** Tasks that one call ends. */
const MAX_TERMINATED = 500;
const LATE_NOTE = "Termination timed out; cleanup continues in the background";

/** What `task_terminate` answers. */
export interface TerminateDetails {
  results: TaskTerminateEntry[];
}
/** The tool `task_terminate`. */
export type TaskTerminateTool = TaskTool<"task_terminate", TaskTerminateParams, TerminateDetails>;

/** Makes the tool. */
export function createTerminateTool(session: TaskSession): TaskTerminateTool {
  return defineTool(session, {
    name: "task_terminate",
    label: "End tasks",
    description: () =>
      "Ends tasks with everything that they started: commands with their processes, agents with all below them and their commands.",
    parameters: () => TaskTerminateParams,
    run: async ({ params, settings }) => {
      const results = await terminateTasks(session, params);
      return answer(listedLines(results.map(lineOf), outputWindow(settings)), { results });
    },
  });
}

/** Ends the tasks, all at the same time. */
export async function terminateTasks(session: TaskSession, params: TaskTerminateParams): Promise<TaskTerminateEntry[]> {
  const ids = [...new Set(params.task_ids.map((id) => id.trim()))];
  if (ids.length > MAX_TERMINATED) throw new ToolError(`At most ${MAX_TERMINATED} tasks can be ended at once.`);
  const scope = await openScope(session);
  const results = await Promise.all(ids.map((id) => terminateOne(session, scope, id)));
  const activeTaskIds = (await openScope(session)).activeIds().slice(0, 50);
  return results.map((entry) =>
    entry.status === "not_found" || entry.status === "invalid_scope" ? { ...entry, activeTaskIds } : entry,
  );
}

async function terminateOne(session: TaskSession, scope: Scope, id: string): Promise<TaskTerminateEntry> {
  try {
    const isOver = foregroundCallsOf(session).stop(id);
    if (isOver !== undefined) return await terminateCall(id, isOver);
    const task = scope.find(id);
    switch (task.kind) {
      case "bash":
        return await terminateBash(session, task);
      case "agent":
        return await terminateAgent(session, scope, task.agent);
      case "not_found":
      case "invalid_scope":
        return { status: task.kind, taskId: task.taskId };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: "error", taskId: id.slice(0, 80), error: reason };
  }
}

/** A call of the bash tool, which answers its own caller. */
async function terminateCall(taskId: string, isOver: Promise<void>): Promise<TaskTerminateEntry> {
  const ended = await waitAtMost(() => isOver, TASK_TERMINATE_MS);
  const note = ended.kind === "deadline" ? { note: LATE_NOTE } : {};
  return { status: "terminated", taskId, terminatedTaskIds: [taskId], ...note };
}

async function terminateBash(
  session: TaskSession,
  { taskId, owned }: Extract<ScopedTask, { kind: "bash" }>,
): Promise<TaskTerminateEntry> {
  const isGone = await jobsOf(session).terminate(owned.job.id, TASK_TERMINATE_MS);
  return { status: "terminated", taskId, terminatedTaskIds: [taskId], ...(isGone ? {} : { note: LATE_NOTE }) };
}

/** The agent and all below it, and then the commands of every workspace that is gone with them. */
async function terminateAgent(session: TaskSession, scope: Scope, agent: AgentTask): Promise<TaskTerminateEntry> {
  const { agentTasks } = session;
  if (agentTasks === undefined) return { status: "not_found", taskId: agent.taskId };
  const below = subtree(scope.agents, agent);
  const commands = scope
    .jobs()
    .filter(({ job }) => job.endedAtMs === undefined && job.owner !== undefined && below.has(job.owner))
    .map(({ job }) => toBashTaskId(job.id));
  const ended = await waitAtMost(() => agentTasks.terminate(agent.taskId), TASK_TERMINATE_MS);
  if (ended.kind === "error") throw ended.error;
  const cleaned = await Promise.all([...below].map((workspaceId) => cleanUpWorkspace(session, workspaceId)));
  const ids = ended.kind === "value" ? ended.value : [agent.taskId];
  const isGone = ended.kind === "value" && cleaned.every((left) => left.length === 0);
  return {
    status: "terminated",
    taskId: agent.taskId,
    terminatedTaskIds: [...new Set([...ids, ...commands])],
    ...(isGone ? {} : { note: LATE_NOTE }),
  };
}

/** Workspaces of an agent and of all below it. */
function subtree(agents: readonly AgentTask[], root: AgentTask): Set<string> {
  const found = new Set([root.workspaceId]);
  // Each round goes one level deeper; the last one finds nothing.
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { workspaceId, parentWorkspaceId } of agents) {
      if (parentWorkspaceId !== undefined && found.has(parentWorkspaceId)) found.add(workspaceId);
    }
  }
  return found;
}

function lineOf(entry: TaskTerminateEntry): string {
  switch (entry.status) {
    case "terminated": {
      const others = entry.terminatedTaskIds.filter((id) => id !== entry.taskId);
      const more = others.length === 0 ? "" : ` with ${others.join(", ")}`;
      return `Task ${entry.taskId} is ended${more}.${entry.note === undefined ? "" : ` ${entry.note}`}`;
    }
    case "not_found":
      return `Task not found: ${oneLine(entry.taskId)}`;
    case "invalid_scope":
      return `Task ${oneLine(entry.taskId)} belongs to a workspace that is not below this one.`;
    case "error":
      return `Task ${oneLine(entry.taskId)}: ${entry.error}`;
  }
}
