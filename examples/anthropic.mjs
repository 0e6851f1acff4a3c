/**
 * An agent on Anthropic's SDK with `bash_20250124`, a script is the model. `node examples/anthropic.mjs [FOLDER]`
 *
 * With a key and without `fetch` it speaks to a real model, by its name; the script goes then.
 */
import Anthropic from "@anthropic-ai/sdk";
import { anthropicBashTool } from "@pi-bash/adapters/anthropic";
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";

/** The model: yields commands, is given what it reads of them, returns its last words. */
function* script() {
  const counted = yield "seq 1 100000";
  const found = yield `grep -c 7 ${/artifact:\/\/\w+/.exec(counted)?.[0]}`;
  return `${found.split("\n")[0]} numbers have a 7`;
}

const words = script();
/** Anthropic's API, as far as it is needed. */
async function fetch(_url, { body }) {
  const [result] = JSON.parse(body).messages.at(-1).content;
  const { done, value } = words.next(result.content);
  const call = { type: "tool_use", id: crypto.randomUUID(), name: "bash", input: { command: value } };
  return Response.json({
    id: crypto.randomUUID(),
    type: "message",
    role: "assistant",
    model: "script",
    content: [done ? { type: "text", text: value } : call],
    stop_reason: done ? "end_turn" : "tool_use",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
}

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });
const session = { cwd, executor, getSessionId: () => "example" };
const restart = () => executor.closeSession("example");
try {
  const client = new Anthropic({ apiKey: "none", fetch });
  const tools = [anthropicBashTool(createBashTool(session), { restart })];
  const messages = [{ role: "user", content: "How many have a 7?" }];
  const last = await client.beta.messages.toolRunner({ model: "script", max_tokens: 1000, messages, tools });
  process.stdout.write(`${last.content[0].text}\n`);
} finally {
  await executor.dispose();
}
