/** The public names of `@pi-bash/executor`. */
export {
  type ArtifactAddress,
  ArtifactError,
  type ArtifactErrorCode,
  type ArtifactSelection,
  parseArtifactAddress,
} from "./artifacts/address.ts";
export { makeFolders, PrivateFolderError } from "./artifacts/private-folder.ts";
export type { ArtifactText } from "./artifacts/read.ts";
export { type ArtifactEntry, ArtifactStore, type ArtifactStoreOptions } from "./artifacts/store.ts";
export { ANNOTATIONS, type CommandResult, DEFAULT_TIMEOUT_MS, type ExecutorNotice } from "./command-result.ts";
export type { ExecuteBashOptions } from "./command-run.ts";
export { type Console, type ConsolePorts, type ConsoleRequest, createConsole } from "./console/console.ts";
export type {
  ConsoleControls,
  ConsoleView,
  OpenConsoleView,
  PtyDevice,
  PtyEnd,
  PtyStart,
} from "./console/console-port.ts";
export type { TimeoutDecision } from "./deadline.ts";
export {
  type ChildEnvironment,
  checkCommandEnv,
  childEnvironment,
  InvalidEnvironmentError,
  ptyEnvironment,
  type WithheldVariable,
} from "./environment/child-environment.ts";
export { NON_INTERACTIVE_ENV, nonInteractiveEnv } from "./environment/non-interactive.ts";
export { disposeSharedExecutor, executeBash } from "./execute-bash.ts";
export { createExecutor, type Executor, type ExecutorPorts } from "./executor.ts";
export { guardListener, warnAboutListener } from "./host-listener.ts";
export { type BashWorkOptions, bashWork } from "./jobs/bash-work.ts";
export type { DeliverySink } from "./jobs/delivery-queue.ts";
export type { FollowOptions, FollowReport } from "./jobs/follow.ts";
export { type ForegroundEnd, type ForegroundOptions, foregroundWaitMs } from "./jobs/foreground.ts";
export {
  type JobContext,
  type JobDelivery,
  type JobEnd,
  JobLimitError,
  type JobView,
  type JobWork,
} from "./jobs/job.ts";
export type { OwnedJob } from "./jobs/job-entry.ts";
export type { LogTotals } from "./jobs/job-log.ts";
export { JobManager } from "./jobs/job-manager.ts";
export type { JobManagerOptions, JobOptions } from "./jobs/job-options.ts";
export { endedText, jobLabel, listLine, MAX_DELIVERED_CHARS, startedText } from "./jobs/job-texts.ts";
export { type LogFilter, type LogText, logFilter } from "./jobs/log-reader.ts";
export type { JobReport, PollOptions, PollResult } from "./jobs/poll.ts";
export type { NativesPort } from "./natives-port.ts";
export type { OutputListener } from "./output/chunk-throttle.ts";
export { withinLines } from "./output/line-window.ts";
export { TailBuffer } from "./output/tail-buffer.ts";
export { type BashProgress, type BashProgressEnd, PROGRESS_LINES, runWithProgress } from "./progress.ts";
export { PROJECT_RULES, type RuleFile, readRuleFile } from "./rule-files.ts";
export type { ArtifactChoice, UpdateListener } from "./run-sink.ts";
export { SessionFolders } from "./session-folders.ts";
export { DEFAULT_MAX_IDLE_SESSIONS } from "./sessions/session-pool.ts";
export { type ShellConfig, ShellConfigError, shellConfig } from "./shell-config.ts";
export { disposeSnapshots, getOrCreateSnapshot } from "./snapshot/shared-snapshot.ts";
export { SNAPSHOT_BUDGET_MS, type SnapshotOptions, type SnapshotOutcome, SnapshotSource } from "./snapshot/snapshot.ts";
export { type Backend, findBackend } from "./usable-natives.ts";
export { UserShell, type UserShellOptions } from "./user-shell.ts";
