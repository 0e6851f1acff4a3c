/**
 * Notifies the owner of a task on a terminal: once for each prompt that its program waits at, and when a person hands it back.
 *
 * An owner who looks at the task reads it there; a prompt that was answered before it was delivered is taken back.
 */
import type { JobManager, TaskTerminal } from "@pi-bash/executor";
import { toBashTaskId } from "./task-id.ts";
import { waitingNews } from "./tty-report.ts";

const WAITING = "waiting";
const HOLDER = "holder";

/** Notifies from now on, until the program has ended. */
export function notifyOwner(manager: JobManager, jobId: string, terminal: TaskTerminal): void {
  const taskId = toBashTaskId(jobId);
  let heldSinceMs: number | undefined;
  const look = (): void => {
    if (terminal.isOver) {
      off();
      manager.withdraw(jobId, WAITING);
      return;
    }
    if (terminal.holder === "person") heldSinceMs ??= performance.now();
    else if (heldSinceMs !== undefined) {
      const seconds = Math.round((performance.now() - heldSinceMs) / 1_000);
      heldSinceMs = undefined;
      manager.announce(jobId, { key: HOLDER, text: `A person handed ${taskId} back after ${seconds} s.` });
    }
    tellOfWaiting();
  };
  const tellOfWaiting = (): void => {
    if (terminal.waiting?.certain !== true) {
      manager.withdraw(jobId, WAITING);
      return;
    }
    if (terminal.isAttended || terminal.reportedPrompt === terminal.prompt || terminal.holder === "person") return;
    const text = waitingNews(taskId, terminal);
    if (text === undefined) return;
    terminal.reportedPrompt = terminal.prompt;
    manager.announce(jobId, { key: WAITING, text });
  };
  const off = terminal.onChange(look);
  look();
}
