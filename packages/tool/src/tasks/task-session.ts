/**
 * What the task tools need of the agent's session besides what the bash tool needs.
 */
import { onAbort } from "@pi-bash/contract/abort";
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
   * Aborted when somebody has said something to the agent: waiting ends, and what runs goes on in the background. Asked
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

/** Waits until the workspace is ready, or nobody wants to wait any more. */
export async function untilReady(session: TaskSession, signal: AbortSignal | undefined): Promise<void> {
  if (session.ready === undefined) return;
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, () => reject(new ToolAbortError()));
  });
  try {
    await Promise.race([session.ready(signal), aborted]);
  } catch (error) {
    if (error instanceof ToolAbortError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`The workspace is not ready: ${reason}`, { cause: error });
  } finally {
    release();
  }
}
