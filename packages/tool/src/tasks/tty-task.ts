/**
 * A command as a task on a terminal: started as a job of its own, waited for until it waits for input, draws a screen, or ends.
 *
 * It never has the session's shell. A start that fails is an error of its call and leaves no job.
 */
import type { BashTaskParams, TaskAwaitEntry, TaskResult } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/wait";
import {
  type FollowReport,
  JobLimitError,
  type JobManager,
  type JobOptions,
  type JobView,
  type TaskTerminal,
} from "@pi-bash/executor";
import { terminalWork } from "@pi-bash/executor/internal";
import { describeJob } from "../describe-result.ts";
import type { PreparedCall } from "../prepared-call.ts";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import { entryOf } from "./await-wait.ts";
import type { TaskCall, TaskToolResult } from "./define-tool.ts";
import { answer } from "./define-tool.ts";
import { awaitText, oneLine } from "./report.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";
import { notifyOwner } from "./tty-news.ts";

/** Time that the end of a task's program has to be written down, in milliseconds. */
const END_BOUND_MS = 5_000;

/** Output shown when it goes to the background, in bytes. */
const SHOWN_BYTES = 8 * 1024;

/** How a call waits for a task on a terminal. */
export interface TerminalWatch {
  readonly jobId: string;
  readonly terminal: TaskTerminal;
  /** Longest wait, in milliseconds. */
  readonly timeoutMs: number;
  readonly stops: readonly AbortSignal[];
  readonly maxBytes: number;
  readonly maxLines: number | undefined;
}

/** Starts the command of a call, and waits for it unless it is to be in the background at once. */
export async function runTerminalTask(
  session: TaskSession,
  params: BashTaskParams,
  { call, task, budgetMs }: { call: PreparedCall; task: TaskCall<unknown>; budgetMs: number },
): Promise<TaskToolResult<TaskResult>> {
  const manager = jobsOf(session);
  const { signal, settings } = task;
  const title = oneLine(params.display_name);
  const { job, terminal } = await startOnTerminal(session, call, { title, signal });
  const taskId = toBashTaskId(job.id);
  const notices = [...call.rewriteNotices, ...(call.timeout.notice === undefined ? [] : [call.timeout.notice])];
  if (params.run_in_background === true) {
    const text = [
      ...notices,
      `Task ${taskId} runs in the background on a terminal. You are notified when it waits for input; \`task_send\` types to it.`,
    ].join("\n");
    return answer(text, { status: "running", taskId, ...noteOf(notices) });
  }
  const queued = session.queuedMessage?.();
  const { maxBytes, maxLines } = outputWindow(settings);
  const report = await watchTerminal(session, manager, {
    jobId: job.id,
    terminal,
    timeoutMs: budgetMs,
    stops: [signal, queued].filter((one) => one !== undefined),
    maxBytes: Math.min(SHOWN_BYTES, maxBytes),
    maxLines,
  });
  if (signal?.aborted) {
    report?.release();
    await manager.cancel(job.id, job.owner);
    throw new ToolAbortError();
  }
  if (report === undefined) throw new ToolError(`${taskId} is gone.`);
  const entry = entryOf(taskId, report, { terminal, filter: undefined, maxBytes, maxLines }, Date.now());
  report.commit();
  const text = [...notices, awaitText(entry, { maxBytes, maxLines })].join("\n\n");
  if (entry.status === "completed") return completed(entry, text, notices);
  if (entry.status !== "running") throw new ToolError(`${taskId} is ${entry.status}.`);
  return wentOn(entry, text, notices);
}

type Entry<Status> = Extract<TaskAwaitEntry, { status: Status }>;

/** It has ended while it was waited for. */
function completed(
  { status, taskId, title, reportMarkdown, exitCode, usage, truncated }: Entry<"completed">,
  text: string,
  notices: readonly string[],
): TaskToolResult<TaskResult> {
  return {
    ...answer(text, {
      status,
      taskId,
      ...(title === undefined ? {} : { title }),
      reportMarkdown,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(usage === undefined ? {} : { usage }),
      ...(truncated === undefined ? {} : { truncated }),
      ...noteOf(notices),
    }),
    ...(exitCode === 0 ? {} : { isError: true }),
  };
}

/** It goes on: it waits for input, has drawn a screen, or takes long. */
function wentOn(
  { status, taskId, output, waiting, screen, holder }: Entry<"running">,
  text: string,
  notices: readonly string[],
): TaskToolResult<TaskResult> {
  const note = `The command goes on in the background as ${taskId}. task_send types to it, task_await waits for it.`;
  return answer(`${text}\n\n${note}`, {
    status,
    taskId,
    ...(output === undefined ? {} : { output }),
    note: [...notices, note].join("\n"),
    ...(waiting === undefined ? {} : { waiting }),
    ...(screen === undefined ? {} : { screen }),
    ...(holder === undefined ? {} : { holder }),
  });
}

function noteOf(notices: readonly string[]): { note?: string } {
  return notices.length === 0 ? {} : { note: notices.join("\n") };
}

/** Waits until the terminal has news or the program has ended, and reads what is new. */
export async function watchTerminal(
  session: TaskSession,
  manager: JobManager,
  { jobId, terminal, timeoutMs, stops, maxBytes, maxLines }: TerminalWatch,
): Promise<FollowReport | undefined> {
  const enough = new AbortController();
  const stop = AbortSignal.any([...stops, enough.signal]);
  const bounds = { maxBytes, ...(maxLines === undefined ? {} : { maxLines }) };
  // First the watch: a result that comes meanwhile is this call's.
  const following = manager.follow(jobId, {
    reader: workspaceOf(session) ?? "",
    timeoutMs: Math.min(timeoutMs + END_BOUND_MS, MAX_TIMER_MS),
    stop,
    wakesOnOutput: false,
    ...bounds,
  });
  const news = await terminal.until({
    timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS),
    stop: AbortSignal.any([...stops]),
  });
  // The end of the program is not yet the end of its job, whose text is being made.
  if (news !== "ended") enough.abort();
  return following;
}

/** What its starter says of a job. */
export interface TerminalStart extends Pick<JobOptions, "title" | "onStop" | "delivers"> {
  readonly signal: AbortSignal | undefined;
}

/** Starts the program, and notifies its owner when it waits. Resolves when it runs. */
export async function startOnTerminal(
  session: TaskSession,
  call: PreparedCall,
  { signal, ...named }: TerminalStart,
): Promise<{ job: JobView; terminal: TaskTerminal }> {
  const manager = jobsOf(session);
  if (manager.runningCount >= manager.maxJobs) throw new JobLimitError(manager.maxJobs);
  const owner = workspaceOf(session);
  let terminal: TaskTerminal | undefined;
  const work = terminalWork(session.executor, call.command, {
    cwd: call.cwd,
    env: call.env,
    timeoutMs: call.timeout.milliseconds,
    ...(owner === undefined ? {} : { placeKey: owner }),
    maxBytes: outputWindow(call.settings).maxBytes,
    describe: (result) => describeJob({ call, result, backend: "executor" }),
    onOpen: (opened) => {
      terminal = opened;
    },
  });
  const begun = await manager.runForeground({
    command: call.original,
    work,
    ...named,
    ...(owner === undefined ? {} : { owner }),
    // It becomes a job by itself, as soon as its program runs.
    thresholdMs: Number.POSITIVE_INFINITY,
    ...(signal === undefined ? {} : { signal }),
  });
  if (begun.kind === "ended" || terminal === undefined) {
    if (signal?.aborted) throw new ToolAbortError();
    throw new JobLimitError(manager.maxJobs);
  }
  notifyOwner(manager, begun.job.id, terminal);
  return { job: begun.job, terminal };
}
