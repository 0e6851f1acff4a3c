/**
 * The tools as function tools of OpenAI's Agents SDK: the model reads their text.
 *
 * The SDK's results have no mark for an error; the text says it, with the exit status as its last line. What the SDK
 * does with a defect is its own. The shell tool, which the models know, is in `shell.ts`.
 */
import { type FunctionTool, tool as functionTool } from "@openai/agents";
import { type BashToolUpdate, jsonSchemaOf } from "@pi-bash/contract";
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { AnyTool } from "@pi-bash/tool";
import { answerOf } from "../answer.ts";
import { inOrder } from "../call-order.ts";

/** How the function tools tell of calls under way. */
export interface OpenAiAgentsOptions {
  /** Notified of the newest end of a call's output while it runs. Default: no one. */
  onUpdate?: (callId: string, update: BashToolUpdate) => void;
}

/** How the SDK types a schema that it hands to the model as it is. */
type Schema = { type: "object"; properties: Record<string, never>; required: string[]; additionalProperties: true };

/** The tools, for `tools` of an `Agent`. Descriptions and schemas are those of this moment. */
export function openAiAgentsTools(
  tools: readonly AnyTool[],
  options: OpenAiAgentsOptions = {},
): FunctionTool<unknown, Schema, string>[] {
  refuseUnknownOptions("openAiAgentsTools", options, { onUpdate: true });
  const { onUpdate } = options;
  return inOrder(tools).map((tool) =>
    functionTool({
      name: tool.name,
      description: tool.description,
      parameters: { type: "object", ...jsonSchemaOf(tool.parameters) } as Schema,
      // Strict schemas know no optional fields; the tool checks what it is given by itself.
      strict: false,
      execute: async (params: unknown, _context, details) => {
        const id = details?.toolCall?.callId ?? "";
        const listener = onUpdate && ((update: BashToolUpdate) => onUpdate(id, update));
        return (await answerOf(tool, { id, params, signal: details?.signal, onUpdate: listener })).text;
      },
    }),
  );
}
