/** The tools in the runner of OpenAI's Agents SDK, with a script in place of the model. */
import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  type Model,
  Runner,
  shellTool,
  type Tool,
  Usage,
} from "@openai/agents";
import { describe, expect, it } from "vitest";
import { untilGone } from "../../../test/support/process.ts";
import { openAiAgentsTools, openAiShell } from "../src/openai-agents/index.ts";
import { agentSession, ENDLESS, pidIn } from "./support/agent-session.ts";
import { behavesInTheLoop, type Loop } from "./support/behaviours.ts";

/** Runs an agent whose model says these things, one a turn. All items of the conversation. */
async function converse(tools: Tool[], turns: AgentOutputItem[], signal?: AbortSignal): Promise<AgentInputItem[]> {
  const said = [...turns];
  const model: Model = {
    getResponse: async () => {
      const next = said.shift();
      const last = { type: "message", role: "assistant", status: "completed" } as const;
      return { usage: new Usage(), output: [next ?? { ...last, content: [{ type: "output_text", text: "Done." }] }] };
    },
    getStreamedResponse: () => {
      throw new Error("not used here");
    },
  };
  const runner = new Runner({ tracingDisabled: true });
  const agent = new Agent({ name: "Test", model, tools });
  const { history } = await runner.run(agent, "Do it.", { maxTurns: 10, ...(signal && { signal }) });
  return history;
}

describe("in the runner of OpenAI's Agents SDK", () => {
  behavesInTheLoop(
    ({ tools }): Loop =>
      async (calls, { onLook, signal } = {}) => {
        const turns = calls.map(([name, input], index) => ({
          type: "function_call" as const,
          callId: `call_${index}`,
          name,
          arguments: JSON.stringify(input),
        }));
        const onUpdate = (_: string, { content }: { content: { text: string }[] }) => onLook?.(content[0]?.text ?? "");
        const history = await converse(openAiAgentsTools(tools, { onUpdate }), turns, signal);
        return history.flatMap((item) => {
          if (item.type !== "function_call_result") return [];
          const { output } = item;
          return [{ text: typeof output === "object" && "text" in output ? output.text : String(output) }];
        });
      },
  );
});

describe("as the shell of the shell tool", () => {
  const call = (commands: string[], timeoutMs?: number) => ({
    type: "shell_call" as const,
    callId: "call_1",
    status: "completed" as const,
    action: { commands, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  });
  const outputOf = (history: AgentInputItem[]) => {
    const [result] = history.flatMap((item) => (item.type === "shell_call_output" ? [item] : []));
    return result?.output;
  };

  it("runs a batch in one shell and gives each status", async () => {
    const { bash } = await agentSession();
    const tools = [shellTool({ shell: openAiShell(bash) })];

    const output = outputOf(await converse(tools, [call(["kept=yes; exit 3", "echo a; echo b >&2", "false"])]));

    expect(output).toMatchObject([
      { outcome: { type: "exit", exitCode: 3 } },
      { stdout: expect.stringMatching(/^a\nb\n/), stderr: "", outcome: { type: "exit", exitCode: 0 } },
      { outcome: { type: "exit", exitCode: 1 } },
    ]);
  });

  it("ends a batch with the command that timed out", async () => {
    const { bash } = await agentSession();
    const tools = [shellTool({ shell: openAiShell(bash) })];

    const output = outputOf(await converse(tools, [call(["echo before; sleep 300", "echo never"], 1_000)]));

    expect(output).toMatchObject([{ stdout: expect.stringContaining("before"), outcome: { type: "timeout" } }]);
    expect(output).toHaveLength(1);
  });

  it("ends what runs when its signal is aborted", async () => {
    const { cwd, bash } = await agentSession();
    const stop = new AbortController();
    const tools = [shellTool({ shell: openAiShell(bash, { signal: stop.signal }) })];

    const running = converse(tools, [call([ENDLESS, "echo never"])]);
    const pid = await pidIn(cwd);
    stop.abort();

    const output = outputOf(await running);
    expect(output).toMatchObject([{ outcome: { type: "exit", exitCode: null } }]);
    expect(output).toHaveLength(1);
    await untilGone(pid);
  });
});
