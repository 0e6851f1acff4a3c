/**
 * A session with task tools on real bash, and agents that the test plays.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  BashToolUpdate,
  SettingsInput,
  TaskAwaitEntry,
  TaskListEntry,
  TaskResult,
  TaskStatus,
  TaskTerminateEntry,
} from "@pi-bash/contract";
import type { JobDelivery, JobManager } from "@pi-bash/executor";
import type { AgentReport, AgentStart, AgentTask, AgentTasks } from "../../src/tasks/agent-tasks.ts";
import type { TaskToolResult } from "../../src/tasks/define-tool.ts";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools, type TaskTools } from "../../src/tasks/task-tools.ts";
import { jobs, scene, until } from "./session.ts";

/** As bash text: goes on when the test makes the file. */
export const waitFor = (name: string): string => `until [ -e ${name} ]; do sleep 0.02; done`;

export interface TaskScene {
  folder: string;
  session: TaskSession;
  manager: JobManager;
  tools: TaskTools;
  /** Calls `task` with a command. */
  run: (script: string, more?: object, call?: CallMore) => Promise<TaskToolResult<TaskResult>>;
  /** Starts a command in the background; its task. */
  start: (script: string, more?: object) => Promise<string>;
  await: (params?: object, signal?: AbortSignal) => Promise<TaskAwaitEntry[]>;
  list: (params?: object) => Promise<TaskListEntry[]>;
  terminate: (...ids: string[]) => Promise<TaskTerminateEntry[]>;
  /** Lets a command go on that waits for the file of that name. */
  touch: (name: string) => void;
  /** Waits until a command of the workspace has written something, and the host has read it. */
  written: (taskId: string, text: string) => Promise<void>;
  /** Waits until a file is there. */
  made: (name: string) => Promise<void>;
  /** Everything that was delivered to a workspace. */
  delivered: (workspace: string) => JobDelivery[];
  /** The same scene as another workspace of the host has it. */
  as: (workspace: string, ports?: Partial<TaskSession>) => TaskScene;
}

export interface CallMore {
  signal?: AbortSignal;
  updates?: BashToolUpdate[];
}

/** A scene. The workspace is `agent-1` unless the ports say otherwise; `options` are the job manager's. */
export async function taskScene(
  settings: SettingsInput = {},
  ports: Partial<TaskSession> = {},
  options: Parameters<typeof jobs>[0] = {},
): Promise<TaskScene> {
  const manager = await jobs({ maxJobs: 200, ...options });
  const { session, folder } = scene(settings, { asyncJobManager: manager, ...ports });
  return sceneOf(session, manager, folder);
}

function sceneOf(session: TaskSession, manager: JobManager, folder: string): TaskScene {
  const tools = createTaskTools(session);
  const run: TaskScene["run"] = (script, more = {}, { signal, updates } = {}) => {
    const params = { kind: "bash", script, timeout_secs: 60, display_name: "a command", ...more };
    return tools.task.execute("call", params, signal, (update) => updates?.push(update));
  };
  return {
    folder,
    session,
    manager,
    tools,
    run,
    start: async (script, more = {}) => {
      const { details } = await run(script, { run_in_background: true, ...more });
      if (details.status !== "running") throw new Error(`it is ${details.status}`);
      return details.taskId;
    },
    await: async (params = {}, signal) => (await tools.task_await.execute("call", params, signal)).details.results,
    list: async (params = {}) => (await tools.task_list.execute("call", params)).details.tasks,
    terminate: async (...ids) => (await tools.task_terminate.execute("call", { task_ids: ids })).details.results,
    touch: (name) => writeFileSync(join(folder, name), ""),
    written: (taskId, text) => {
      const newest = () => manager.read(taskId.slice("bash:".length), session.getSessionId?.())?.text ?? "";
      return until(() => newest().includes(text), `${taskId} to write \`${text}\``);
    },
    made: (name) => until(() => existsSync(join(folder, name)), `the file \`${name}\``),
    delivered: (workspace) => {
      const got: JobDelivery[] = [];
      manager.subscribe(workspace, (batch) => void got.push(...batch));
      return got;
    },
    as: (workspace, more = {}) => sceneOf({ ...session, getSessionId: () => workspace, ...more }, manager, folder),
  };
}

/** Agents that the test plays: a tree of workspaces, whose reports it gives. */
export class PlayedAgents implements AgentTasks {
  readonly started: AgentStart[] = [];
  readonly terminated: string[] = [];
  readonly #all = new Map<string, AgentTask & { report?: AgentReport; settle: (report: AgentReport) => void }>();
  readonly #waits = new Map<string, Promise<AgentReport>>();

  /** Adds an agent that works in `workspaceId` for `parent`. */
  add(taskId: string, parent: string, status: TaskStatus = "running"): string {
    let settle: (report: AgentReport) => void = () => undefined;
    this.#waits.set(
      taskId,
      new Promise((resolve) => {
        settle = resolve;
      }),
    );
    const task = { taskId, workspaceId: taskId, parentWorkspaceId: parent, status, depth: 0, agentType: "explore" };
    this.#all.set(taskId, { ...task, title: `title of ${taskId}`, createdAtMs: Date.now(), settle });
    return taskId;
  }

  /** Lets an agent report. */
  finish(taskId: string, reportMarkdown: string): void {
    const task = this.#all.get(taskId);
    if (task === undefined) throw new Error(`no agent ${taskId}`);
    task.report = { reportMarkdown };
    task.status = "reported";
    task.settle(task.report);
  }

  async start(request: AgentStart): Promise<{ taskId: string; status: "queued" | "running" }> {
    this.started.push(request);
    return { taskId: this.add(`agent-of-${request.workspaceId}`, request.workspaceId ?? ""), status: "running" };
  }

  descendants(workspaceId: string | undefined): AgentTask[] {
    return [...this.#all.values()].flatMap((task) => {
      const depth = this.#depthBelow(task, workspaceId);
      return depth === undefined ? [] : [{ ...task, depth }];
    });
  }

  depthOf(workspaceId: string | undefined): number {
    let depth = 0;
    for (let at = this.#all.get(workspaceId ?? ""); at !== undefined; depth += 1) {
      at = this.#all.get(at.parentWorkspaceId ?? "");
    }
    return depth;
  }

  waitForReport(taskId: string): Promise<AgentReport> {
    return this.#waits.get(taskId) ?? Promise.reject(new Error("it was never started"));
  }

  reportOf(taskId: string): AgentReport | undefined {
    return this.#all.get(taskId)?.report;
  }

  async terminate(taskId: string): Promise<string[]> {
    const ended = [taskId, ...this.descendants(taskId).map((task) => task.taskId)];
    for (const id of ended) this.#all.delete(id);
    this.terminated.push(...ended);
    return ended;
  }

  #depthBelow(task: AgentTask, workspaceId: string | undefined): number | undefined {
    let depth = 1;
    for (let at: AgentTask | undefined = task; at !== undefined; depth += 1) {
      if (at.parentWorkspaceId === workspaceId) return depth;
      at = this.#all.get(at.parentWorkspaceId ?? "");
    }
    return undefined;
  }
}
