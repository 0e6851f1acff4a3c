/**
 * `pi-bash rpc`: a session for another program, by JSON lines on standard input and output.
 *
 * Put together here: the executor, the person's shell, the tools. At the end of the input everything under way is waited
 * for, each with its own deadline; when nobody reads any more, or a signal comes, everything is ended.
 */

import { JobManager, UserShell } from "@pi-bash/executor";
import {
  type AnyTool,
  createBashTool,
  createJobTool,
  type TaskSession,
  toBashTaskId,
  toolsForModel,
} from "@pi-bash/tool";
import { clientPolicy, withApprovalBound } from "../client-policy.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { ApprovalDesk } from "../rpc/approval-desk.ts";
import { linesOf } from "../rpc/line-input.ts";
import { LineOutput } from "../rpc/line-output.ts";
import { RpcServer } from "../rpc/rpc-server.ts";
import { openSeat } from "../seat.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { parseSessionArguments } from "./tool.ts";

/** Key of the shell, and owner of the jobs, of this process. */
const SESSION = "rpc";

/** Time that a reader has for what is written, once a signal came, in milliseconds. */
const LAST_WORDS_MS = 1_000;

/** Runs the words after `rpc` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function rpc(words: readonly string[]): Promise<number> {
  const asked = parseSessionArguments(words, "`rpc` takes its requests from standard input");
  tellWhatIsRead("requests, a JSON object a line");
  const settings = withApprovalBound(asked.settings);
  const policy = await clientPolicy(asked, () => true);
  const output = new LineOutput(process.stdout);
  const approvals = new ApprovalDesk(output);
  const seat = await openSeat({ ...asked, settings });
  const { executor, cwd } = seat;
  const asyncJobManager = await JobManager.open({
    artifacts: executor.artifacts,
    maxJobs: settings["async.maxJobs"],
    onWaiting: (job, waiting) => void output.send({ type: "task_waiting", taskId: toBashTaskId(job.id), waiting }),
  });
  const session: TaskSession = {
    cwd,
    ...seat.at,
    settings,
    executor,
    keepsState: seat.keepsState,
    asyncJobManager,
    policy,
    approve: approvals.approve,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
    getSessionId: () => SESSION,
  };
  const all: AnyTool[] = [
    createBashTool(session),
    createJobTool(session),
    ...toolsForModel(session, { withLegacy: true }),
  ];
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  const shell = new UserShell({ executor, sessionId: SESSION, cwd });
  const server = new RpcServer({
    output,
    shell,
    tools: () => tools,
    approvals,
    terminal: (id) => asyncJobManager.terminal(id),
  });
  const unsubscribe = asyncJobManager.subscribe(SESSION, (batch) => server.tellJobs(batch));
  const interrupt = listenForInterrupt(() => undefined);
  const stop = AbortSignal.any([interrupt.signal, output.gone]);
  stop.addEventListener("abort", () => endInput(server), { once: true });
  try {
    await takeLines(server, stop);
    await server.settled();
    await output.flush(stop);
    if (stop.aborted) await output.flush(AbortSignal.timeout(LAST_WORDS_MS));
  } finally {
    unsubscribe();
    await asyncJobManager.dispose();
    await seat.dispose();
    interrupt.release();
  }
  const status = interrupt.status ?? 0;
  // Node waits for what is written, and nobody reads it.
  if (output.unreadBytes > 0) process.exit(status);
  return status;
}

function endInput(server: RpcServer): void {
  server.abortAll();
  process.stdin.destroy();
}

async function takeLines(server: RpcServer, stop: AbortSignal): Promise<void> {
  try {
    for await (const line of linesOf(process.stdin)) {
      if (stop.aborted) return;
      if (typeof line !== "string" || line.trim() !== "") await server.take(line, stop);
    }
  } catch (error) {
    // Input that breaks off is input that ended; destroyed by us, it rejects as well.
    if (!stop.aborted && !(error instanceof Error && "code" in error)) throw error;
  }
}
