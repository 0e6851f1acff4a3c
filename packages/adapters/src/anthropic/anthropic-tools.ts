/**
 * The tools as runnable tools of Anthropic's SDK: `bash_20250124`, which the models know, and the others by their schema.
 *
 * An answer that is an error is thrown as the SDK's own `ToolError`, so that it is marked `is_error`. The protocol has no
 * partial results; who wants to show them listens with `onUpdate`.
 */
import type { BetaRunnableTool, BetaToolRunContext } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { type BashToolUpdate, jsonSchemaOf } from "@pi-bash/contract";
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { AnyTool, BashTool } from "@pi-bash/tool";
import { answerOf } from "../answer.ts";
import { inOrder } from "../call-order.ts";

/** What a model says to `bash_20250124`. */
export interface BashInput {
  command?: string;
  /** Replaces the shell; a command that comes with it runs in the new one. */
  restart?: boolean;
}

/** Options of the tools: who watches the output of a call. */
export interface AnthropicOptions {
  /** Notified of the newest end of a call's output while it runs. Default: no one. */
  onUpdate?: (toolUseId: string, update: BashToolUpdate) => void;
}

/** What the model reads of a restart. */
const RESTARTED = "The shell was restarted.";

/**
 * The bash tool as `bash_20250124`. `restart` ends the session's shell with all it started; its state is gone, the next
 * command has a new one: `() => executor.closeSession(sessionId)`.
 */
export function anthropicBashTool(
  bash: BashTool,
  ports: AnthropicOptions & { restart: () => Promise<void> },
): BetaRunnableTool<BashInput> {
  refuseUnknownOptions("anthropicBashTool", ports, { onUpdate: true, restart: true });
  const [tool = bash] = inOrder([bash]);
  return {
    type: "bash_20250124",
    name: "bash",
    // What it may be is the tool's to check.
    parse: (input) => Object(input) as BashInput,
    run: async ({ command, restart }, context) => {
      if (restart !== true) return run(tool, { command }, context, ports);
      await ports.restart();
      if (command === undefined) return RESTARTED;
      return `${RESTARTED}\n${await run(tool, { command }, context, ports)}`;
    },
  };
}

/** Any tools, e.g. the task tools, by their own schemas. Descriptions and schemas are those of this moment. */
export function anthropicTools(tools: readonly AnyTool[], ports: AnthropicOptions = {}): BetaRunnableTool<unknown>[] {
  refuseUnknownOptions("anthropicTools", ports, { onUpdate: true });
  return inOrder(tools).map((tool) => ({
    type: "custom",
    name: tool.name,
    description: tool.description,
    input_schema: { type: "object", ...jsonSchemaOf(tool.parameters) },
    parse: (input) => input,
    run: (input, context) => run(tool, input, context, ports),
  }));
}

async function run(
  tool: AnyTool,
  params: unknown,
  context: BetaToolRunContext | undefined,
  { onUpdate }: AnthropicOptions,
): Promise<string> {
  const id = context?.toolUse.id ?? "";
  const signal = context?.signal ?? undefined;
  const { text, isError } = await answerOf(tool, {
    id,
    params,
    signal,
    onUpdate: onUpdate && ((update) => onUpdate(id, update)),
  });
  if (isError) throw new ToolError(text);
  return text;
}
