/**
 * An agent on OpenAI's Agents SDK, a script is the model. `node examples/openai-agents.mjs [FOLDER]`
 *
 * A real model goes where `model` is, by its name; the script goes then.
 */
import { Agent, Runner, Usage } from "@openai/agents";
import { openAiAgentsTools } from "@pi-bash/adapters/openai-agents";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { createBashTool, toolsForModel } from "@pi-bash/tool";

/** The model: yields commands, is given what it reads of them, returns its last words. */
function* script() {
  const counted = yield "seq 1 100000";
  const found = yield `grep -c 7 ${/artifact:\/\/\w+/.exec(counted)?.[0]}`;
  return `${found.split("\n")[0]} numbers have a 7`;
}

const words = script();
const model = {
  getResponse: async ({ input }) => {
    const { done, value } = words.next(Array.isArray(input) ? input.at(-1).output?.text : undefined);
    const callId = crypto.randomUUID();
    const call = { type: "function_call", callId, name: "bash", arguments: JSON.stringify({ command: value }) };
    const message = { type: "message", role: "assistant", status: "completed" };
    const output = done ? { ...message, content: [{ type: "output_text", text: value }] } : call;
    return { usage: new Usage(), output: [output] };
  },
};

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });
const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
try {
  const session = { cwd, executor, asyncJobManager, getSessionId: () => "example" };
  const tools = openAiAgentsTools([createBashTool(session), ...toolsForModel(session)]);
  const agent = new Agent({ name: "Example", model, tools });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "How many have a 7?");
  process.stdout.write(`${finalOutput}\n`);
} finally {
  await asyncJobManager.dispose();
  await executor.dispose();
}
