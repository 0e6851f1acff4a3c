/**
 * The tools as tools of the AI SDK: preliminary results while a call runs, its answer as the last.
 *
 * The model reads the text alone; an answer that is an error reaches it as one. What the SDK does with results is not here.
 */
import { jsonSchemaOf } from "@pi-bash/contract";
import type { AnyTool } from "@pi-bash/tool";
import { jsonSchema, type Tool } from "ai";
import { answerOf, type Call, textOf } from "../answer.ts";
import { inOrder } from "../call-order.ts";

/** What a call gives: the newest end of its output while it runs, then the answer. */
export interface AiSdkOutput {
  text: string;
  isError: boolean;
  /** Facts of the answer, for programs; which, is the tool's own. Absent in a preliminary result. */
  details?: object | undefined;
}

/** The tools by their names, for `tools` of `generateText` and `streamText`. Descriptions are those of this moment. */
export function aiSdkTools(tools: readonly AnyTool[]): Record<string, Tool<unknown, AiSdkOutput>> {
  return Object.fromEntries(inOrder(tools).map((each) => [each.name, convert(each)]));
}

function convert(tool: AnyTool): Tool<unknown, AiSdkOutput> {
  return {
    title: tool.label,
    description: tool.description,
    // For the model alone: the tool checks what it is given, and says what is wrong in words for a model.
    inputSchema: jsonSchema<unknown>({ type: "object", ...jsonSchemaOf(tool.parameters) }),
    execute: (params, { toolCallId, abortSignal }) => outputsOf(tool, { id: toolCallId, params, signal: abortSignal }),
    toModelOutput: ({ output: { text, isError } }) => ({ type: isError ? "error-text" : "text", value: text }),
  };
}

/** Looks at a call, then its answer. Whoever takes no more of them ends the call. */
async function* outputsOf(tool: AnyTool, call: Call): AsyncGenerator<AiSdkOutput, void> {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(call.signal === undefined ? [] : [call.signal])]);
  let newest: string | undefined;
  let isOver = false;
  let wake = (): void => undefined;
  const onUpdate: Call["onUpdate"] = (update) => {
    newest = textOf(update);
    wake();
  };
  const answer = answerOf(tool, { ...call, signal, onUpdate }).finally(() => {
    isOver = true;
    wake();
  });
  // It is awaited below, but not by then where no one takes more.
  answer.catch(() => undefined);
  try {
    while (!isOver) {
      const text = newest;
      newest = undefined;
      if (text !== undefined && text !== "") yield { text, isError: false };
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    const { text, isError, details } = await answer;
    yield { text, isError, details };
  } finally {
    left.abort();
  }
}
