/**
 * Names of `@pi-bash/contract` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/contract`.
 */
export { artifactUrl } from "./artifact.ts";
export { type BashAbilities, BashParamsWithAsync, bashParams, ENV_NAME_PATTERN } from "./bash-params.ts";
export { type CheckedValue, checkedValue, type ValueNames } from "./checked-value.ts";
export { displayLine, type KeepsCharacter, writeOutHidden } from "./display-text.ts";
export {
  HOST_PROTOCOL,
  HostAnswer,
  HostRequest,
  HostSeat,
  HostSessionName,
  HostWindow,
  KeptEntry,
  parseHostAnswer,
  parseHostRequest,
} from "./host.ts";
export { shortLine } from "./issue-text.ts";
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
  DEFAULT_MINIMIZER_CAPTURE_BYTES,
  DEFAULT_PTY_COLUMNS,
  DEFAULT_PTY_ROWS,
  DEFAULT_TASK_AWAIT_SECONDS,
  HARD_TIMEOUT_GRACE_MS,
  INLINE_SLACK_BYTES,
  JOB_CONSUMED_RETENTION_MS,
  JOB_RETENTION_MS,
  MAX_JOB_LABEL_CHARS,
  MAX_RULE_FILE_BYTES,
  MAX_SHOWN_LINE_BYTES,
  PTY_COLUMNS_RANGE,
  PTY_ROWS_RANGE,
  RESULT_PREVIEW_LINES,
  TASK_RETENTION_MS,
  TASK_TERMINATE_MS,
  UPDATE_INTERVAL_MS,
} from "./limits.ts";
export { nearestNames } from "./nearest-names.ts";
export { outputWindow } from "./output-window.ts";
export { parseRpcRequest } from "./rpc.ts";
export { DEFAULT_READY_SECONDS, MAX_SERVICES } from "./service-task.ts";
export { BASH_TASK_PREFIX } from "./task.ts";
export {
  DEFAULT_SEND_WAIT_SECONDS,
  MAX_HIGHLIGHTED,
  MAX_PROMPT_CHARS,
  MAX_SCREEN_BYTES,
} from "./terminal-task.ts";
export { type OptionNames, refuseMisspeltOptions, refuseUnknownOptions, type UnknownOption } from "./unknown-option.ts";
