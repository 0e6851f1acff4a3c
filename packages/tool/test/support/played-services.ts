/** Services without a process: a session whose starts the test plays. */
import type { CommandResult, Executor, JobDelivery, ListeningPort } from "@pi-bash/executor";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { RESTART_LIMITS, type RestartLimits } from "../../src/tasks/service-restarts.ts";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { type PlayedRun, playedScene } from "./played-executor.ts";
import { jobs, until } from "./session.ts";

export const PORT: ListeningPort = {
  port: 80,
  address: "127.0.0.1",
  program: "node",
  pid: 7,
  startedAtMs: 0,
  isInside: false,
};
const LIMITS = { ...RESTART_LIMITS, firstPauseMs: 1, longestPauseMs: 1, mostRestarts: 2 };

interface Played {
  /** What each start listens on from the beginning. */
  ports?: readonly ListeningPort[];
  /** The same of a start that is not the first. Default: as the first. */
  laterPorts?: readonly ListeningPort[];
  executor?: Partial<Executor>;
  session?: Partial<TaskSession>;
  /** How often, and after which pauses, a service that fails is started again. Default: twice, after a moment. */
  limits?: Partial<RestartLimits>;
}

/** A session whose services the test plays. */
export async function desk({
  ports = [PORT],
  laterPorts = ports,
  executor = {},
  session = {},
  limits = {},
}: Played = {}) {
  const manager = await jobs();
  servicesOf(manager, { ...LIMITS, ...limits });
  const delivered: JobDelivery[] = [];
  manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
  const ends: ((result: Partial<CommandResult>) => void)[] = [];
  const answer = ({ options }: PlayedRun): Promise<Partial<CommandResult>> => {
    const listens = ends.length === 0 ? ports : laterPorts;
    options.onPorts?.(async () => listens);
    return new Promise((resolve) => {
      ends.push(resolve);
      options.signal?.addEventListener("abort", () => resolve({ cancelled: true }));
    });
  };
  const made = playedScene({ answer, executor: { portHolder: async () => undefined, ...executor } }, {
    asyncJobManager: manager,
    ...session,
  } as object);
  const tools = createTaskTools(made.session);
  return {
    ...made,
    manager,
    /** What reached the owner. */
    texts: () => delivered.map(({ text }) => text),
    /** The lines of it. */
    news: () => delivered.flatMap(({ text }) => text.split("\n")),
    call: (params: object = {}, signal?: AbortSignal) =>
      tools.task.execute("call", { kind: "service", name: "web", script: "serve", ...params }, signal),
    listed: async (status: string) => (await tools.task_list.execute("call", { statuses: [status] })).details.tasks,
    terminate: (id: string) => tools.task_terminate.execute("call", { task_ids: [id] }),
    /** Ends the start of that number. */
    end: async (number: number, result: Partial<CommandResult>) => {
      await until(() => ends.length > number, "it to run");
      ends[number]?.(result);
    },
    starts: () => ends.length,
  };
}
