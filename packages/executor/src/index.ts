/** The public names of `@pi-bash/executor`. */
export { ArtifactError, type ArtifactErrorCode } from "./artifacts/address.ts";
export type { ArtifactText } from "./artifacts/read.ts";
export { type ArtifactEntry, ArtifactStore, type ArtifactStoreOptions } from "./artifacts/store.ts";
export type { CommandResult, ExecutorNotice } from "./command-result.ts";
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
  InvalidEnvironmentError,
  ptyEnvironment,
  type WithheldVariable,
} from "./environment/child-environment.ts";
export { NON_INTERACTIVE_ENV } from "./environment/non-interactive.ts";
export { disposeSharedExecutor, executeBash } from "./execute-bash.ts";
export { createExecutor, type Executor, type ExecutorPorts } from "./executor.ts";
export type { SessionPlace } from "./executor-surface.ts";
export { type BashWorkOptions, bashWork } from "./jobs/bash-work.ts";
export type { DeliverySink } from "./jobs/delivery-queue.ts";
export type { FollowOptions, FollowReport } from "./jobs/follow.ts";
export type { ForegroundEnd, ForegroundOptions } from "./jobs/foreground.ts";
export {
  type JobContext,
  type JobDelivery,
  type JobEnd,
  JobLimitError,
  type JobView,
  type JobWork,
} from "./jobs/job.ts";
export type { OwnedJob } from "./jobs/job-entry.ts";
export type { LogSecrets, LogTotals } from "./jobs/job-log.ts";
export { JobManager } from "./jobs/job-manager.ts";
export type { JobNewsItem } from "./jobs/job-news.ts";
export type { JobManagerOptions, JobOptions } from "./jobs/job-options.ts";
export type { JobLook, JobWatch } from "./jobs/job-watch.ts";
export type { LogText } from "./jobs/log-reader.ts";
export type { MonitorMode, MonitorNews, MonitorOptions } from "./jobs/monitor.ts";
export type { MatchedLine } from "./jobs/monitor-reader.ts";
export { type JobMonitors, MonitorLimitError, type MonitorStart } from "./jobs/monitors.ts";
export type { JobReport, PollOptions, PollResult } from "./jobs/poll.ts";
export type { ListeningPort, NativesPort, OutputMask } from "./natives-port.ts";
export type { OutputListener } from "./output/chunk-throttle.ts";
export type {
  LocalPlace,
  OpenedPlace,
  OwnPlace,
  PathKind,
  Place,
  PlaceFacts,
  PlaceFiles,
  Placement,
  RemotePlace,
} from "./places/place.ts";
export type { PlaceTerminal } from "./places/place-terminal.ts";
export { type BashProgress, type BashProgressEnd, runWithProgress } from "./progress.ts";
export { type Confinement, ReadOnlyUnavailableError } from "./read-only/confinement.ts";
export type { ArtifactChoice, UpdateListener } from "./run-sink.ts";
export { SessionFolders } from "./session-folders.ts";
export { ShellConfigError } from "./shell-config.ts";
export { disposeSnapshots, getOrCreateSnapshot } from "./snapshot/shared-snapshot.ts";
export { type SnapshotOptions, type SnapshotOutcome, SnapshotSource } from "./snapshot/snapshot.ts";
export { type OpenTerminalOptions, TerminalUnavailableError } from "./tty/open-terminal.ts";
export type {
  PersonSeat,
  PersonView,
  TaskTerminal,
  TerminalNews,
  TerminalReaderFacts,
  TerminalWait,
} from "./tty/terminal-port.ts";
export { type Backend, findBackend } from "./usable-natives.ts";
export { UserShell, type UserShellOptions } from "./user-shell.ts";
export { WorkingDirectoryError } from "./working-directory.ts";
