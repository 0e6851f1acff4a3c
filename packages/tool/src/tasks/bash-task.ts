/**
 * A command as a task: started in the background, or waited for until it ends or blocks its agent too long.
 *
 * It goes through the same checks and the same engine as a call of the bash tool; only who waits how long is another
 * matter. In the foreground it has the session's shell, in the background one of its own.
 */
import { type BashTaskParams, MAX_TASK_SECONDS, MIN_TIMEOUT_SECONDS, type TaskResult } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import type { JobView } from "@pi-bash/executor";
import { checkSandbox, runOnClientTerminal } from "../bash-tool.ts";
import type { CallScene } from "../command-run.ts";
import { describeResult, type FinishedRun } from "../describe-result.ts";
import { liveUpdates } from "../live-updates.ts";
import { runManaged, startManaged } from "../managed-job.ts";
import { type PreparedCall, prepareCall } from "../prepared-call.ts";
import type { CallTimeout } from "../timeout.ts";
import { ToolAbortError } from "../tool-error.ts";
import { blockingBudgetMs } from "./auto-background.ts";
import { answer, type TaskCall, type TaskToolResult } from "./define-tool.ts";
import { fenced, leftOutNote, oneLine } from "./report.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";
import { runTerminalTask } from "./tty-task.ts";

/** Output shown when a command goes to the background, in bytes. */
const SHOWN_BYTES = 8 * 1024;

/** Runs or starts the command of a call. */
export async function runBashTask(
  session: TaskSession,
  params: BashTaskParams,
  task: TaskCall<unknown>,
): Promise<TaskToolResult<TaskResult>> {
  const { signal, onUpdate, settings } = task;
  const manager = jobsOf(session);
  const isBackground = params.run_in_background === true;
  const asked = {
    command: params.script,
    description: params.display_name,
    async: isBackground || params.tty === true,
    ...(params.unconfined === undefined ? {} : { unconfined: params.unconfined }),
  };
  // A task may go to the background whether or not calls of the bash tool may.
  const allowed = { ...settings, "async.enabled": true };
  const isTerminal = params.tty === true;
  const prepared = await prepareCall(asked, allowed, session, { ...task.context, signal, isTerminal });
  if (signal?.aborted) throw new ToolAbortError();
  checkSandbox(settings, session);
  // Whoever answers a program on a terminal is not waited for in the foreground.
  const longest = isBackground || isTerminal ? MAX_TASK_SECONDS : settings.maxTimeout / 1_000;
  const call = { ...prepared, timeout: taskTimeout(params.timeout_secs, longest) };
  if (isTerminal) {
    const budgetMs = blockingBudgetMs(call.original, settings);
    return runTerminalTask(session, params, { call, task, budgetMs });
  }
  const scene: CallScene = { session, context: task.context, signal, updates: liveUpdates(onUpdate) };
  const title = oneLine(params.display_name);
  if (isBackground) return started(call, await startManaged(call, manager, scene, { title }));

  // Where commands belong on the client's machine, a task's belong there, too; they cannot leave its terminal.
  const onClient = await runOnClientTerminal(call, scene);
  if (onClient !== undefined) return completed(onClient, title, signal);
  const queued = session.queuedMessage?.();
  const gone = session.callerGone?.();
  const sooner = [queued, gone].filter((each) => each !== undefined);
  const ended = await runManaged(call, manager, scene, {
    thresholdMs: blockingBudgetMs(call.original, settings),
    ...(sooner.length === 0 ? {} : { backgroundNow: AbortSignal.any(sooner) }),
    title,
  });
  if (ended.kind === "ended") return completed(ended.run, title, signal);
  // The answer has no reader: the output stays for whoever comes next.
  if (gone?.aborted === true) return started(call, ended.job);
  return wentOn(session, call, ended.job, queued?.aborted === true);
}

/** The deadline of a task's command, in the range for it. */
function taskTimeout(requested: number, longest: number): CallTimeout {
  const seconds = Math.min(Math.max(requested, MIN_TIMEOUT_SECONDS), longest);
  const timeout = { seconds, milliseconds: Math.round(seconds * 1_000) };
  if (seconds === requested) return timeout;
  const notice = `Timeout clamped to ${seconds}s (requested ${requested}s; allowed range ${MIN_TIMEOUT_SECONDS}-${longest}s).`;
  return { ...timeout, requestedSeconds: requested, notice };
}

function started(call: PreparedCall, job: JobView): TaskToolResult<TaskResult> {
  const taskId = toBashTaskId(job.id);
  const notices = noticesOf(call);
  const text = [...notices, `Task ${taskId} runs in the background. \`task_await\` has its output.`].join("\n");
  return answer(text, { status: "running", taskId, ...(notices.length === 0 ? {} : { note: notices.join("\n") }) });
}

function noticesOf({ rewriteNotices, timeout }: PreparedCall): string[] {
  return [...rewriteNotices, ...(timeout.notice === undefined ? [] : [timeout.notice])];
}

/** The command has ended in the foreground. Throws, with its output, where it was stopped. */
function completed(run: FinishedRun, title: string, signal: AbortSignal | undefined): TaskToolResult<TaskResult> {
  const described = describeResult(run, signal);
  const text = described.content.map((part) => part.text).join("");
  const { exitCode, usage, truncated, totalLines } = run.result;
  const reason = "the output is longer than what is shown; the notice says where the rest is";
  return {
    ...answer(text, {
      status: "completed",
      title,
      reportMarkdown: `### Bash task: ${title}\n\n${fenced(text)}`,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(usage === undefined ? {} : { usage }),
      ...(truncated ? { truncated: { reason, totalLines } } : {}),
    }),
    ...(described.isError ? { isError: true } : {}),
  };
}

/** The command goes on as a task. What it has written is given out, so that `task_await` goes on after it. */
async function wentOn(
  session: TaskSession,
  call: PreparedCall,
  job: JobView,
  isQueued: boolean,
): Promise<TaskToolResult<TaskResult>> {
  const taskId = toBashTaskId(job.id);
  const window = outputWindow(call.settings);
  const report = await jobsOf(session).follow(job.id, {
    reader: workspaceOf(session) ?? "",
    timeoutMs: 0,
    wakesOnOutput: true,
    maxBytes: Math.min(SHOWN_BYTES, window.maxBytes),
    ...(window.maxLines === undefined ? {} : { maxLines: window.maxLines }),
  });
  // One that has ended meanwhile is reported by the next call, or delivered.
  if (report?.job.endedAtMs === undefined) report?.commit();
  else report.release();
  const output = report?.output ?? { text: "", isIncomplete: false };
  const why = isQueued
    ? "Task sent to background because a new message was queued. Use task_await to monitor progress."
    : `The command goes on in the background as ${taskId}. Use task_await to monitor progress.`;
  const notes = [...noticesOf(call), leftOutNote(output, report?.job ?? job, undefined), why].filter(
    (note) => note !== undefined,
  );
  const text = output.text === "" ? notes.join("\n") : `${fenced(output.text)}\n\n${notes.join("\n")}`;
  return answer(text, { status: "running", taskId, output: output.text, note: notes.join("\n") });
}
