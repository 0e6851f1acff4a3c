/**
 * What the task tools have in common: the parameters are checked, the workspace is waited for, refusals are reported.
 */
import type { ParameterSchema, TextContent } from "@pi-bash/contract";
import { parseParams } from "../call-params.ts";
import { settingsReader } from "../call-settings.ts";
import { checkSignal } from "../call-signal.ts";
import { type UpdateListener, untilSettled } from "../live-updates.ts";
import type { ToolContext } from "../session.ts";
import { refusal, ToolAbortError } from "../tool-error.ts";
import { type TaskSession, untilReady, workspaceOf } from "./task-session.ts";

/** The answer to a call of a task tool. */
export interface TaskToolResult<Details> {
  content: TextContent[];
  /** The same facts for programs. */
  details: Details;
  isError?: boolean;
}

/** A tool for tasks, as an agent registers it. */
export interface TaskTool<Name extends string, Params, Details> {
  readonly name: Name;
  readonly label: string;
  /** For the model; made from what the session has now. */
  readonly description: string;
  /** For the model, as a zod schema. */
  readonly parameters: ParameterSchema<Params>;
  /** Arguments follow the schema exactly. */
  readonly strict: true;
  /** Beside any other call. */
  readonly concurrency: "shared";
  /** Throws `ToolError`, and `ToolAbortError` when `signal` is aborted: what was waited for goes on then. */
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: UpdateListener,
    context?: ToolContext,
  ): Promise<TaskToolResult<Details>>;
}

/** One call. */
export interface TaskCall<Params> {
  params: Params;
  signal: AbortSignal | undefined;
  onUpdate: UpdateListener | undefined;
  context: ToolContext;
  settings: ReturnType<ReturnType<typeof settingsReader>>;
}

export interface ToolDefinition<Name extends string, Params, Details> {
  name: Name;
  label: string;
  description: () => string;
  parameters: () => ParameterSchema<Params>;
  run(call: TaskCall<Params>): Promise<TaskToolResult<Details>>;
}

/** Makes a tool of a session. */
export function defineTool<Name extends string, Params, Details>(
  session: TaskSession,
  definition: ToolDefinition<Name, Params, Details>,
): TaskTool<Name, Params, Details> {
  const settings = settingsReader(session);
  return {
    name: definition.name,
    label: definition.label,
    get description() {
      return definition.description();
    },
    get parameters() {
      return definition.parameters();
    },
    strict: true,
    concurrency: "shared",
    execute: async (_toolCallId, params, signal, onUpdate, given) => {
      const context = given ?? {};
      checkSignal(signal);
      const parsed = parseParams({ tool: definition.name, schema: definition.parameters() }, params);
      await untilReady(session, signal);
      if (signal?.aborted) throw new ToolAbortError();
      const updates = untilSettled(onUpdate);
      try {
        const call = { params: parsed, signal, onUpdate: updates.listener, context, settings: settings() };
        return withQuietNews(session, await definition.run(call));
      } catch (error) {
        throw refusal(error);
      } finally {
        // What goes on is reported by `task_await`.
        updates.end();
      }
    },
  };
}

/** Matches of quiet watches go with whatever is answered next. */
function withQuietNews<Details>(session: TaskSession, result: TaskToolResult<Details>): TaskToolResult<Details> {
  const news = session.asyncJobManager?.takeQuietNews(workspaceOf(session)) ?? [];
  if (news.length === 0) return result;
  return { ...result, content: [...result.content, { type: "text", text: `\n\n${news.join("\n\n")}` }] };
}

/** An answer of one text. */
export function answer<Details>(text: string, details: Details): TaskToolResult<Details> {
  return { content: [{ type: "text", text }], details };
}
