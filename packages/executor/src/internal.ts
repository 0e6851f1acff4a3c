/**
 * Names of `@pi-bash/executor` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/executor`.
 */
export { type ArtifactAddress, type ArtifactSelection, parseArtifactAddress } from "./artifacts/address.ts";
export {
  createPrivateFile,
  ensurePrivateFolder,
  makeFolders,
  PrivateFolderError,
  randomName,
} from "./artifacts/private-folder.ts";
export { makeTemporaryFolder } from "./artifacts/temporary-folder.ts";
export { ANNOTATIONS, DEFAULT_TIMEOUT_MS } from "./command-result.ts";
export { checkCommandEnv, childEnvironment } from "./environment/child-environment.ts";
export { nonInteractiveEnv } from "./environment/non-interactive.ts";
export { guardListener, warnAboutListener } from "./host-listener.ts";
export { foregroundWaitMs } from "./jobs/foreground.ts";
export { endedText, jobLabel, listLine, MAX_DELIVERED_CHARS, portsNote, startedText } from "./jobs/job-texts.ts";
export { type LogFilter, logFilter } from "./jobs/log-reader.ts";
export { withinLines } from "./output/line-window.ts";
export { TailBuffer } from "./output/tail-buffer.ts";
export { type HostMark, isProcessAlive, ownMark } from "./process-mark.ts";
export { PROGRESS_LINES } from "./progress.ts";
export { READ_ONLY_ENV } from "./read-only/read-only-environment.ts";
export { PROJECT_RULES, type RuleFile, readRuleFile } from "./rule-files.ts";
export { maskResult } from "./secrets.ts";
export { DEFAULT_MAX_IDLE_SESSIONS } from "./sessions/session-pool.ts";
export { type ShellConfig, shellConfig } from "./shell-config.ts";
export { SNAPSHOT_BUDGET_MS } from "./snapshot/snapshot.ts";
export { type TerminalWorkOptions, terminalWork } from "./tty/terminal-work.ts";
export { checkFarDirectory, checkWorkingDirectory } from "./working-directory.ts";
