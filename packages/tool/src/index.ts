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
export {
  type ExpansionOptions,
  expandCwd,
  expandEnvValue,
  expandInternalUrls,
  type InternalUrlRouter,
  type InternalUrlSources,
} from "./internal-urls.ts";
export { createJobTool, type JobTool, type JobToolResult } from "./job-tool.ts";
export type { UpdateListener } from "./live-updates.ts";
export type { PtyPort, PtyRequest } from "./pty-port.ts";
export type { BashToolSession, ToolContext } from "./session.ts";
export type { Skill } from "./skill-url.ts";
export { type CallTimeout, clampTimeout } from "./timeout.ts";
export { ToolAbortError, ToolError, type ToolErrorOptions } from "./tool-error.ts";
