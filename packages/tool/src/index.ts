/** The public names of `@pi-bash/tool`. */
export type { PolicyContext, PolicyPort } from "./approvals.ts";
export { type BashTool, createBashTool } from "./bash-tool.ts";
export type {
  ClientBridge,
  ClientExit,
  ClientOutput,
  ClientTerminal,
  CreateTerminalRequest,
} from "./client-bridge.ts";
export type { InternalUrlRouter, InternalUrlSources } from "./internal-urls.ts";
export {
  createJobTool,
  type JobTool,
  type JobToolResult,
  type JobToolUpdate,
  type JobUpdateListener,
} from "./job-tool.ts";
export type { UpdateListener } from "./live-updates.ts";
export type { PtyPort, PtyRequest } from "./pty-port.ts";
export type { BashToolSession, ToolContext } from "./session.ts";
export type { Skill } from "./skill-url.ts";
export type { AgentReport, AgentStart, AgentTask, AgentTasks } from "./tasks/agent-tasks.ts";
export type { AwaitDetails, TaskAwaitTool } from "./tasks/await-tool.ts";
export { cleanUpWorkspace } from "./tasks/clean-up.ts";
export type { TaskTool, TaskToolResult } from "./tasks/define-tool.ts";
export type { ListDetails, TaskListTool } from "./tasks/list-tool.ts";
export type { SendDetails, TaskSendTool } from "./tasks/send-tool.ts";
export { fromBashTaskId, isBashTaskId, toBashTaskId } from "./tasks/task-id.ts";
export type { TaskSession } from "./tasks/task-session.ts";
export type { StartTaskTool } from "./tasks/task-tool.ts";
export { type AnyTool, createTaskTools, type TaskTools, type ToolChoice, toolsForModel } from "./tasks/task-tools.ts";
export type { TaskTerminateTool, TerminateDetails } from "./tasks/terminate-tool.ts";
export { ToolAbortError, ToolError, type ToolErrorOptions } from "./tool-error.ts";
