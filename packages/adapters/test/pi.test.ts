/** The tools in the loop of pi's own `Agent`, with pi's scripted model. */
import { Agent, type AgentEvent } from "@earendil-works/pi-agent-core";
import { createFauxCore, fauxAssistantMessage, fauxToolCall, type ToolCall } from "@earendil-works/pi-ai";
import { describe, expect, it } from "vitest";
import { piTools } from "../src/pi/index.ts";
import { type AgentSession, agentSession } from "./support/agent-session.ts";
import { behavesInTheLoop, type Loop, type LoopOptions, type ScriptedCall } from "./support/behaviours.ts";

type Update = Extract<AgentEvent, { type: "tool_execution_update" }>;

function loopOf({ tools }: AgentSession, onUpdate: (update: Update) => void = () => undefined): Loop {
  return async (calls: ScriptedCall[], { onLook, signal }: LoopOptions = {}) => {
    const faux = createFauxCore({});
    faux.setResponses([
      ...calls.map(([name, input]) =>
        fauxAssistantMessage(fauxToolCall(name, input as ToolCall["arguments"]), { stopReason: "toolUse" }),
      ),
      fauxAssistantMessage("Done."),
    ]);
    const agent = new Agent({ initialState: { model: faux.getModel(), tools: piTools(tools) }, streamFn: faux.stream });
    agent.subscribe((event) => {
      if (event.type !== "tool_execution_update") return;
      onUpdate(event);
      onLook?.(event.partialResult.content[0].text);
    });
    signal?.addEventListener("abort", () => agent.abort());
    await agent.prompt("Do it.");
    return agent.state.messages.flatMap((message) =>
      message.role === "toolResult"
        ? [
            {
              text: message.content.map((part) => ("text" in part ? part.text : "")).join(""),
              isError: message.isError,
            },
          ]
        : [],
    );
  };
}

describe("in pi's loop", () => {
  // pi makes a number of "5" by itself, and refuses in its own words what is wrong then.
  behavesInTheLoop((agent) => loopOf(agent), /^Validation failed for tool "bash":\n {2}- more: /);

  it("gives the facts of a failed call with its last partial result", async () => {
    const updates: Update[] = [];
    const loop = loopOf(await agentSession(), (update) => void updates.push(update));

    await loop([["bash", { command: "exit 3" }]]);

    expect(updates.at(-1)?.partialResult.details).toMatchObject({ exitCode: 3 });
  });

  it("answers parameters that are wrong, and the next call runs", async () => {
    const loop = loopOf(await agentSession());

    const readings = await loop([
      ["bash", { command: "echo ran", env: { "A-B": "x" } }],
      ["bash", { command: "echo ran" }],
    ]);

    expect(readings).toMatchObject([
      { isError: true, text: "Invalid bash env name: A-B" },
      { isError: false, text: expect.stringMatching(/^ran\n/) },
    ]);
  });
});
