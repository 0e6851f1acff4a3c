/**
 * Anthropic's Messages API with a script in place of the model, on a port of this machine.
 *
 * It answers each request with the script's next call, and the last one with words; what it was given is kept.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BetaMessageParam, BetaToolResultBlockParam } from "@anthropic-ai/sdk/resources/beta";
import { onTestFinished } from "vitest";
import type { ScriptedCall } from "./behaviours.ts";

export interface AnthropicServer {
  baseURL: string;
  /** What requests said the tools are, of the last one. */
  tools: () => unknown[];
  /** Results of calls, in order. */
  results: () => BetaToolResultBlockParam[];
}

interface Request {
  messages: BetaMessageParam[];
  tools: unknown[];
}

export async function anthropicServer(calls: ScriptedCall[]): Promise<AnthropicServer> {
  let lastTools: unknown[] = [];
  let turn = -1;
  const results = new Map<string, BetaToolResultBlockParam>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages, tools }: Request = JSON.parse(Buffer.concat(chunks).toString());
    lastTools = tools;
    turn += 1;
    // The whole conversation comes with each request, or what is new of it: the SDK's choice.
    for (const { content } of messages) {
      for (const block of typeof content === "string" ? [] : (content ?? [])) {
        if (block.type === "tool_result") results.set(block.tool_use_id, block);
      }
    }
    const [name, input] = calls[turn] ?? [];
    const content = name === undefined ? { type: "text", text: "Done." } : { type: "tool_use", name, input };
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        id: `msg_${turn}`,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [name === undefined ? content : { id: `toolu_${turn}`, ...content }],
        stop_reason: name === undefined ? "end_turn" : "tool_use",
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}`,
    tools: () => lastTools,
    results: () => [...results.values()],
  };
}
