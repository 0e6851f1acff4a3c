/**
 * The names of what an executor is given, for the refusal of others: the compiler holds each list to its type.
 */
import { Settings } from "@pi-bash/contract";
import { type OptionNames, refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { ExecuteBashOptions } from "./command-run.ts";
import type { ExecutorPorts } from "./executor.ts";

const PORTS: OptionNames<ExecutorPorts> = {
  natives: true,
  place: true,
  placement: true,
  hostEnv: true,
  artifacts: true,
  cwd: true,
  maxIdleSessions: true,
  usesSnapshot: true,
  snapshotBudgetMs: true,
  graceMs: true,
  configName: true,
};

const CALL: OptionNames<ExecuteBashOptions> = {
  cwd: true,
  env: true,
  timeoutMs: true,
  signal: true,
  sessionKey: true,
  placeKey: true,
  onTurn: true,
  onPorts: true,
  onChunk: true,
  onUpdate: true,
  artifact: true,
  overlap: true,
  readOnly: true,
  isEphemeral: true,
  backgrounded: true,
  isFollowed: true,
  onTimeout: true,
  lifetimeMs: true,
  mayMinimize: true,
  window: true,
};

/** Refuses settings and ports that there are not. A host hands its whole configuration over by `Settings.parse`. */
export function checkExecutorOptions(settings: object, ports: object): void {
  refuseUnknownOptions("createExecutor", settings, Settings.shape);
  refuseUnknownOptions("createExecutor", ports, PORTS);
}

/** Refuses options of a command that there are not. */
export function checkCallOptions(options: object): void {
  refuseUnknownOptions("executeBash", options, CALL);
}
