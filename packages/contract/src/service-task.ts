/**
 * Services: commands with a name and a readiness, and the ports that programs listen on. The other tasks are in `task.ts`.
 */
import * as z from "zod";

/** Names of services. */
const SERVICE_NAME_PATTERN: RegExp = /^[a-z][a-z0-9._-]{0,31}$/;
/** Services that run at one time on one host. Each keeps a process tree and a port; a person runs a handful. */
export const MAX_SERVICES = 16;
/** Time a service has to become ready where its call names none, in seconds. */
export const DEFAULT_READY_SECONDS = 60;
/** Longest time a service may take to become ready, in seconds. */
const MAX_READY_SECONDS = 600;

/** A TCP port that a program of a task listens on. */
export const TaskPort = z.object({
  port: z.number().int().min(1).max(65_535),
  /** Where it is bound, e.g. `127.0.0.1` or `::`. */
  address: z.string(),
  pid: z.number().int().positive().optional(),
  /** Short name of the program. */
  program: z.string().optional(),
  /** It is in a network of its own and cannot be reached from the host. Absent: it can. */
  inside: z.literal(true).optional(),
});
export type TaskPort = z.infer<typeof TaskPort>;

/** Where a service stands. `not_ready`: it runs, and was not ready in time; `failed`: it was not started, or not again. */
export const ServiceState = z.enum(["starting", "ready", "not_ready", "exited", "failed"]);
export type ServiceState = z.infer<typeof ServiceState>;

/** What tells that a service is ready; all that is named has to hold at once. */
export const ServiceReady = z.strictObject({
  log: z.string().min(1).optional().describe("A line of its output matches this RE2 expression"),
  port: z.number().int().min(1).max(65_535).optional().describe("It listens on this TCP port"),
  http: z
    .strictObject({
      url: z.string().min(1).describe("http or https, of localhost, 127.0.0.1 or [::1]"),
      status: z.number().int().min(100).max(599).optional().describe("Wanted status. Default: any of 200 to 399"),
    })
    .optional()
    .describe("A GET answers"),
  timeout_secs: z
    .number()
    .positive()
    .max(MAX_READY_SECONDS)
    .optional()
    .describe(`Longest wait. Default ${DEFAULT_READY_SECONDS}`),
});
export type ServiceReady = z.infer<typeof ServiceReady>;

/** Starts a service, or answers with the one of that name that runs. */
export const ServiceTaskParams = z.strictObject({
  kind: z.literal("service"),
  name: z
    .string()
    .regex(
      SERVICE_NAME_PATTERN,
      "begin it with a letter of a-z; then at most 31 of a-z, 0-9, `.`, `_` and `-`, e.g. `web`",
    )
    .describe("Its name; asking again for one that runs gives that one"),
  script: z.string().min(1).describe("Command to run in bash, e.g. `npm run dev`; it must stay in the foreground"),
  cwd: z.string().min(1).optional().describe("Folder to run it in. Default: the workspace"),
  tty: z
    .boolean()
    .optional()
    .describe("Run it on a terminal of 120x40, for a server that asks or takes keys: `task_send` types to it"),
  ready: ServiceReady.optional().describe("When it is ready. Default: it listens on a port, or lives for 2 seconds"),
  restart: z
    .enum(["no", "on-failure"])
    .optional()
    .describe("Whether to start it again when it fails after its start. Default: no"),
  replace: z.boolean().optional().describe("End the running one of that name first"),
});
export type ServiceTaskParams = z.infer<typeof ServiceTaskParams>;

/** What the result of a service has besides, and, as to `ports`, that of any command. */
export const serviceFacts = {
  /** Name of the service. */
  name: z.string().optional(),
  service: ServiceState.optional(),
  /** It was taken for ready without a readiness of its own: it listens on a port, or has lived for 2 seconds. */
  assumed: z.boolean().optional(),
  /** Times it was started again after a failure. */
  restarts: z.number().int().nonnegative().optional(),
  /** What its processes listen on. Absent: nothing. */
  ports: z.array(TaskPort).optional(),
};

/** What a watch does with lines that match: start a turn of the agent, go with the next one, or end. */
export const WatchMode = z.enum(["wake", "quiet", "off"]);
export type WatchMode = z.infer<typeof WatchMode>;
