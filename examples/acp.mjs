/**
 * An editor and an agent over ACP: the agent's commands run in the editor's terminals. `node examples/acp.mjs [FOLDER]`
 *
 * Both are here, joined in one process; over standard input and output each is joined by `ndJsonStream`. Where the agent
 * answers its prompt, a real one asks its model.
 */
import { agent, client, methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { acpClientBridge, acpToolCall, serveTerminals } from "@pi-bash/adapters/acp";
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });

let capabilities;
const theAgent = agent({ name: "example" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    capabilities = params.clientCapabilities;
    return { protocolVersion: PROTOCOL_VERSION };
  })
  .onRequest(methods.agent.session.new, () => ({ sessionId: "one" }))
  .onRequest(methods.agent.session.prompt, async ({ client, params: { sessionId } }) => {
    const session = { client, sessionId };
    const bridge = acpClientBridge(session, capabilities);
    const tool = createBashTool({ cwd, executor, getClientBridge: () => bridge });
    const command = "seq 1 100000 | grep -c 7";
    const { text } = await acpToolCall(session, { tool, id: "call-1", params: { command } });
    const content = { type: "text", text: `${text.split("\n")[0]} numbers have a 7` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    await client.notify(methods.client.session.update, { sessionId, update });
    return { stopReason: "end_turn" };
  });

const editor = client({ name: "example editor" }).onNotification(methods.client.session.update, ({ params }) => {
  const { sessionUpdate, content } = params.update;
  if (sessionUpdate === "agent_message_chunk") process.stdout.write(`${content.text}\n`);
  else process.stdout.write(`${sessionUpdate}: ${params.update.title ?? content?.[0]?.terminalId}\n`);
});
serveTerminals(editor, { executor });

try {
  await editor.connectWith(theAgent, async (context) => {
    const clientCapabilities = { terminal: true };
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const prompt = [{ type: "text", text: "How many have a 7?" }];
    await context.request(methods.agent.session.prompt, { sessionId, prompt });
  });
} finally {
  await executor.dispose();
}
