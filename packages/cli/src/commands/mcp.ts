/**
 * `pi-bash mcp`: the tools as an MCP server over standard input and output, for one client.
 *
 * The client starts this program and ends it by closing its input; what the session still runs then is ended. There is
 * a policy by default; its questions go to the client, where it has declared that it takes any.
 */

import { clientWindow, createMcpApprovals, createMcpServer, resultChars, serveMcpOnStdio } from "@pi-bash/adapters/mcp";
import type { Settings } from "@pi-bash/contract";
import { JobManager } from "@pi-bash/executor";
import { createBashTool, type TaskSession, toolsForModel } from "@pi-bash/tool";
import { clientPolicy, withApprovalBound } from "../client-policy.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { openSeat } from "../seat.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { parseSessionArguments } from "./tool.ts";

/** Key of the shell and owner of the tasks of this process. */
const WORKSPACE = "mcp";

/** Runs the words after `mcp` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function mcp(words: readonly string[]): Promise<number> {
  const asked = parseSessionArguments(words, "`mcp` takes its calls from its client");
  tellWhatIsRead("an MCP client, which starts this program itself");
  const settings = withApprovalBound(asked.settings);
  const fitted = settingsByClient(settings, asked.givenSettings);
  const approvals = createMcpApprovals();
  const policy = await clientPolicy(asked, approvals.canAsk);
  const interrupt = listenForInterrupt(() => undefined);
  const seat = await openSeat({ ...asked, settings });
  const { executor, cwd } = seat;
  const { artifacts } = executor;
  const asyncJobManager = await JobManager.open({ artifacts, maxJobs: settings["async.maxJobs"] });
  const session: TaskSession = {
    cwd,
    ...seat.at,
    get settings() {
      return fitted.current;
    },
    executor,
    keepsState: seat.keepsState,
    asyncJobManager,
    policy,
    approve: approvals.approve,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
    getSessionId: () => WORKSPACE,
  };
  // Without jobs of its own: their results would be delivered, and a client of MCP takes no deliveries. `task` has them.
  const bash = createBashTool({
    ...session,
    get settings() {
      return fitted.current;
    },
    asyncJobManager: undefined,
  });
  const tools = [bash, ...toolsForModel(session)];
  try {
    await serveMcpOnStdio(() => createMcpServer({ tools, artifacts, approvals, ...fitted.ports }), {
      signal: interrupt.signal,
      onError: ({ message }) => process.stderr.write(`pi-bash: ${message}\n`),
    });
    return interrupt.status ?? 0;
  } finally {
    await asyncJobManager.dispose();
    await seat.dispose();
    interrupt.release();
  }
}

/** The settings for the client that calls: a window that fits it, as far as none was asked for. */
function settingsByClient(given: Settings, asked: ReadonlySet<string>) {
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
