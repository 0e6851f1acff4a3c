/**
 * `details` of the task tools' answers, checked: what a tool gave out, or a history that anyone may have written.
 */
import { TaskAwaitEntry, TaskListEntry, TaskResult, TaskTerminateEntry } from "@pi-bash/contract";

/** The names that a call can have; the last three are the older ones. */
export type TaskToolName =
  | "task"
  | "task_await"
  | "task_list"
  | "task_send"
  | "task_terminate"
  | "bash_output"
  | "bash_background_list"
  | "bash_background_terminate";

const NAMES: Readonly<Record<TaskToolName, true>> = {
  task: true,
  task_await: true,
  task_list: true,
  task_send: true,
  task_terminate: true,
  bash_output: true,
  bash_background_list: true,
  bash_background_terminate: true,
};

/** Whether a tool's calls are drawn by `renderTaskCall`. */
export function isTaskToolName(name: string): name is TaskToolName {
  return Object.hasOwn(NAMES, name);
}

/** A schema's word on one value. */
interface Schema<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false };
}

/** What `task` answered. Undefined: it is something else, e.g. an error. */
export function startedOf(details: unknown): TaskResult | undefined {
  return one(TaskResult, details);
}

/** What `task_await` answered of each task, or `bash_output` of its one. */
export function awaitedOf(details: unknown): readonly TaskAwaitEntry[] | undefined {
  return many(TaskAwaitEntry, details, "results");
}

/** What `task_send` answered of its task. */
export function sentOf(details: unknown): TaskAwaitEntry | undefined {
  return one(
    TaskAwaitEntry,
    typeof details === "object" && details !== null ? Reflect.get(details, "result") : undefined,
  );
}

/** What `task_list` or `bash_background_list` answered. */
export function listedOf(details: unknown): readonly TaskListEntry[] | undefined {
  return many(TaskListEntry, details, "tasks") ?? many(TaskListEntry, details, "processes");
}

/** What `task_terminate` answered for each id, or `bash_background_terminate` for its one. */
export function endedOf(details: unknown): readonly TaskTerminateEntry[] | undefined {
  return many(TaskTerminateEntry, details, "results");
}

function one<Value>(schema: Schema<Value>, value: unknown): Value | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** The entries of a field, or the details as the only entry. One that is not understood makes all of them unknown. */
function many<Value>(schema: Schema<Value>, details: unknown, field: string): readonly Value[] | undefined {
  const found = typeof details === "object" && details !== null ? Reflect.get(details, field) : undefined;
  const entries = (Array.isArray(found) ? found : [details]).map((entry) => one(schema, entry));
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}
