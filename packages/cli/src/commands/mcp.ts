/**
 * `pi-bash mcp`: the tools as an MCP server over standard input and output, for one client.
 *
 * The client starts this program and ends it by closing its input; what the session still runs then is ended, unless a
 * host keeps it (`--host`). There is a policy by default; its questions go to the client, where it has declared that it
 * takes any.
 */
import { createMcpApprovals } from "@pi-bash/adapters/mcp";
import { JobManager } from "@pi-bash/executor";
import { clientPolicy, withApprovalBound } from "../client-policy.ts";
import { serveFromHost } from "../host/relay.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { openSeat } from "../seat.ts";
import { serveMcp } from "../serve/serve-mcp.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { parseKeptArguments } from "../tool-arguments.ts";

/** Key of the shell and owner of the tasks of this process. */
const WORKSPACE = "mcp";

/** Runs the words after `mcp` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function mcp(words: readonly string[]): Promise<number> {
  const asked = parseKeptArguments(words, "`mcp` takes its calls from its client");
  tellWhatIsRead("an MCP client, which starts this program itself");
  if (asked.kept !== undefined) return serveFromHost("mcp", asked, asked.kept);
  const settings = withApprovalBound(asked.settings);
  const approvals = createMcpApprovals();
  const policy = await clientPolicy(asked, approvals.canAsk);
  const interrupt = listenForInterrupt(() => undefined);
  const seat = await openSeat({ ...asked, settings });
  const jobs = await JobManager.open({ artifacts: seat.executor.artifacts, maxJobs: settings["async.maxJobs"] });
  try {
    const client = {
      input: process.stdin,
      output: process.stdout,
      signal: interrupt.signal,
      tell: (message: string) => void process.stderr.write(`pi-bash: ${message}\n`),
    };
    await serveMcp({ seat, jobs, sessionId: WORKSPACE }, client, { ...asked, settings, policy, approvals });
    return interrupt.status ?? 0;
  } finally {
    await jobs.dispose();
    await seat.dispose();
    interrupt.release();
  }
}
