/**
 * An agent over ACP with the tools of the engine, as a host writes one; its model speaks Chat Completions.
 *
 * Argument: address of the model. Commands run in the client's terminals where it has any, or else on the engine.
 */
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { openSession, ours } from "./agent-session.mjs";

const [url] = process.argv.slice(2);
const { acpClientBridge, acpToolCall } = await ours("adapters/dist/acp/index.js");
const { jsonSchemaOf } = await ours("contract/dist/index.js");
const session = await openSession(process.cwd());
let capabilities;
let abort = new AbortController();

async function askModel(messages, tools, signal) {
  const declared = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters: jsonSchemaOf(parameters) },
  }));
  const body = JSON.stringify({ model: "scripted", messages, tools: declared });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body, signal });
  return (await answer.json()).choices[0].message;
}

async function prompt({ client, params: { sessionId } }) {
  abort = new AbortController();
  const { signal } = abort;
  const place = { client, sessionId };
  const bridge = acpClientBridge(place, capabilities);
  const tools = session.tools({ getClientBridge: () => bridge });
  const messages = [{ role: "user", content: "Begin." }];
  while (!signal.aborted) {
    const message = await askModel(messages, tools, signal);
    messages.push(message);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) {
      const content = { type: "text", text: message.content };
      const update = { sessionUpdate: "agent_message_chunk", content };
      await client.notify(methods.client.session.update, { sessionId, update });
      return { stopReason: "end_turn" };
    }
    const results = calls.map(async (call) => {
      const tool = tools.find(({ name }) => name === call.function.name);
      const { text } = await acpToolCall(place, {
        tool,
        id: call.id,
        params: JSON.parse(call.function.arguments),
        signal,
      });
      return { role: "tool", tool_call_id: call.id, content: text };
    });
    messages.push(...(await Promise.all(results)));
  }
  return { stopReason: "cancelled" };
}

const connection = agent({ name: "engine" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    capabilities = params.clientCapabilities;
    return { protocolVersion: PROTOCOL_VERSION };
  })
  .onRequest(methods.agent.session.new, () => ({ sessionId: "one" }))
  .onRequest(methods.agent.session.prompt, prompt)
  .onNotification(methods.agent.session.cancel, () => abort.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => connection.close());
await connection.closed;
abort.abort();
await session.dispose();
process.exit();
