/**
 * `task_send`: types to a task on a terminal, and answers with what came of it.
 *
 * Everything about a call is checked, and whether it may be typed is judged, before anything of it is done. What is sent goes in
 * one order (size, signal, text, Enter, keys), and calls for one task take turns, so that what they send never interleaves.
 */
import { type TaskAwaitEntry, TaskSendParams } from "@pi-bash/contract";
import { DEFAULT_SEND_WAIT_SECONDS, outputWindow } from "@pi-bash/contract/internal";
import type { TaskTerminal } from "@pi-bash/executor";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import { entryOf } from "./await-wait.ts";
import { answer, defineTool, type TaskCall, type TaskTool } from "./define-tool.ts";
import { awaitText, oneLine } from "./report.ts";
import { openScope } from "./scope.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";
import { endedText, isSameScreen } from "./tty-report.ts";
import { checkHolder, heldText, sendInTurn, sendingOf } from "./tty-send.ts";
import { watchTerminal } from "./tty-task.ts";

/** What `task_send` answers. */
export interface SendDetails {
  /** The task, as it stands when the answer comes. */
  result: TaskAwaitEntry;
}
/** The tool `task_send`. */
export type TaskSendTool = TaskTool<"task_send", TaskSendParams, SendDetails>;

/** Makes the tool. */
export function createSendTool(session: TaskSession): TaskSendTool {
  return defineTool(session, {
    name: "task_send",
    label: "Type to a task",
    description: () => SEND_PROMPT,
    parameters: () => TaskSendParams,
    run: (call) => send(session, call),
  });
}

const SEND_PROMPT = [
  "Types to a task on a terminal (`tty: true`) and returns what is new on it, as soon as its program waits for input again or has ended.",
  '- `text` is typed and Enter pressed: `{"task_id":"bash:bg_1","text":"y"}`. `enter: false` leaves Enter out, as in an editor.',
  '- `keys` are pressed after it, by name: `{"keys":["Escape"]}`, `["Ctrl-C"]`, `["Down","Enter"]`. `size` and `signal` come before it.',
  "- Of a full-screen program the screen is returned. No sleeping and no polling: `wait_secs` (10) is the longest wait.",
  "- Passwords are typed by a person.",
].join("\n");

async function send(session: TaskSession, { params, signal, settings }: TaskCall<TaskSendParams>) {
  const sending = sendingOf(params);
  const { taskId, jobId, terminal } = await find(session, params.task_id);
  const notes = await sendInTurn(session, { taskId, terminal, sending, settings, signal });
  const manager = jobsOf(session);
  const queued = session.queuedMessage?.();
  const { maxBytes, maxLines } = outputWindow(settings);
  const report = await watchTerminal(session, manager, {
    jobId,
    terminal,
    timeoutMs: Math.round((params.wait_secs ?? DEFAULT_SEND_WAIT_SECONDS) * 1_000),
    stops: [signal, queued].filter((one) => one !== undefined),
    maxBytes,
    maxLines,
  });
  if (report === undefined) throw new ToolError(`Task not found: ${oneLine(taskId)}.`);
  if (signal?.aborted) {
    report.release();
    throw new ToolAbortError("Waiting was aborted; what was sent is typed, and the task goes on.");
  }
  if (terminal.holder === "person") {
    report.release();
    throw new ToolError(heldText(taskId));
  }
  const result = entryOf(taskId, report, { terminal, filter: undefined, maxBytes, maxLines }, Date.now());
  report.commit();
  const text = awaitText(result, { maxBytes, maxLines }, isKnown(session, terminal, result));
  return answer([...notes, text].join("\n"), { result });
}

function isKnown(session: TaskSession, terminal: TaskTerminal, entry: TaskAwaitEntry): boolean {
  if (entry.status !== "running" || entry.screen === undefined) return false;
  return isSameScreen(terminal, workspaceOf(session) ?? "", entry.screen);
}

/** The task's terminal. Throws `ToolError` where it cannot be typed to. */
async function find(
  session: TaskSession,
  id: string,
): Promise<{ taskId: string; jobId: string; terminal: TaskTerminal }> {
  const scope = await openScope(session);
  const task = scope.find(id);
  if (task.kind === "not_found") {
    const active = scope.activeIds().slice(0, 50);
    const hint = active.length === 0 ? "" : ` Active tasks: ${active.join(", ")}.`;
    throw new ToolError(`Task not found: ${oneLine(task.taskId)}.${hint}`);
  }
  if (task.kind === "invalid_scope") {
    throw new ToolError(`Task ${oneLine(task.taskId)} belongs to a workspace that is not below this one.`);
  }
  const { taskId } = task;
  if (task.kind === "agent") throw new ToolError(`${taskId} is an agent and has no terminal.`);
  const { job } = task.owned;
  if (job.endedAtMs !== undefined) throw new ToolError(endedText(taskId, job, Date.now()));
  const terminal = jobsOf(session).terminal(job.id);
  if (terminal === undefined) {
    throw new ToolError(`${taskId} has no terminal: its input is empty. Start it with \`tty: true\`.`);
  }
  if (terminal.isOver) throw new ToolError(`${taskId} has ended.`);
  checkHolder(taskId, terminal);
  return { taskId, jobId: job.id, terminal };
}
