/**
 * `task_list`: the agents and commands of a workspace and of those below it.
 */

import { type TaskListEntry, TaskListParams, type TaskStatus } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { clipped } from "@pi-bash/contract/internal/text";
import type { JobView, OwnedJob } from "@pi-bash/executor";
import { type ForegroundCall, foregroundCallsOf } from "../foreground-calls.ts";
import type { AgentTask } from "./agent-tasks.ts";
import { answer, defineTool, type TaskTool } from "./define-tool.ts";
import { listedLines, oneLine, portsText, type Room } from "./report.ts";
import { openScope, type Scope } from "./scope.ts";
import { servicesOf } from "./service-registry.ts";
import { toTaskPorts } from "./service-report.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession } from "./task-session.ts";
import { terminalEntry } from "./tty-report.ts";

/** What is listed where no setting says otherwise: what has not ended. */
const ACTIVE: readonly TaskStatus[] = ["queued", "running", "awaiting_report"];

/** Longest script in a list, in UTF-16 units. */
const MAX_SCRIPT_CHARS = 2_000;

/** What `task_list` answers. */
export interface ListDetails {
  tasks: TaskListEntry[];
}
/** The tool `task_list`. */
export type TaskListTool = TaskTool<"task_list", TaskListParams, ListDetails>;

/** Makes the tool. */
export function createListTool(session: TaskSession): TaskListTool {
  return defineTool(session, {
    name: "task_list",
    label: "List tasks",
    description: () =>
      'Lists the tasks of this workspace and of the agents below it: agents and background commands. `statuses: ["reported"]` shows those that have ended.',
    parameters: () => TaskListParams,
    run: async ({ params, settings }) => {
      const tasks = await listTasks(session, params);
      return answer(textOf(tasks, outputWindow(settings)), { tasks });
    },
  });
}

/** The tasks in scope, agents first, each kind in the order it started. */
export async function listTasks(
  session: TaskSession,
  { statuses = [...ACTIVE] }: TaskListParams,
): Promise<TaskListEntry[]> {
  const scope = await openScope(session);
  const now = Date.now();
  const isWanted = (status: TaskStatus): boolean => statuses.includes(status);
  const jobs = scope.jobs().filter(({ job }) => isWanted(bashStatus(job)));
  const all = [
    ...scope.agents.map(agentEntry),
    ...(await Promise.all(jobs.map((owned) => bashEntry(session, owned, scope, now)))),
    ...foregroundCallsOf(session)
      .list()
      .map((call) => callEntry(call, now)),
  ];
  return all.filter(({ status }) => isWanted(status));
}

function agentEntry(agent: AgentTask): TaskListEntry {
  const { taskId, status, parentWorkspaceId, agentType, title, depth, createdAtMs } = agent;
  return {
    taskId,
    status,
    ...(parentWorkspaceId === undefined ? {} : { parentWorkspaceId }),
    ...(agentType === undefined ? {} : { agentType }),
    ...(title === undefined ? {} : { title }),
    depth: Math.max(1, depth),
    ...(createdAtMs === undefined ? {} : { createdAt: new Date(createdAtMs).toISOString() }),
  };
}

function bashStatus({ endedAtMs }: JobView): TaskStatus {
  return endedAtMs === undefined ? "running" : "reported";
}

async function bashEntry(
  session: TaskSession,
  { job, command }: OwnedJob,
  scope: Scope,
  nowMs: number,
): Promise<TaskListEntry> {
  const manager = jobsOf(session);
  const service = servicesOf(manager).ofJob(job.id);
  const hasProcesses = job.endedAtMs === undefined || job.survivors !== undefined;
  const ports = hasProcesses ? toTaskPorts(await manager.ports(job.id)) : [];
  const { waiting, holder } = terminalEntry(manager.terminal(job.id), false);
  return {
    ...(waiting === undefined ? {} : { waiting }),
    ...(holder === undefined ? {} : { holder }),
    taskId: toBashTaskId(job.id),
    status: bashStatus(job),
    ...(service === undefined ? {} : { name: service.name, service: service.state, restarts: service.restarts }),
    ...(ports.length === 0 ? {} : { ports }),
    ...(job.owner === undefined ? {} : { parentWorkspaceId: job.owner }),
    kind: "bash",
    display_name: job.title ?? job.label,
    script: clipped(command, MAX_SCRIPT_CHARS),
    uptime_ms: Math.max(0, (job.endedAtMs ?? nowMs) - job.startedAtMs),
    ...(job.exitCode === undefined ? {} : { exitCode: job.exitCode }),
    depth: scope.depthOf(job.owner) + 1,
    createdAt: new Date(job.startedAtMs).toISOString(),
  };
}

/** A call of the bash tool that is under way, its client's or one that its client has given up. */
function callEntry({ id, command, madeAtMs, startedAtMs }: ForegroundCall, nowMs: number): TaskListEntry {
  return {
    taskId: id,
    status: startedAtMs === undefined ? "queued" : "running",
    kind: "bash",
    display_name: "call in the foreground",
    script: clipped(command, MAX_SCRIPT_CHARS),
    uptime_ms: Math.max(0, nowMs - (startedAtMs ?? madeAtMs)),
    depth: 1,
    createdAt: new Date(madeAtMs).toISOString(),
  };
}

function textOf(tasks: readonly TaskListEntry[], room: Room): string {
  if (tasks.length === 0) return "No tasks.";
  return listedLines(tasks.map(lineOf), room);
}

function lineOf(task: TaskListEntry): string {
  const name = oneLine(task.display_name ?? task.title ?? task.agentType ?? "");
  const script = task.script === undefined || task.script === task.display_name ? "" : `: ${oneLine(task.script)}`;
  const facts = [
    task.kind ?? "agent",
    task.status,
    ...(task.exitCode === undefined ? [] : [`exit code ${task.exitCode}`]),
    ...(task.uptime_ms === undefined ? [] : [`${(task.uptime_ms / 1_000).toFixed(1)} s`]),
    ...(task.waiting?.certain === true ? [`waiting for input (${task.waiting.kind})`] : []),
    ...(task.holder === undefined ? [] : ["a person has its terminal"]),
    ...(task.depth === 1 ? [] : [`depth ${task.depth}`]),
    ...(task.name === undefined ? [] : [`service ${task.service}`]),
    ...(task.ports === undefined ? [] : [`listens on ${portsText(task.ports)}`]),
  ];
  return `${task.taskId} [${facts.join(", ")}] ${name}${script}`;
}
