/** The tools in the AI SDK's own loop, with a script in place of the model. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { createBashTool, toolsForModel } from "@pi-bash/tool";
import { stepCountIs, streamText } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { type AiSdkOutput, aiSdkTools } from "../src/ai-sdk/index.ts";

type Call = [name: string, input: object];
type Looks = { toolName: string; isPreliminary: boolean; output: AiSdkOutput }[];

async function agent() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "pi-bash-ai-sdk-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd };
  const executor = createExecutor({}, { hostEnv, cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  onTestFinished(() => asyncJobManager.dispose());
  const session = { cwd, executor, asyncJobManager, hostEnv, getSessionId: () => "agent" };
  const tools = aiSdkTools([createBashTool(session), ...toolsForModel(session)]);
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
  const file = join(cwd, "pid");

  const running = run([["bash", { command: "sleep 300 & echo $! > pid; wait" }]], undefined, stop.signal);
  await until("the command", () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  const pid = Number(readFileSync(file, "utf8"));
  expect(() => process.kill(pid, 0)).not.toThrow();
  stop.abort();
  await running.catch(() => undefined);

  await until("the command is gone", () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
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
  expect(answers[0]?.text).toMatch(/timed out after 1 seconds(.|\n)*before/);
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
