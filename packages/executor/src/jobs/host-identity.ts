/**
 * Whether the host that wrote a job's record still runs: its process, and in it the manager.
 */
import { randomUUID } from "node:crypto";
import { isProcessAlive, ownMark } from "../process-mark.ts";
import type { HostIdentity } from "./job.ts";

/** Managers of this process: a record of one that is gone is that of a dead host. */
const liveInstances = new Set<string>();

/** The identity of a new manager of this process. */
export function enterHost(): HostIdentity {
  const instance = randomUUID();
  liveInstances.add(instance);
  return { ...ownMark(), instance };
}

/** The manager has ended. */
export function leaveHost(identity: HostIdentity): void {
  liveInstances.delete(identity.instance);
}

/** Whether the manager of that identity still runs. */
export function isHostAlive(identity: HostIdentity): boolean {
  if (!isProcessAlive(identity)) return false;
  return identity.pid !== process.pid || liveInstances.has(identity.instance);
}
