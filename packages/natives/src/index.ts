/** The public names of `@pi-bash/natives`. */
export type {
  LimitMet,
  LostWithShell,
  ProcessInfo,
  ResourceLimits,
  SandboxOptions,
  SandboxReport,
} from "@pi-bash/contract";
export { type AddonInfo, addonInfo } from "./binding.ts";
export {
  type Capabilities,
  capabilities,
  type DriverInfo,
  driverInfo,
  type ReadOnlyCapability,
} from "./capabilities.ts";
export {
  explainMinimizer,
  type Invocation,
  type MinimizerExplanation,
  type MinimizerOptions,
  type MinimizerResult,
  type MinimizerStage,
  minimizeOutput,
  minimizeOutputAsync,
  verifyMinimizerRules,
} from "./minimizer.ts";
export { type LoadAttempt, NativeLoadError } from "./native-load-error.ts";
export { OutputSink, type OutputSinkOptions } from "./output-sink.ts";
export { type ListeningPort, listeningPorts, portHolder } from "./ports.ts";
export {
  type PtyArgvStartOptions,
  type PtyOptions,
  type PtyRunResult,
  PtySession,
  type PtyStartOptions,
  type StartListener,
} from "./pty-session.ts";
export type { OutputSummary, ReadOnlyReport, ShellRunResult } from "./run-result.ts";
export {
  type MaskedText,
  SecretMask,
  type SecretMaskOptions,
  type SecretMaskStream,
  type SecretValue,
} from "./secret-mask.ts";
export { type ChunkListener, executeShell, Shell } from "./shell.ts";
export { ShellError, type ShellErrorCode } from "./shell-error.ts";
export {
  MAX_TIMEOUT_MS,
  type ShellExecuteOptions,
  type ShellOptions,
  type ShellRunOptions,
} from "./shell-options.ts";
export type { SinkOptions, SinkUpdateListener } from "./sink-options.ts";
