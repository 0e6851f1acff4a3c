/**
 * What is left of a workspace that is gone: its commands are ended, and its shell with everything in it.
 */
import { TASK_TERMINATE_MS } from "@pi-bash/contract/internal";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession } from "./task-session.ts";

/** Ends all of it. Ids of the tasks that are not gone after the bound. Fine any number of times. */
export async function cleanUpWorkspace(
  session: TaskSession,
  workspaceId: string,
  boundMs: number = TASK_TERMINATE_MS,
): Promise<string[]> {
  const manager = jobsOf(session);
  const left = await manager.cancelAndReap(workspaceId, boundMs);
  const ended = manager.listAll((owner) => owner === workspaceId);
  // Ended ones may have left processes behind.
  await Promise.all(
    ended.filter(({ job }) => job.survivors !== undefined).map(({ job }) => manager.terminate(job.id, boundMs)),
  );
  await session.executor.closeSession(workspaceId);
  return left.map(toBashTaskId);
}
