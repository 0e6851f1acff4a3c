/** The public names of `@pi-bash/contract`. */
export { ARTIFACT_ID_PATTERN, ArtifactAllocation, ArtifactKind } from "./artifact.ts";
export { BashParams, type BashParamsSchema } from "./bash-params.ts";
export { BashResult, LostWithShell, MaskedSecrets } from "./bash-result.ts";
export { CallRefusal, RefusalReason, UnaskedKind } from "./decision.ts";
export { displayText } from "./display-text.ts";
export { InterceptorRule } from "./interceptor-rule.ts";
export { AsyncDetails, Job, JobDetails, JobParams, JobState, ReportedJob } from "./job.ts";
export { jsonSchemaOf } from "./json-schema.ts";
export {
  DEFAULT_ARTIFACT_MAX_AGE_MS,
  DEFAULT_ARTIFACT_MAX_BYTES,
  DEFAULT_ARTIFACT_QUOTA_BYTES,
  DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_JOBS,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_OUTPUT_BYTES,
  MAX_TASK_SECONDS,
  MAX_TIMEOUT_SECONDS,
  MIN_OUTPUT_BYTES,
  MIN_OUTPUT_LINES,
  MIN_TIMEOUT_SECONDS,
} from "./limits.ts";
export { ExitOutcome, InputWanted, ProcessInfo, ResourceUsage, StopReason } from "./outcome.ts";
export { outputText } from "./output-text.ts";
export type { OutputWindow, OutputWindowSettings } from "./output-window.ts";
export type { QuietTerminal, TerminalProgram, TerminalReader } from "./quiet-terminal.ts";
export {
  ReadOnlyEnforced,
  ReadOnlyFirstRun,
  ReadOnlyOutcome,
  ReadOnlyUnenforced,
} from "./read-only.ts";
export { RpcRequest } from "./rpc.ts";
export {
  LimitMet,
  ResourceLimits,
  SandboxBackend,
  SandboxMode,
  SandboxNetwork,
  SandboxNetworkRefusal,
  SandboxNetworkRules,
  SandboxOptions,
  SandboxOutcome,
  SandboxPlant,
  SandboxPlantKind,
  SandboxRefusal,
  SandboxRefusalKind,
  SandboxReport,
} from "./sandbox.ts";
export {
  ServiceReady,
  ServiceState,
  ServiceTaskParams,
  TaskPort,
  WatchMode,
} from "./service-task.ts";
export { Settings, type SettingsInput } from "./settings.ts";
export {
  AgentTaskParams,
  BashBackgroundListParams,
  BashBackgroundTerminateParams,
  BashOutputParams,
  BashTaskParams,
  CommandTaskParams,
  type ParameterSchema,
  TaskAwaitEntry,
  TaskAwaitParams,
  TaskListEntry,
  TaskListParams,
  TaskParams,
  TaskResult,
  TaskStatus,
  TaskTerminateEntry,
  TaskTerminateParams,
  TaskTruncation,
} from "./task.ts";
export { TaskScreen, TaskSendParams, TaskSignal, TaskWaiting, TaskWaitingKind } from "./terminal-task.ts";
export { BashDetails, BashToolResult, BashToolUpdate, OutputMeta, TextContent } from "./tool-result.ts";
export { LineRange, Truncation } from "./truncation.ts";
export { NotAnObjectError, UnknownOptionError } from "./unknown-option.ts";
