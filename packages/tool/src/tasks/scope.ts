/**
 * Which tasks a workspace may see and end: its own and those of the agents below it, and no others.
 *
 * Worked out again for each call, from the host's word on who descends from whom; where that fails, nothing is in scope.
 */

import { waitAtMost } from "@pi-bash/contract/internal/wait";
import type { OwnedJob } from "@pi-bash/executor";
import { ToolError } from "../tool-error.ts";
import type { AgentTask } from "./agent-tasks.ts";
import { fromBashTaskId, toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";

/** Most time the host gets to say who descends from whom, in milliseconds. */
const SCOPE_BOUND_MS = 10_000;

/** What an id names here. */
export type ScopedTask =
  | { kind: "bash"; taskId: string; owned: OwnedJob }
  | { kind: "agent"; taskId: string; agent: AgentTask }
  | { kind: "not_found"; taskId: string }
  /** It is there, and belongs to someone else. */
  | { kind: "invalid_scope"; taskId: string };

export interface Scope {
  readonly agents: readonly AgentTask[];
  /** Commands in scope, in the order they started. */
  jobs(): OwnedJob[];
  find(taskId: string): ScopedTask;
  /** Whether what an owner runs may be seen and ended here. */
  includes(owner: string | undefined): boolean;
  /** Ids of what has not ended. */
  activeIds(): string[];
  /** How deep an owner is: 0 is the caller itself. */
  depthOf(owner: string | undefined): number;
}

/** The scope of a session, now. Throws `ToolError` where its agents cannot be determined. */
export async function openScope(session: TaskSession): Promise<Scope> {
  const manager = jobsOf(session);
  const caller = workspaceOf(session);
  const agents = await agentsBelow(session, caller);
  const depths = new Map(agents.map(({ workspaceId, depth }) => [workspaceId, depth]));
  const isInScope = (owner: string | undefined): boolean =>
    owner === caller || (owner !== undefined && depths.has(owner));
  const jobs = (): OwnedJob[] => manager.listAll(isInScope);
  return {
    agents,
    jobs,
    includes: isInScope,
    find: (taskId) => {
      const id = taskId.trim();
      const jobId = fromBashTaskId(taskId);
      if (jobId === undefined) {
        const agent = agents.find((one) => one.taskId === id);
        return agent === undefined ? { kind: "not_found", taskId: id } : { kind: "agent", taskId: id, agent };
      }
      const owned = manager.find(jobId);
      if (owned === undefined) return { kind: "not_found", taskId: id };
      if (!isInScope(owned.job.owner)) return { kind: "invalid_scope", taskId: id };
      return { kind: "bash", taskId: toBashTaskId(jobId), owned };
    },
    activeIds: () => [
      ...agents.filter(({ status }) => status !== "reported").map(({ taskId }) => taskId),
      ...jobs()
        .filter(({ job }) => job.endedAtMs === undefined)
        .map(({ job }) => toBashTaskId(job.id)),
    ],
    depthOf: (owner) => (owner === undefined || owner === caller ? 0 : (depths.get(owner) ?? 0)),
  };
}

async function agentsBelow({ agentTasks }: TaskSession, caller: string | undefined): Promise<readonly AgentTask[]> {
  if (agentTasks === undefined) return [];
  const answer = await waitAtMost(async () => agentTasks.descendants(caller), SCOPE_BOUND_MS);
  if (answer.kind === "value") return answer.value;
  const why = answer.kind === "error" ? messageOf(answer.error) : "its host does not answer";
  throw new ToolError(`What runs below this workspace cannot be determined: ${why}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
