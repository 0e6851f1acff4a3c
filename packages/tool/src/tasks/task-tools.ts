/**
 * The task tools of a session, and which tools a model is given.
 *
 * Two families do the same work: `bash` with `job`, and `task_*`. A model that has both uses both, badly; so a host
 * chooses one, and the older names for background commands are given only where a host asks for them.
 */
import { type BashTool, createBashTool } from "../bash-tool.ts";
import { createJobTool, type JobTool } from "../job-tool.ts";
import { checkSession } from "../session-names.ts";
import { createAwaitTool, type TaskAwaitTool } from "./await-tool.ts";
import { createLegacyTools, type LegacyTools } from "./legacy-tools.ts";
import { createListTool, type TaskListTool } from "./list-tool.ts";
import { createSendTool, type TaskSendTool } from "./send-tool.ts";
import type { TaskSession } from "./task-session.ts";
import { createTaskTool, type StartTaskTool } from "./task-tool.ts";
import { createTerminateTool, type TaskTerminateTool } from "./terminate-tool.ts";

/** The tools for tasks, by name. */
export interface TaskTools {
  task: StartTaskTool;
  task_await: TaskAwaitTool;
  task_list: TaskListTool;
  task_send: TaskSendTool;
  task_terminate: TaskTerminateTool;
}

/** Any tool of this package. */
export type AnyTool = BashTool | JobTool | TaskTools[keyof TaskTools] | LegacyTools[keyof LegacyTools];

/** Which tools a model is given. */
export interface ToolChoice {
  /** `task` (default): `task`, `task_await`, `task_list`, `task_send`, `task_terminate`. `bash`: `bash`, and `job` where there are jobs. */
  family?: "task" | "bash";
  /** Whether `bash_output`, `bash_background_list` and `bash_background_terminate` are among them. Default false. */
  withLegacy?: boolean;
}

/** Makes the task tools. The session's ports are read at each call. */
export function createTaskTools(session: TaskSession): TaskTools {
  checkSession("createTaskTools", session);
  return {
    task: createTaskTool(session),
    task_await: createAwaitTool(session),
    task_list: createListTool(session),
    task_send: createSendTool(session),
    task_terminate: createTerminateTool(session),
  };
}

/**
 * The tools that a model is given, in the order it reads them.
 *
 * ```ts
 * import { createExecutor, JobManager } from "@pi-bash/executor";
 * import { toolsForModel } from "@pi-bash/tool";
 *
 * const executor = createExecutor();
 * const jobs = await JobManager.open({ artifacts: executor.artifacts });
 * const session = { cwd: process.cwd(), executor, asyncJobManager: jobs, getSessionId: () => "agent-1" };
 * console.log(toolsForModel(session).map(({ name }) => name)); // task, task_await, task_list, task_send, task_terminate
 * await jobs.dispose();
 * await executor.dispose();
 * ```
 */
export function toolsForModel(
  session: TaskSession,
  { family = "task", withLegacy = false }: ToolChoice = {},
): AnyTool[] {
  const legacy = withLegacy ? Object.values(createLegacyTools(session)) : [];
  if (family === "task") return [...Object.values(createTaskTools(session)), ...legacy];
  const jobs = session.asyncJobManager === undefined ? [] : [createJobTool(session)];
  return [createBashTool(session), ...jobs, ...legacy];
}
