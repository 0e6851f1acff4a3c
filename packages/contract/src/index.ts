/** The public names of `@pi-bash/contract`. */
export { ARTIFACT_ID_PATTERN, ArtifactAllocation, ArtifactKind, artifactUrl } from "./artifact.ts";
export {
  type BashAbilities,
  BashParams,
  type BashParamsSchema,
  BashParamsWithAsync,
  bashParams,
  ENV_NAME_PATTERN,
} from "./bash-params.ts";
export { BashResult, LostWithShell } from "./bash-result.ts";
export { type CheckedValue, checkedValue, type ValueNames } from "./checked-value.ts";
export { CallRefusal, RefusalReason, UnaskedKind } from "./decision.ts";
export { displayLine, displayText, type KeepsCharacter, writeOutHidden } from "./display-text.ts";
export { InterceptorRule } from "./interceptor-rule.ts";
export { shortLine } from "./issue-text.ts";
export { AsyncDetails, Job, JobDetails, JobParams, JobState, ReportedJob } from "./job.ts";
export { jsonSchemaOf } from "./json-schema.ts";
export { type JsonPath, type JsonSource, jsonPathText, readJson, type TextPlace } from "./json-source.ts";
export {
  ASSISTANT_BLOCKING_BUDGET_MS,
  AUTO_BACKGROUND_MARGIN_MS,
  BANG_LINE_CHARS,
  BANG_PREVIEW_LINES,
  CLIENT_TERMINAL_FINAL_OUTPUT_MS,
  CLIENT_TERMINAL_POLL_MS,
  CLIENT_TERMINAL_SIGNAL_EXIT_CODE,
  CLIENT_TERMINAL_STOP_MS,
  DEFAULT_ARTIFACT_MAX_AGE_MS,
  DEFAULT_ARTIFACT_MAX_BYTES,
  DEFAULT_ARTIFACT_QUOTA_BYTES,
  DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_JOBS,
  DEFAULT_MINIMIZER_CAPTURE_BYTES,
  DEFAULT_PTY_COLUMNS,
  DEFAULT_PTY_ROWS,
  DEFAULT_TASK_AWAIT_SECONDS,
  DEFAULT_TIMEOUT_SECONDS,
  HARD_TIMEOUT_GRACE_MS,
  INLINE_SLACK_BYTES,
  JOB_CONSUMED_RETENTION_MS,
  JOB_RETENTION_MS,
  MAX_JOB_LABEL_CHARS,
  MAX_OUTPUT_BYTES,
  MAX_RULE_FILE_BYTES,
  MAX_SHOWN_LINE_BYTES,
  MAX_TASK_SECONDS,
  MAX_TIMEOUT_SECONDS,
  MIN_OUTPUT_BYTES,
  MIN_OUTPUT_LINES,
  MIN_TIMEOUT_SECONDS,
  PTY_COLUMNS_RANGE,
  PTY_ROWS_RANGE,
  RESULT_PREVIEW_LINES,
  TASK_RETENTION_MS,
  TASK_TERMINATE_MS,
  UPDATE_INTERVAL_MS,
} from "./limits.ts";
export { nearestNames } from "./nearest-names.ts";
export { ExitOutcome, ProcessInfo, StopReason } from "./outcome.ts";
export { outputText } from "./output-text.ts";
export { type OutputWindow, type OutputWindowSettings, outputWindow } from "./output-window.ts";
export { parseRpcRequest, RpcRequest } from "./rpc.ts";
export {
  LimitMet,
  ResourceLimits,
  SandboxBackend,
  SandboxMode,
  SandboxOptions,
  SandboxOutcome,
  SandboxPlant,
  SandboxPlantKind,
  SandboxRefusal,
  SandboxRefusalKind,
  SandboxReport,
} from "./sandbox.ts";
export { Settings, type SettingsInput } from "./settings.ts";
export {
  AgentTaskParams,
  BASH_TASK_PREFIX,
  BashBackgroundListParams,
  BashBackgroundTerminateParams,
  BashOutputParams,
  BashTaskParams,
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
export { BashDetails, BashToolResult, BashToolUpdate, OutputMeta, TextContent } from "./tool-result.ts";
export { LineRange, Truncation } from "./truncation.ts";
export {
  NotAnObjectError,
  type OptionNames,
  refuseMisspeltOptions,
  refuseUnknownOptions,
  type UnknownOption,
  UnknownOptionError,
} from "./unknown-option.ts";
