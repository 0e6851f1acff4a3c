/**
 * Serves the tools of one session as an MCP server over a pair of streams, for one client.
 */
import { clientWindow, createMcpServer, type McpApprovals, resultChars, serveMcpOnStdio } from "@pi-bash/adapters/mcp";
import type { Settings } from "@pi-bash/contract";
import { createBashTool, type TaskSession, toolsForModel } from "@pi-bash/tool";
import { type Bench, type Client, sessionOf, type Terms, toolsAt } from "./bench.ts";

/** Serves until the client has left, or its signal is aborted. */
export async function serveMcp(
  bench: Bench,
  client: Client,
  terms: Terms & { approvals: McpApprovals },
): Promise<void> {
  const { approvals } = terms;
  const { artifacts } = bench.seat.executor;
  const fitted = settingsByClient(terms);
  const session: TaskSession = {
    ...sessionOf(bench, terms),
    get settings() {
      return fitted.current;
    },
    approve: approvals.approve,
  };
  const bash = createBashTool({
    ...session,
    get settings() {
      return fitted.current;
    },
    // Results of its jobs would be delivered, and a client of MCP takes no deliveries; `task` has them. Kept sessions need
    // jobs all the same, for what goes on when the client has gone.
    asyncJobManager: bench.callerGone === undefined ? undefined : bench.jobs,
  });
  const tools = toolsAt(bench, [bash, ...toolsForModel(session)]);
  await serveMcpOnStdio(() => createMcpServer({ tools, artifacts, approvals, ...fitted.ports }), {
    input: client.input,
    output: client.output,
    signal: client.signal,
    onError: ({ message }) => client.tell(message),
  });
}

/** The settings for the client that calls: a window that fits it, as far as none was asked for. */
function settingsByClient({ settings: given, givenSettings: asked }: Terms) {
  const settings: Settings = { ...given, "async.enabled": false };
  const fit = (name: string | undefined): Settings => {
    const wanted = Object.entries(clientWindow(name)).filter(([setting]) => !asked.has(setting));
    return { ...settings, ...Object.fromEntries(wanted) };
  };
  let client: string | undefined;
  // One object for a client: the tools read settings again when they are others than before.
  let current = fit(client);
  return {
    get current() {
      return current;
    },
    ports: {
      onClient: (name: string | undefined) => {
        if (name === client) return;
        client = name;
        current = fit(name);
      },
      resultChars: resultChars(settings["bash.outputMaxBytes"]),
    },
  };
}
