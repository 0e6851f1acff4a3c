/**
 * `task`: starts an agent or runs a command.
 */
import {
  BashTaskParams,
  CommandTaskParams,
  MAX_TASK_SECONDS,
  ServiceTaskParams,
  type Settings,
  TaskParams,
  type TaskResult,
} from "@pi-bash/contract";
import { parseParams } from "../call-params.ts";
import { settingsReader } from "../call-settings.ts";
import { maySpawnAgents, runAgentTask } from "./agent-task.ts";
import { runBashTask } from "./bash-task.ts";
import { defineTool, type TaskTool } from "./define-tool.ts";
import { runServiceTask } from "./service-task.ts";
import type { TaskSession } from "./task-session.ts";

/** The tool `task`. */
export type StartTaskTool = TaskTool<"task", TaskParams | CommandTaskParams, TaskResult>;

/** Makes the tool. Where no agent can be started, its parameters are those of a command alone. */
export function createTaskTool(session: TaskSession): StartTaskTool {
  const settings = settingsReader(session);
  return defineTool<"task", TaskParams | CommandTaskParams, TaskResult>(session, {
    name: "task",
    label: "Task",
    description: () => taskPrompt(session, settings()),
    // What the model is shown has no agents where none can be started; a call for one is reported why.
    parameters: () => (session.agentTasks === undefined ? CommandTaskParams : TaskParams),
    run: (call) => {
      const { params } = call;
      if (!("kind" in params)) return runAgentTask(session, params, call);
      return params.kind === "service"
        ? runServiceTask(session, parseParams({ tool: "task", schema: ServiceTaskParams }, params), call)
        : runBashTask(session, parseParams({ tool: "task", schema: BashTaskParams }, params), call);
    },
  });
}

function taskPrompt(session: TaskSession, settings: Settings): string {
  const seconds = settings["task.blockingBudgetMs"] / 1_000;
  const lines = [
    '- `kind: "bash"` runs `script` in bash and returns its output, standard output and error together. Variables and functions stay for later calls in the foreground.',
    `- \`timeout_secs\` ends it. \`run_in_background: true\` returns its id at once, and \`timeout_secs\` (at most ${MAX_TASK_SECONDS}) is its longest life then.`,
    "- `tty: true` runs it on a terminal of its own, for a program that asks (an editor, a debugger, a REPL, `git add -p`): `task_send` answers it.",
    '- `kind: "service"` starts a server by `name` and returns when it is ready; asking again for one that runs returns that one. `task_await` with `filter` and `notify: "wake"` watches its log.',
    "- `task_await` reads its output, `task_list` shows what runs, `task_terminate` ends it.",
  ];
  if (settings["task.autoBackground"]) {
    lines.push(`- A command that takes longer than ${seconds} s goes on in the background.`);
  }
  if (maySpawnAgents(session, settings["task.maxDepth"])) {
    lines.unshift("- `subagent_type`, `prompt` and `title` start an agent and return its report.");
  } else if (session.agentTasks !== undefined) {
    lines.unshift("- Agents cannot be started from here: do the work yourself.");
  }
  return ["Runs work: a command, or an agent where there are some.", ...lines].join("\n");
}
