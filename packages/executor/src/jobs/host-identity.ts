/**
 * Tells whether the host that wrote a job's record still runs.
 *
 * A process number is used again after its process; its start time is not. On systems without `/proc` the number alone
 * decides: a record may then be taken for alive a while longer, never for dead too early.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HostIdentity } from "./job.ts";

/** A process as no other process is it, with its start. */
export interface HostMark {
  readonly pid: number;
  /** Empty where the system does not say. */
  readonly startTime: string;
}

/** The mark of this process. */
export function ownMark(): HostMark {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
}

/** Whether the process of that mark runs. */
export function isProcessAlive({ pid, startTime }: HostMark): boolean {
  const found = startTimeOf(pid);
  return found === undefined ? doesExist(pid) : found === startTime;
}

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

/** Field 22 of `/proc/<pid>/stat` and the boot it counts from; absent where there is no such file. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${fields[19] ?? ""}`;
  } catch {
    return undefined;
  }
}

function doesExist(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
