/**
 * The older names for background commands, kept for histories and hosts that use them: thin wrappers over the task tools.
 *
 * They are not among the tools that a model is given by default.
 */
import {
  BashBackgroundListParams,
  BashBackgroundTerminateParams,
  BashOutputParams,
  type TaskAwaitEntry,
  type TaskListEntry,
  type TaskTerminateEntry,
} from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { ToolError } from "../tool-error.ts";
import { awaitTasks } from "./await-tool.ts";
import { answer, defineTool, type TaskTool } from "./define-tool.ts";
import { listTasks } from "./list-tool.ts";
import { awaitText } from "./report.ts";
import { toBashTaskId } from "./task-id.ts";
import type { TaskSession } from "./task-session.ts";
import { terminateTasks } from "./terminate-tool.ts";

/** The older tools for work in the background, by name. */
export interface LegacyTools {
  bash_output: TaskTool<"bash_output", BashOutputParams, TaskAwaitEntry>;
  bash_background_list: TaskTool<"bash_background_list", BashBackgroundListParams, { processes: TaskListEntry[] }>;
  bash_background_terminate: TaskTool<"bash_background_terminate", BashBackgroundTerminateParams, TaskTerminateEntry>;
}

/** Makes them. */
export function createLegacyTools(session: TaskSession): LegacyTools {
  return {
    bash_output: defineTool(session, {
      name: "bash_output",
      label: "Background output",
      description: () => 'Deprecated: use task_await. New output of a background command (task with kind: "bash").',
      parameters: () => BashOutputParams,
      run: async ({ params, signal, settings }) => {
        const window = outputWindow(settings);
        const { process_id: id, ...rest } = params;
        const [entry] = await awaitTasks(session, { ...rest, task_ids: [toBashTaskId(id)] }, { signal, window });
        if (entry === undefined || entry.status === "not_found" || entry.status === "invalid_scope") throw notFound(id);
        return answer(awaitText(entry, window), entry);
      },
    }),
    bash_background_list: defineTool(session, {
      name: "bash_background_list",
      label: "Background processes",
      description: () => 'Deprecated: use task_list. Background commands (task with kind: "bash").',
      parameters: () => BashBackgroundListParams,
      run: async () => {
        const tasks = await listTasks(session, { statuses: ["running", "reported"] });
        const processes = tasks.filter(({ kind }) => kind === "bash");
        const lines = processes.map((one) => `${one.taskId.slice("bash:".length)} ${one.status} ${one.display_name}`);
        return answer(lines.length === 0 ? "No background processes." : lines.join("\n"), { processes });
      },
    }),
    bash_background_terminate: defineTool(session, {
      name: "bash_background_terminate",
      label: "End a background process",
      description: () => 'Deprecated: use task_terminate. Ends a background command (task with kind: "bash").',
      parameters: () => BashBackgroundTerminateParams,
      run: async ({ params }) => {
        const [entry] = await terminateTasks(session, { task_ids: [toBashTaskId(params.process_id)] });
        if (entry === undefined || entry.status === "not_found" || entry.status === "invalid_scope") {
          throw notFound(params.process_id);
        }
        return answer(`Process ${params.process_id} is ended.`, entry);
      },
    }),
  };
}

function notFound(id: string): ToolError {
  return new ToolError(
    `Process not found: ${id}. The process may have exited or the app was restarted. Do not retry - use bash_background_list to see active processes.`,
  );
}
