/**
 * A process as no other process is it: its number and its start, for records that outlive their writers.
 *
 * A process number is used again after its process; its start time is not. On systems without `/proc` the number alone
 * decides: a record may then be taken for alive a while longer, never for dead too early.
 */
import { readFileSync } from "node:fs";

/** The mark of a process. */
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
