/**
 * The names of what a session has for the tools, so that a misspelt one is refused instead of being left out.
 */
import { type OptionNames, refuseMisspeltOptions } from "@pi-bash/contract/internal";
import type { TaskSession } from "./tasks/task-session.ts";

const NAMES: OptionNames<TaskSession> = {
  commandEnv: true,
  cwd: true,
  settings: true,
  executor: true,
  place: true,
  toolNames: true,
  asyncJobManager: true,
  pty: true,
  internalUrls: true,
  policy: true,
  hostEnv: true,
  getSessionId: true,
  allocateOutputArtifact: true,
  approve: true,
  policyContext: true,
  onTimeout: true,
  getClientBridge: true,
  callerGone: true,
  warn: true,
  agentTasks: true,
  ready: true,
  queuedMessage: true,
  keepsState: true,
};

/** Refuses what looks like a misspelt property of a session. Others are the host's own: it may have more in it. */
export function checkSession(taker: string, session: object): void {
  refuseMisspeltOptions(taker, session, NAMES);
}
