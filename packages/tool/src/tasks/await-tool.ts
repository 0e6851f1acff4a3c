/**
 * `task_await`: new output, ends and reports of tasks, as soon as there are any.
 *
 * Waiting is a view: whatever ends it ends no task. Without `min_completed` the first news ends it; with it, only so many
 * ends. An id that names nothing ends it at once, with how the others stand.
 */
import { setMaxListeners } from "node:events";
import { MAX_TASK_SECONDS, type OutputWindow, type TaskAwaitEntry, TaskAwaitParams } from "@pi-bash/contract";
import { DEFAULT_TASK_AWAIT_SECONDS, outputWindow } from "@pi-bash/contract/internal";
import { logFilter } from "@pi-bash/executor/internal";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import { type AwaitOptions, type AwaitPorts, plain, type Waited, waitForTask } from "./await-wait.ts";
import { answer, defineTool, type TaskTool } from "./define-tool.ts";
import { checkWatchRequest, isWatchRequest, type WatchRequest, watchTask } from "./monitor-watch.ts";
import { awaitText, listedLines, sharedRoom } from "./report.ts";
import { openScope, type Scope, type ScopedTask } from "./scope.ts";
import { fromBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession, workspaceOf } from "./task-session.ts";
import { isSameScreen } from "./tty-report.ts";

/** Tasks that one call waits for: more than can run at a time. */
const MAX_AWAITED = 500;
/** Room for the facts beside the output of one task, in bytes. */
const FACTS_BYTES = 400;
/** The same, in lines. */
const FACTS_LINES = 12;
/** Least output of one task, in bytes. */
const LEAST_BYTES = 80;
/** Active tasks that are named to someone who asked for one that is not there. */
const MAX_HINTS = 50;

/** What `task_await` answers. */
export interface AwaitDetails {
  /** In the order of the ids, each once. */
  results: TaskAwaitEntry[];
}
/** The tool `task_await`. */
export type TaskAwaitTool = TaskTool<"task_await", TaskAwaitParams, AwaitDetails>;

/** Makes the tool. */
export function createAwaitTool(session: TaskSession): TaskAwaitTool {
  return defineTool(session, {
    name: "task_await",
    label: "Await tasks",
    description: () => AWAIT_PROMPT,
    parameters: () => TaskAwaitParams,
    run: async ({ params, signal, settings }) => {
      const window = outputWindow(settings);
      if (isWatchRequest(params)) {
        const watched = await watchTasks(session, params);
        return answer(watchText(watched, window), { results: watched });
      }
      const results = await awaitTasks(session, params, { signal, window });
      return answer(textOf(results, window, sameScreens(session, results)), { results });
    },
  });
}

const AWAIT_PROMPT = [
  "Waits for tasks and returns their new output or their report.",
  "- Without `task_ids`, for all that are active. Returns as soon as one has new output or has ended; with `min_completed`, when so many have ended.",
  "- A task on a terminal also ends the wait when it waits for input; `screen` shows what is on its terminal.",
  "- Output is given once: each call goes on where the last one stopped. An unfinished last line waits for its end.",
  "- `filter` shows the lines that match an RE2 expression and waits for one; `filter_exclude` the others. What a filter hides can still be read without it.",
  '- `filter` with `notify: "wake"` does not wait: it watches the tasks and tells you of matching lines when they come.',
  "- `timeout_secs: 0` does not wait. One long wait is better than many short ones.",
].join("\n");

/** Begins, changes or ends watches. */
async function watchTasks(session: TaskSession, params: WatchRequest): Promise<TaskAwaitEntry[]> {
  checkFilter(params);
  const filter = checkWatchRequest(params);
  const scope = await openScope(session);
  const ids = [...new Set((params.task_ids ?? []).map((id) => id.trim()))];
  if (ids.length > MAX_AWAITED) throw new ToolError(`At most ${MAX_AWAITED} tasks can be watched at once.`);
  const hints = scope.activeIds().slice(0, MAX_HINTS);
  const results: TaskAwaitEntry[] = [];
  for (const id of ids) {
    const task = lookUp(scope, id);
    const entry = isTask(task) ? await watchTask(session, task, { notify: params.notify, filter }) : task.entry;
    results.push(withContext(entry, hints, false));
  }
  return results;
}

function watchText(results: readonly TaskAwaitEntry[], window: OutputWindow): string {
  const lines = results.map((entry) =>
    "note" in entry && entry.note !== undefined ? entry.note : awaitText(entry, window),
  );
  return listedLines(lines, window);
}

/** Waits, and takes what it gives. */
export async function awaitTasks(
  session: TaskSession,
  params: TaskAwaitParams,
  { signal, window }: { signal: AbortSignal | undefined; window: OutputWindow },
): Promise<TaskAwaitEntry[]> {
  checkFilter(params);
  const scope = await openScope(session);
  const given = params.task_ids ?? scope.activeIds().slice(0, MAX_AWAITED);
  const ids = [...new Set(given.map((id) => id.trim()))];
  if (ids.length > MAX_AWAITED) throw new ToolError(`At most ${MAX_AWAITED} tasks can be waited for at once.`);
  if (ids.length === 0) return [];
  const tasks = ids.map((id) => lookUp(scope, id));
  const queued = session.queuedMessage?.();
  const waited = await waitForAll(tasks, {
    options: optionsOf(session, params, { tasks, window }),
    minReady: Math.min(params.min_completed ?? 1, tasks.length),
    stops: [signal, queued].filter((one) => one !== undefined),
    ports: { manager: jobsOf(session), agents: session.agentTasks, now: Date.now },
  });
  if (signal?.aborted) {
    for (const one of waited) one.release();
    throw new ToolAbortError("Waiting was aborted; the tasks go on.");
  }
  for (const one of waited) one.commit();
  const hints = scope.activeIds().slice(0, MAX_HINTS);
  return waited.map(({ entry }) => withContext(entry, hints, queued?.aborted === true));
}

function checkFilter({ filter, filter_exclude: isExcluding = false }: TaskAwaitParams): void {
  if (filter === undefined) {
    if (isExcluding) throw new ToolError("filter_exclude requires filter to be set");
    return;
  }
  try {
    logFilter(filter, isExcluding);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`Invalid filter regex: ${reason}`, { cause: error });
  }
}

/** What an id names, or why it names nothing. */
function lookUp(scope: Scope, id: string): ScopedTask | Waited {
  try {
    return scope.find(id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return plain({ status: "error", taskId: id.slice(0, 80), error: reason });
  }
}

function isTask(task: ScopedTask | Waited): task is ScopedTask {
  return "kind" in task;
}

function optionsOf(
  session: TaskSession,
  params: TaskAwaitParams,
  { tasks, window }: { tasks: readonly (ScopedTask | Waited)[]; window: OutputWindow },
): AwaitOptions {
  const { maxBytes, maxLines } = sharedRoom(window, tasks.length);
  const isAllThere = tasks.every((task) => isTask(task) && (task.kind === "bash" || task.kind === "agent"));
  const seconds = Math.min(params.timeout_secs ?? DEFAULT_TASK_AWAIT_SECONDS, MAX_TASK_SECONDS);
  return {
    reader: workspaceOf(session) ?? "",
    filter: params.filter,
    filterExclude: params.filter_exclude ?? false,
    timeoutMs: isAllThere ? Math.round(seconds * 1_000) : 0,
    wakesOnOutput: params.min_completed === undefined,
    wantsScreen: params.screen ?? false,
    wakesOnWaiting: tasks.every((task) => isStuck(session, task)),
    maxBytes: Math.max(LEAST_BYTES, maxBytes - FACTS_BYTES),
    maxLines: maxLines === undefined ? undefined : Math.max(1, maxLines - FACTS_LINES),
  };
}

/** Whether a task goes on only when the model types to it. */
function isStuck(session: TaskSession, task: ScopedTask | Waited): boolean {
  if (!isTask(task) || task.kind !== "bash") return false;
  const waiting = jobsOf(session).terminal(task.owned.job.id)?.waiting;
  return waiting?.certain === true && waiting.kind !== "secret";
}

interface All {
  options: AwaitOptions;
  /** So many ready ones end the waiting for all. */
  minReady: number;
  stops: readonly AbortSignal[];
  ports: AwaitPorts;
}

async function waitForAll(
  tasks: readonly (ScopedTask | Waited)[],
  { options, minReady, stops, ports }: All,
): Promise<Waited[]> {
  const enough = new AbortController();
  const stop = AbortSignal.any([...stops, enough.signal]);
  // Every wait listens to it, some twice.
  setMaxListeners(2 * tasks.length + 10, stop);
  let ready = 0;
  return Promise.all(
    tasks.map(async (task) => {
      const waited = isTask(task) ? await waitForTask(task, options, stop, ports) : task;
      if (waited.isReady) ready += 1;
      if (ready >= minReady) enough.abort();
      return waited;
    }),
  );
}

function withContext(entry: TaskAwaitEntry, activeTaskIds: string[], isInterrupted: boolean): TaskAwaitEntry {
  switch (entry.status) {
    case "not_found":
    case "invalid_scope":
      return { ...entry, activeTaskIds };
    case "queued":
    case "running":
    case "awaiting_report": {
      if (!isInterrupted) return entry;
      const why = "Waiting was interrupted: a new message was queued. The task goes on.";
      return { ...entry, note: entry.note === undefined ? why : `${entry.note}\n${why}` };
    }
    case "completed":
    case "error":
      return entry;
  }
}

/** The tasks whose screens the reader knows. */
function sameScreens(session: TaskSession, results: readonly TaskAwaitEntry[]): ReadonlySet<TaskAwaitEntry> {
  const reader = workspaceOf(session) ?? "";
  return new Set(
    results.filter((entry) => {
      if (entry.status !== "running" || entry.screen === undefined) return false;
      const terminal = jobsOf(session).terminal(fromBashTaskId(entry.taskId) ?? "");
      return terminal !== undefined && isSameScreen(terminal, reader, entry.screen);
    }),
  );
}

function textOf(results: readonly TaskAwaitEntry[], window: OutputWindow, same: ReadonlySet<TaskAwaitEntry>): string {
  if (results.length === 0) return "No active tasks.";
  const { maxBytes, maxLines } = sharedRoom(window, results.length);
  const room = { maxBytes: maxBytes - 2, maxLines };
  const texts = results.map((entry) => awaitText(entry, room, same.has(entry)));
  const missing = results.find((entry) => entry.status === "not_found" || entry.status === "invalid_scope");
  const active = missing !== undefined && "activeTaskIds" in missing ? (missing.activeTaskIds ?? []) : [];
  const hint = active.length === 0 ? "" : `\n\nActive tasks: ${active.join(", ")}`;
  return `${texts.join("\n\n")}${hint}`.slice(0, window.maxBytes);
}
