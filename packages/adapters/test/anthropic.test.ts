/** The tools in the tool runner of Anthropic's SDK, over HTTP to a server that has a script for a model. */
import Anthropic from "@anthropic-ai/sdk";
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { describe, expect, it } from "vitest";
import { untilGone } from "../../../test/support/process.ts";
import { anthropicBashTool, anthropicTools } from "../src/anthropic/index.ts";
import { type AgentSession, agentSession, ENDLESS, pidIn } from "./support/agent-session.ts";
import { anthropicServer } from "./support/anthropic-server.ts";
import { behavesInTheLoop, type Loop, type ScriptedCall } from "./support/behaviours.ts";

const PARAMS = { model: "scripted", max_tokens: 1_000, messages: [{ role: "user" as const, content: "Do it." }] };

/** The loop over these tools of a session. */
function loopOf(toolsOf: (agent: AgentSession, onLook: (text: string) => void) => BetaRunnableTool[]) {
  return (agent: AgentSession): Loop =>
    async (calls, { onLook = () => undefined, signal } = {}) => {
      const { baseURL, results } = await anthropicServer(calls);
      const client = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });
      const tools = toolsOf(agent, onLook);
      await client.beta.messages.toolRunner({ ...PARAMS, tools }, signal && { signal }).runUntilDone();
      return results().map(({ content, is_error }) => ({
        text: typeof content === "string" ? content : JSON.stringify(content),
        isError: is_error === true,
      }));
    };
}

describe("in the runner of Anthropic's SDK", () => {
  behavesInTheLoop(
    loopOf(({ tools }, onLook) =>
      anthropicTools(tools, { onUpdate: (_, { content }) => onLook(content[0]?.text ?? "") }),
    ),
  );
});

describe("as bash_20250124", () => {
  const loop = loopOf(({ bash, session }) => [
    anthropicBashTool(bash, { restart: () => session.executor.closeSession("agent") }),
  ]);

  it("is announced by its type, for which the model knows the parameters", async () => {
    const { bash } = await agentSession();
    const { baseURL, tools } = await anthropicServer([]);
    const client = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });

    await client.beta.messages.toolRunner({ ...PARAMS, tools: [anthropicBashTool(bash, { restart: async () => {} })] });

    expect(tools()).toEqual([{ type: "bash_20250124", name: "bash" }]);
  });

  it("keeps the shell's state from call to call, until a restart", async () => {
    const agent = await agentSession();
    const calls: ScriptedCall[] = [
      ["bash", { command: "kept=yes" }],
      ["bash", { command: "echo kept: $kept" }],
      ["bash", { restart: true }],
      ["bash", { command: "echo kept: $kept" }],
    ];

    const readings = await loop(agent)(calls);

    expect(readings[1]?.text).toMatch(/^kept: yes\n/);
    expect(readings[2]).toEqual({ text: "The shell was restarted.", isError: false });
    expect(readings[3]?.text).toMatch(/^kept:\n/);
  });

  it("ends with a restart what the shell has left running", async () => {
    const agent = await agentSession();

    await loop(agent)([
      ["bash", { command: `${ENDLESS} & until [ -s pid ]; do sleep 0.02; done` }],
      ["bash", { restart: true }],
    ]);

    await untilGone(await pidIn(agent.cwd));
  });

  it("marks a failed command and a call without one as errors", async () => {
    const readings = await loop(await agentSession())([
      ["bash", { command: "exit 3" }],
      ["bash", {}],
      ["bash", null as unknown as Record<string, unknown>],
    ]);

    expect(readings).toMatchObject([
      { isError: true, text: expect.stringContaining("Command exited with code 3") },
      { isError: true, text: "Invalid bash parameters: `command` is missing: it is a string" },
      { isError: true, text: "Invalid bash parameters: `command` is missing: it is a string" },
    ]);
  });
});
