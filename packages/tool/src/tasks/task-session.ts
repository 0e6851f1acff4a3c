/**
 * What the task tools need of the agent's session besides what the bash tool needs.
 */
import { settled, unlessAborted } from "@pi-bash/contract/internal/wait";
import type { JobManager } from "@pi-bash/executor";
import type { BashToolSession } from "../session.ts";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import type { AgentTasks } from "./agent-tasks.ts";

/** A session with tasks. `getSessionId` is its workspace; `asyncJobManager` has its commands. */
export interface TaskSession extends BashToolSession {
  /** Absent: commands are the only tasks. */
  readonly agentTasks?: AgentTasks | undefined;
  /** Resolves when commands can run in the workspace; every task tool waits for it. Default: they can. */
  ready?(signal?: AbortSignal): Promise<void>;
  /**
   * Aborted when someone has said something to the agent: waiting ends, and what runs goes on in the background. Asked
   * for at each call, since a message is queued only once.
   */
  queuedMessage?(): AbortSignal | undefined;
}

/** Who reads and owns, for a session without an id. */
export function workspaceOf(session: TaskSession): string | undefined {
  return session.getSessionId?.();
}

/** The jobs of a session. Throws `ToolError` where it has none. */
export function jobsOf(session: TaskSession): JobManager {
  const { asyncJobManager } = session;
  if (asyncJobManager === undefined) throw new ToolError("Async job manager unavailable for this session.");
  return asyncJobManager;
}

/** Waits until the workspace is ready, or no one wants to wait any more. */
export async function untilReady(session: TaskSession, signal: AbortSignal | undefined): Promise<void> {
  if (session.ready === undefined) return;
  const begun = settled(async () => session.ready?.(signal));
  const ready = await unlessAborted(begun, signal);
  if (ready === "aborted") throw new ToolAbortError();
  if (ready.kind === "value") return;
  if (ready.error instanceof ToolAbortError) throw ready.error;
  const reason = ready.error instanceof Error ? ready.error.message : String(ready.error);
  throw new ToolError(`The workspace is not ready: ${reason}`, { cause: ready.error });
}
