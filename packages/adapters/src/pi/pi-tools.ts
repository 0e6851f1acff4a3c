/**
 * The tools as tools of pi's agent loop: partial results while a call runs, its answer as the result.
 *
 * An answer that is an error is thrown, which is how every version of the loop marks a result as one. The loop forgets
 * the details of what is thrown; so they go out as the last partial result before.
 */
import type { AgentTool } from "@earendil-works/pi-agent-core";
import { jsonSchemaOf } from "@pi-bash/contract";
import type { AnyTool, UpdateListener } from "@pi-bash/tool";
import { answerOf } from "../answer.ts";
import { inOrder } from "../call-order.ts";

/** What pi calls the schema of a tool. A plain JSON Schema is one. */
type Parameters = AgentTool["parameters"];

/** The tools, for `tools` of an `Agent`. Descriptions and schemas are those of this moment. */
export function piTools(tools: readonly AnyTool[]): AgentTool<Parameters, object | undefined>[] {
  return inOrder(tools).map(convert);
}

function convert(tool: AnyTool): AgentTool<Parameters, object | undefined> {
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: jsonSchemaOf(tool.parameters) as Parameters,
    // One sequential tool would make every call of its message wait; the order is kept here.
    executionMode: "parallel",
    // After a crash no one knows how far a command came.
    replay: "never",
    execute: async (id, params, signal, onPartial) => {
      const onUpdate: UpdateListener = ({ content, details }) => onPartial?.({ content, details });
      const { text, details, isError } = await answerOf(tool, { id, params, signal, onUpdate });
      const content = [{ type: "text" as const, text }];
      if (!isError) return { content, details };
      onPartial?.({ content, details });
      throw new Error(text);
    },
  };
}
