/** The tools in the AI SDK's own loop, with a script in place of the model. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepCountIs, streamText } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import { expect, it } from "vitest";
import { isAlive, untilGone } from "../../../test/support/process.ts";
import { type AiSdkOutput, aiSdkTools } from "../src/ai-sdk/index.ts";
import { agentSession, ENDLESS, pidIn } from "./support/agent-session.ts";

type Call = [name: string, input: object];
type Looks = { toolName: string; isPreliminary: boolean; output: AiSdkOutput }[];

async function agent() {
  const { cwd, tools: all } = await agentSession();
  const tools = aiSdkTools(all);
  /** Has the model make these calls one after another. What came of them, and what the model was given. */
  const run = async (calls: Call[], onLook: (look: Looks[number]) => void = () => undefined, signal?: AbortSignal) => {
    const prompts: unknown[] = [];
    const model = new MockLanguageModelV3({
      doStream: async ({ prompt }) => {
        prompts.push(prompt.at(-1));
        const [name, input] = calls[prompts.length - 1] ?? [];
        const call = { type: "tool-call", toolCallId: `c${prompts.length}`, input: JSON.stringify(input) } as const;
        const noTokens = { total: 0, text: 0, reasoning: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
        const unified = name === undefined ? "stop" : "tool-calls";
        return {
          stream: convertArrayToReadableStream([
            ...(name === undefined ? [] : [{ ...call, toolName: name }]),
            {
              type: "finish",
              finishReason: { unified, raw: undefined },
              usage: { inputTokens: noTokens, outputTokens: noTokens },
            } as const,
          ]),
        };
      },
    });
    const looks: Looks = [];
    const stopWhen = stepCountIs(calls.length + 1);
    const { fullStream } = streamText({
      model,
      tools,
      prompt: "Do it.",
      stopWhen,
      ...(signal && { abortSignal: signal }),
    });
    for await (const part of fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type !== "tool-result") continue;
      const { toolName, preliminary, output } = part;
      looks.push({ toolName, isPreliminary: preliminary === true, output: output as AiSdkOutput });
      onLook(looks[looks.length - 1] as Looks[number]);
    }
    return { answers: looks.filter(({ isPreliminary }) => !isPreliminary).map(({ output }) => output), looks, prompts };
  };
  return { cwd, run };
}

it("shows the output while the command runs, and the model reads the answer", async () => {
  const { cwd, run } = await agent();

  const { answers, looks, prompts } = await run(
    [["bash", { command: "echo first; until [ -e go ]; do sleep 0.02; done; echo second; exit 3" }]],
    // The command waits for this: without a look at its output it would never end.
    ({ output }) => output.text.includes("first") && writeFileSync(join(cwd, "go"), ""),
  );

  expect(looks[0]).toMatchObject({ isPreliminary: true, output: { text: expect.stringMatching(/^first\n/) } });
  expect(answers).toMatchObject([{ isError: true, details: { exitCode: 3 } }]);
  expect(answers[0]?.text).toMatch(/^first\nsecond\n/);
  expect(prompts[1]).toMatchObject({ content: [{ output: { type: "error-text", value: answers[0]?.text } }] });
});

it("ends the command when the loop is aborted", async () => {
  const { cwd, run } = await agent();
  const stop = new AbortController();

  const running = run([["bash", { command: ENDLESS }]], undefined, stop.signal);
  const pid = await pidIn(cwd);
  expect(isAlive(pid)).toBe(true);
  stop.abort();
  await running.catch(() => undefined);

  await untilGone(pid);
});

it("answers with a timeout, and with an artifact that later commands read", async () => {
  const { run } = await agent();

  const { answers } = await run([
    ["bash", { command: "echo before; sleep 300", timeout: 1 }],
    ["bash", { command: "seq 1 100000" }],
  ]);
  const [uri] = /artifact:\/\/\w+/.exec(answers[1]?.text ?? "") ?? [];
  const { answers: later } = await run([["bash", { command: `grep -c 7 ${uri}` }]]);

  expect(answers[0]).toMatchObject({ isError: true });
  expect(answers[0]?.text).toMatch(/timed out after 1 second(.|\n)*before/);
  expect(later[0]?.text).toMatch(/^40951\n/);
});

it("starts a task in the background and awaits it", async () => {
  const { run } = await agent();
  const task = { kind: "bash", timeout_secs: 60, display_name: "x", run_in_background: true };

  const { answers: started } = await run([
    ["task", { ...task, script: "until [ -e go ]; do sleep 0.02; done; echo built" }],
  ]);
  // By its id: without one only those that still run are awaited, and this one may have ended by then.
  const [taskId] = /bash:\w+/.exec(started[0]?.text ?? "") ?? [];
  const { answers } = await run([
    ["bash", { command: "touch go" }],
    ["task_await", { task_ids: [taskId], min_completed: 1 }],
  ]);

  expect(started[0]).toMatchObject({ isError: false, details: { status: "running" } });
  expect(answers[1]?.text).toContain("built");
});

it("answers wrong parameters with each field's name", async () => {
  const { run } = await agent();

  const { answers, prompts } = await run([["bash", { command: "echo ran", timeout: "5" }]]);

  const text = "Invalid bash parameters: `timeout` is a number, not a string (write 5 without quotes)";
  expect(answers).toMatchObject([{ isError: true, text }]);
  expect(prompts[1]).toMatchObject({ content: [{ output: { type: "error-text", value: text } }] });
});
