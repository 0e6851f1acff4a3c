/** Calls that an SDK starts at once: those that only read run beside each other, all others keep their order. */
import { client, agent as makeAgent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { Agent } from "@earendil-works/pi-agent-core";
import { createFauxCore, fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { RunContext } from "@openai/agents";
import { describe, expect, it, onTestFinished } from "vitest";
import { meet } from "../../../test/support/rendezvous.ts";
import { acpToolCall } from "../src/acp/index.ts";
import { type AiSdkOutput, aiSdkTools } from "../src/ai-sdk/index.ts";
import { anthropicBashTool, anthropicTools } from "../src/anthropic/index.ts";
import { createMcpServer } from "../src/mcp/index.ts";
import { openAiAgentsTools } from "../src/openai-agents/index.ts";
import { piTools } from "../src/pi/index.ts";
import { type AgentSession, agentSession } from "./support/agent-session.ts";

/** Makes a call of `bash` as the SDK does; the text that the model reads. */
type Run = (command: string) => Promise<string>;

const runs: Record<string, (agent: AgentSession) => Run | Promise<Run>> = {
  "the AI SDK": ({ tools }) => {
    const { bash } = aiSdkTools(tools);
    return async (command) => {
      const outputs = bash?.execute?.({ command }, { toolCallId: command, messages: [] });
      let last = "";
      for await (const { text } of outputs as AsyncIterable<AiSdkOutput>) last = text;
      return last;
    };
  },
  "OpenAI's Agents SDK": ({ tools }) => {
    const [bash] = openAiAgentsTools(tools);
    return async (command) => String(await bash?.invoke(new RunContext(), JSON.stringify({ command })));
  },
  "Anthropic's SDK": ({ tools }) => {
    const [bash] = anthropicTools(tools);
    return async (command) => String(await bash?.run({ command }));
  },
  "Anthropic's SDK, as bash_20250124,": ({ bash }) => {
    const tool = anthropicBashTool(bash, { restart: () => Promise.resolve() });
    return async (command) => String(await tool.run({ command }));
  },
  MCP: async ({ tools }) => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const mcp = new Client({ name: "test", version: "1.0.0" });
    await Promise.all([createMcpServer({ tools }).connect(theirs), mcp.connect(ours)]);
    onTestFinished(() => mcp.close());
    return async (command) => {
      const { content } = await mcp.callTool({ name: "bash", arguments: { command } });
      return content[0]?.type === "text" ? content[0].text : "";
    };
  },
};

describe.each(Object.entries(runs))("by %s", (_, runOf) => {
  it("two calls that only read meet", async () => {
    const agent = await agentSession();

    const texts = await meet(agent.cwd, await runOf(agent));

    expect(texts).toEqual([expect.stringMatching(/^left met\n/), expect.stringMatching(/^right met\n/)]);
    for (const text of texts) expect(text).not.toContain("copy");
  });
});

// A client of MCP starts a call when it wants it to run.
describe.each(Object.entries(runs).filter(([name]) => name !== "MCP"))("in a message to %s", (_, runOf) => {
  it("a call finds what the one before it in the message has made", async () => {
    const agent = await agentSession();
    const run = await runOf(agent);

    const [, seen, state] = await Promise.all([
      run("sleep 0.2; echo made > file; kept=yes"),
      run("cat file"),
      run('touch other; echo "kept: $kept"'),
    ]);

    expect(seen).toMatch(/^made\n/);
    expect(state).toMatch(/^kept: yes\n/);
  });
});

it("by pi's loop, two calls of one message meet", async () => {
  const { cwd, tools } = await agentSession();
  const faux = createFauxCore({});
  const commands: string[] = [];
  let texts: Promise<string[]> | undefined;
  const loop = async (): Promise<string[]> => {
    const calls = commands.map((command) => fauxToolCall("bash", { command }));
    faux.setResponses([fauxAssistantMessage(calls, { stopReason: "toolUse" }), fauxAssistantMessage("Done.")]);
    const agent = new Agent({ initialState: { model: faux.getModel(), tools: piTools(tools) }, streamFn: faux.stream });
    await agent.prompt("Do it.");
    return agent.state.messages.flatMap((message) =>
      message.role === "toolResult" ? [message.content.map((part) => ("text" in part ? part.text : "")).join("")] : [],
    );
  };

  const read = await meet(cwd, async (command) => {
    const index = commands.push(command) - 1;
    // Both are in one message, so that the loop starts when the second is known.
    await Promise.resolve();
    texts ??= loop();
    return (await texts)[index] ?? "";
  });

  expect(read).toEqual([expect.stringMatching(/^left met\n/), expect.stringMatching(/^right met\n/)]);
});

it("by an agent of ACP, two calls that are shown to the client meet", async () => {
  const { cwd, bash } = await agentSession();
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  let texts: Promise<string[]> | undefined;
  const agentApp = makeAgent({ name: "test agent" })
    .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION }))
    .onRequest(methods.agent.session.new, () => ({ sessionId: "s" }))
    .onRequest(methods.agent.session.prompt, async ({ client: shown }) => {
      texts = meet(cwd, async (command) => {
        const call = { tool: bash, id: command, params: { command } };
        return (await acpToolCall({ client: shown, sessionId: "s" }, call)).text;
      });
      await texts.catch(() => undefined);
      return { stopReason: "end_turn" };
    });
  const clientApp = client({ name: "test client" }).onNotification(methods.client.session.update, () => undefined);
  const agentSide = agentApp.connect(ndJsonStream(back.writable, there.readable));
  await clientApp.connectWith(ndJsonStream(there.writable, back.readable), async (context) => {
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    await context.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    await context.request(methods.agent.session.prompt, { sessionId: "s", prompt: [{ type: "text", text: "Go." }] });
  });
  agentSide.close();

  expect(await texts).toEqual([expect.stringMatching(/^left met\n/), expect.stringMatching(/^right met\n/)]);
});
