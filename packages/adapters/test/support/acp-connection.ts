/** An agent and its client over ACP, with the official SDK at both ends, joined by a stream of lines. */
import {
  type AgentContext,
  agent,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { until } from "../../../../test/support/patience.ts";
import { serveTerminals, type TerminalsPorts } from "../../src/acp/index.ts";

/** The one session of each connection. */
export const SESSION_ID = "session-1";

/** What the client is and does. */
export interface Wiring {
  /** What the client's terminals are made of. Absent: it has none. */
  terminals?: TerminalsPorts;
  onUpdate?: (update: SessionUpdate) => void;
  /** What the person chooses. Absent: there is no one to choose. */
  choose?: (request: RequestPermissionRequest) => string;
}

/** A client and an agent with one session. `act` is the agent's turn. */
export async function connected<T>(
  { terminals: ports, onUpdate = () => undefined, choose }: Wiring,
  act: (client: AgentContext, hasTerminals: boolean) => Promise<T>,
): Promise<T> {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  let hasTerminals = false;
  let outcome: Promise<T> | undefined;
  const agentApp = agent({ name: "test agent" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      hasTerminals = params.clientCapabilities?.terminal === true;
      return { protocolVersion: PROTOCOL_VERSION };
    })
    .onRequest(methods.agent.session.new, () => ({ sessionId: SESSION_ID }))
    .onRequest(methods.agent.session.prompt, async (turn) => {
      outcome = act(turn.client, hasTerminals);
      await outcome.catch(() => undefined);
      return { stopReason: "end_turn" };
    });
  const clientApp = client({ name: "test client" })
    .onNotification(methods.client.session.update, ({ params }) => onUpdate(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: "selected", optionId: choose?.(params) ?? "reject" },
    }));
  const terminals = ports && serveTerminals(clientApp, ports);
  const agentSide = agentApp.connect(ndJsonStream(back.writable, there.readable));
  await clientApp.connectWith(ndJsonStream(there.writable, back.readable), async (context) => {
    const clientCapabilities = { terminal: terminals !== undefined };
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    await context.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "Do it." }] });
  });
  agentSide.close();
  await until("terminals end with their connection", () => (terminals?.count ?? 0) === 0);
  if (outcome === undefined) throw new Error("the agent had no turn");
  return outcome;
}
