/**
 * Whether processes are there, by their ids. Who carries a mark is in `tag.ts`.
 */
import { until } from "./patience.ts";

/** Whether there is such a process; one that has ended and that no one has waited for counts, too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until there is no such process any more. */
export async function untilGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, () => !isAlive(pid));
}
