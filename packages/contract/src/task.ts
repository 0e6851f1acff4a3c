/**
 * The task tools: what a model may ask of work that runs beside it, and what it is reported.
 *
 * A task is an agent or a command. Names, shapes and states are those of the published `task_*` family; what only
 * commands have (`output`, `exitCode`, …) is optional everywhere, so that a reader of agent tasks need not change.
 */
import * as z from "zod";
import { ResourceUsage } from "./outcome.ts";
import { ServiceTaskParams, serviceFacts, WatchMode } from "./service-task.ts";
import { terminalFacts } from "./terminal-task.ts";

/** What stands before the id of a command's task: `bash:<id of its job>`. */
export const BASH_TASK_PREFIX = "bash:";

const seconds = z.number().refine(Number.isFinite);
const background = z.boolean().optional().describe("Return at once with the task's id; `task_await` has its output");

/** Parameters of `task` that start an agent. */
export const AgentTaskParams = z.strictObject({
  subagent_type: z.string().min(1).describe("Kind of the agent"),
  prompt: z.string().min(1).describe("What it is to do, complete in itself"),
  title: z.string().min(1).describe("A few words for the person who reads along"),
  run_in_background: background,
});
export type AgentTaskParams = z.infer<typeof AgentTaskParams>;

/** Parameters of `task` that run a command, in the foreground unless it says otherwise. */
export const BashTaskParams = z.strictObject({
  kind: z.literal("bash"),
  script: z.string().min(1).describe("Command to run in bash"),
  timeout_secs: seconds.positive().describe("End it after so many seconds"),
  run_in_background: background,
  display_name: z.string().min(1).describe("A few words that name it in lists"),
  unconfined: z
    .boolean()
    .optional()
    .describe("Ask for approval to run it where it can write; after it was refused something because it ran read-only"),
  tty: z
    .boolean()
    .optional()
    .describe(
      "Run it on a terminal of 120x40, for a program that asks: `task_send` types to it. It goes to the background when it waits. It does not have the shell of other calls",
    ),
});
export type BashTaskParams = z.infer<typeof BashTaskParams>;

/**
 * Parameters of `task`. `kind: "bash"` tells the two apart without doubt. The type is said once more at the top, since
 * some models' hosts take no schema of a tool without it.
 */
export const TaskParams = z.union([AgentTaskParams, BashTaskParams, ServiceTaskParams]).meta({ type: "object" });
export type TaskParams = z.infer<typeof TaskParams>;

const { name, cwd, ready, restart, replace } = ServiceTaskParams.shape;

/**
 * What a model is shown of them where there are no agents: one object, since some models' hosts take no schema of a tool that
 * is a choice. What belongs to which kind, `BashTaskParams` and `ServiceTaskParams` say.
 */
export const CommandTaskParams = z.strictObject({
  kind: z.enum(["bash", "service"]).describe("A command that ends, or a server with a name"),
  script: BashTaskParams.shape.script,
  timeout_secs: BashTaskParams.shape.timeout_secs.optional().describe("bash, required: end it after so many seconds"),
  run_in_background: background.describe("bash: return at once with the task's id; `task_await` has its output"),
  display_name: BashTaskParams.shape.display_name
    .optional()
    .describe("bash, required: a few words that name it in lists"),
  unconfined: BashTaskParams.shape.unconfined,
  tty: BashTaskParams.shape.tty.describe(
    "run it on a terminal of 120x40, for a program that asks: `task_send` types to it. bash: it goes to the background when it waits. It does not have the shell of other calls",
  ),
  name: name.optional().describe("service, required: its name; asking again for one that runs gives that one"),
  cwd: cwd.describe("service: folder to run it in. Default: the workspace"),
  ready: ready.describe("service: when it is ready. Default: it listens on a port, or lives for 2 seconds"),
  restart: restart.describe("service: whether to start it again when it fails after its start. Default: no"),
  replace: replace.describe("service: end the running one of that name first"),
});
export type CommandTaskParams = z.infer<typeof CommandTaskParams>;

/** Where a task stands. `reported`: it has ended and its result can be had. */
export const TaskStatus = z.enum(["queued", "running", "awaiting_report", "reported"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

const ids = z.array(z.string());

/** Parameters of `task_await`. */
export const TaskAwaitParams = z.strictObject({
  task_ids: ids.optional().describe("Tasks to wait for; absent: all that are active here"),
  filter: z.string().optional().describe("Show only output lines that match this RE2 expression"),
  filter_exclude: z.boolean().optional().describe("Show the lines that do not match `filter` instead"),
  timeout_secs: seconds.min(0).nullish().describe("Longest wait in seconds; 0: do not wait. Default 600"),
  min_completed: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("Wait until so many have ended, whatever they write. Default: until one has new output or has ended"),
  screen: z.boolean().optional().describe("Show the screen of tasks on a terminal, not only what is new"),
  notify: WatchMode.optional().describe(
    "Do not wait: tell of lines that match `filter` from now on. `wake`: at once; `quiet`: with the next answer; `off`: no more",
  ),
});
export type TaskAwaitParams = z.infer<typeof TaskAwaitParams>;

/** Parameters of `task_list`. */
export const TaskListParams = z.strictObject({
  statuses: z.array(TaskStatus).optional().describe("Only tasks that stand so. Default: all but `reported`"),
});
export type TaskListParams = z.infer<typeof TaskListParams>;

/** Parameters of `task_terminate`. */
export const TaskTerminateParams = z.strictObject({
  task_ids: ids.min(1).describe("Tasks to end, with everything that they started"),
});
export type TaskTerminateParams = z.infer<typeof TaskTerminateParams>;

/** Output that a result does not have whole. */
export const TaskTruncation = z.object({ reason: z.string(), totalLines: z.number().int().nonnegative() });
export type TaskTruncation = z.infer<typeof TaskTruncation>;

const note = z.string().optional();
const exitCode = z.number().int().optional();
/** What its command used, with `bash.usage`. */
const usage = ResourceUsage.optional();

/** What `task` answers. */
export const TaskResult = z.discriminatedUnion("status", [
  z.object({ status: z.literal("queued"), taskId: z.string(), note }),
  z.object({
    status: z.literal("running"),
    taskId: z.string(),
    /** What a command wrote until it went to the background. */
    output: z.string().optional(),
    note,
    ...terminalFacts,
    ...serviceFacts,
  }),
  z.object({
    status: z.literal("completed"),
    taskId: z.string().optional(),
    title: z.string().optional(),
    reportMarkdown: z.string(),
    exitCode,
    usage,
    note,
    truncated: TaskTruncation.optional(),
    ...serviceFacts,
  }),
]);
export type TaskResult = z.infer<typeof TaskResult>;

const awaited = {
  taskId: z.string(),
  /** A command's output since this reader's last call. */
  output: z.string().optional(),
  elapsed_ms: z.number().nonnegative().optional(),
  note,
};
const activeTaskIds = ids.optional();

/** What `task_await` says of one task. */
export const TaskAwaitEntry = z.discriminatedUnion("status", [
  z.object({ status: z.literal("queued"), ...awaited }),
  z.object({ status: z.literal("running"), ...awaited, ...terminalFacts, ports: serviceFacts.ports }),
  z.object({ status: z.literal("awaiting_report"), ...awaited }),
  z.object({
    status: z.literal("completed"),
    ...awaited,
    title: z.string().optional(),
    reportMarkdown: z.string(),
    exitCode,
    usage,
    truncated: TaskTruncation.optional(),
  }),
  z.object({ status: z.literal("not_found"), taskId: z.string(), activeTaskIds }),
  z.object({ status: z.literal("invalid_scope"), taskId: z.string(), activeTaskIds }),
  z.object({ status: z.literal("error"), taskId: z.string(), error: z.string() }),
]);
export type TaskAwaitEntry = z.infer<typeof TaskAwaitEntry>;

/** One task of `task_list`: what it is, how it stands, and where. */
export const TaskListEntry = z.object({
  taskId: z.string(),
  status: TaskStatus,
  parentWorkspaceId: z.string().optional(),
  agentType: z.string().optional(),
  title: z.string().optional(),
  /** Absent: an agent. */
  kind: z.enum(["agent", "bash"]).optional(),
  display_name: z.string().optional(),
  script: z.string().optional(),
  uptime_ms: z.number().nonnegative().optional(),
  exitCode,
  waiting: terminalFacts.waiting,
  holder: terminalFacts.holder,
  ...serviceFacts,
  /** 1: started by the caller itself. */
  depth: z.number().int().min(1),
  /** ISO 8601. */
  createdAt: z.string().optional(),
});
export type TaskListEntry = z.infer<typeof TaskListEntry>;

/** What `task_terminate` did with one id. */
export const TaskTerminateEntry = z.discriminatedUnion("status", [
  /** All that ended: the task, and those of its subtree. */
  z.object({ status: z.literal("terminated"), taskId: z.string(), terminatedTaskIds: ids, note }),
  z.object({ status: z.literal("not_found"), taskId: z.string(), activeTaskIds }),
  z.object({ status: z.literal("invalid_scope"), taskId: z.string(), activeTaskIds }),
  z.object({ status: z.literal("error"), taskId: z.string(), error: z.string() }),
]);
export type TaskTerminateEntry = z.infer<typeof TaskTerminateEntry>;

/** Parameters of the older `bash_output`. */
export const BashOutputParams = z.strictObject({
  process_id: z.string().describe("Id of the background process"),
  filter: TaskAwaitParams.shape.filter,
  filter_exclude: TaskAwaitParams.shape.filter_exclude,
  timeout_secs: TaskAwaitParams.shape.timeout_secs,
});
export type BashOutputParams = z.infer<typeof BashOutputParams>;

/** Parameters of the older `bash_background_list`. */
export const BashBackgroundListParams = z.strictObject({});
export type BashBackgroundListParams = z.infer<typeof BashBackgroundListParams>;

/** Parameters of the older `bash_background_terminate`. */
export const BashBackgroundTerminateParams = z.strictObject({
  process_id: z.string().describe("Id of the background process"),
});
export type BashBackgroundTerminateParams = z.infer<typeof BashBackgroundTerminateParams>;

/** A schema of this package for parameters of that type. */
export type ParameterSchema<Params> = z.ZodType<Params>;
