/**
 * An agent on the AI SDK, a script is the model. `node examples/ai-sdk.mjs [FOLDER]`
 *
 * A real model goes where `model` is, e.g. one of `@ai-sdk/openai`; the script goes then.
 */
import { aiSdkTools } from "@pi-bash/adapters/ai-sdk";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { createBashTool, toolsForModel } from "@pi-bash/tool";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const NO_TOKENS = { total: 0 };

/** The model: yields calls, is given what it reads of them, returns its last words. */
function* script() {
  const counted = yield { toolName: "bash", input: { command: "seq 1 100000" } };
  const [uri] = /artifact:\/\/\w+/.exec(counted) ?? [];
  const found = yield { toolName: "bash", input: { command: `grep -c 7 ${uri}` } };
  return `${found.split("\n")[0]} numbers have a 7`;
}

const words = script();
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const [result] = prompt.at(-1).content;
    const { done, value } = words.next(result.output?.value);
    const usage = { inputTokens: NO_TOKENS, outputTokens: NO_TOKENS };
    const finish = { finishReason: { unified: done ? "stop" : "tool-calls" }, usage, warnings: [] };
    if (done) return { content: [{ type: "text", text: value }], ...finish };
    const call = { type: "tool-call", toolCallId: crypto.randomUUID(), toolName: value.toolName };
    return { content: [{ ...call, input: JSON.stringify(value.input) }], ...finish };
  },
});

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });
const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
try {
  const session = { cwd, executor, asyncJobManager, getSessionId: () => "example" };
  const tools = aiSdkTools([createBashTool(session), ...toolsForModel(session)]);
  const { text } = await generateText({ model, tools, prompt: "How many have a 7?", stopWhen: stepCountIs(20) });
  process.stdout.write(`${text}\n`);
} finally {
  await asyncJobManager.dispose();
  await executor.dispose();
}
