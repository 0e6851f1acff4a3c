/**
 * `pi-bash rpc`: a session for another program, by JSON lines on standard input and output.
 *
 * Put together here: the executor, the jobs, the policy. How the client is served, and what becomes of its requests at
 * the end of the input, is in `serve/serve-rpc.ts`.
 */
import { JobManager } from "@pi-bash/executor";
import { clientPolicy, withApprovalBound } from "../client-policy.ts";
import { serveFromHost } from "../host/relay.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { ApprovalDesk } from "../rpc/approval-desk.ts";
import { LineOutput } from "../rpc/line-output.ts";
import { openSeat } from "../seat.ts";
import { serveRpc } from "../serve/serve-rpc.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { parseKeptArguments } from "../tool-arguments.ts";

/** Key of the shell, and owner of the jobs, of this process. */
const SESSION = "rpc";

/** Runs the words after `rpc` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function rpc(words: readonly string[]): Promise<number> {
  const asked = parseKeptArguments(words, "`rpc` takes its requests from standard input");
  tellWhatIsRead("requests, a JSON object a line");
  if (asked.kept !== undefined) return serveFromHost("rpc", asked, asked.kept);
  const settings = withApprovalBound(asked.settings);
  const policy = await clientPolicy(asked, () => true);
  const output = new LineOutput(process.stdout);
  const approvals = new ApprovalDesk(output);
  const seat = await openSeat({ ...asked, settings });
  const jobs = await JobManager.open({ artifacts: seat.executor.artifacts, maxJobs: settings["async.maxJobs"] });
  const interrupt = listenForInterrupt(() => undefined);
  try {
    const client = {
      input: process.stdin,
      output: process.stdout,
      signal: interrupt.signal,
      tell: (message: string) => void process.stderr.write(`pi-bash: ${message}\n`),
    };
    await serveRpc({ seat, jobs, sessionId: SESSION }, client, { ...asked, settings, policy, output, approvals });
  } finally {
    await jobs.dispose();
    await seat.dispose();
    interrupt.release();
  }
  const status = interrupt.status ?? 0;
  // Node waits for what is written, and it has no reader.
  if (output.unreadBytes > 0) process.exit(status);
  return status;
}
