/**
 * For an agent: the terminals of its client as the bash tool's `ClientBridge`.
 *
 * When the tool uses a terminal and how long it waits for one is the tool's (`docs/client-terminal.md`).
 */
import type { AgentContext, ClientCapabilities } from "@agentclientprotocol/sdk";
import type { ClientBridge } from "@pi-bash/tool";

/** A session of an agent with its client. */
export interface AcpSession {
  /** To reach the client: `client` of a handler's context, or of the connection. */
  client: AgentContext;
  /** What `session/new` has answered. */
  sessionId: string;
}

/**
 * The bridge for `session.getClientBridge()`. `capabilities` are those of `initialize`: a client without terminals is
 * never asked for one.
 */
export function acpClientBridge(
  { client, sessionId }: AcpSession,
  capabilities: ClientCapabilities | undefined,
): ClientBridge {
  return {
    capabilities: { terminal: capabilities?.terminal === true },
    createTerminal: async ({ args, env, ...request }) => {
      const handle = await client.createTerminal({ sessionId, args: [...args], env: [...env], ...request });
      return {
        terminalId: handle.id,
        waitForExit: () => handle.waitForExit(),
        currentOutput: () => handle.currentOutput(),
        kill: async () => void (await handle.kill()),
        release: async () => void (await handle.release()),
      };
    },
  };
}
