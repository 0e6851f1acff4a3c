/**
 * Serves one session by JSON lines over a pair of streams, for one client.
 *
 * At the end of the input everything under way is waited for, each with its own deadline; when the output has no reader
 * any more, or the signal comes, everything is ended.
 */
import { UserShell } from "@pi-bash/executor";
import {
  type AnyTool,
  createBashTool,
  createJobTool,
  type TaskSession,
  toBashTaskId,
  toolsForModel,
} from "@pi-bash/tool";
import type { ApprovalDesk } from "../rpc/approval-desk.ts";
import { linesOf } from "../rpc/line-input.ts";
import type { LineOutput } from "../rpc/line-output.ts";
import { RpcServer } from "../rpc/rpc-server.ts";
import { type Bench, type Client, sessionOf, type Terms, toolsAt } from "./bench.ts";

/** Time that a reader has for what is written, once a signal came, in milliseconds. */
const LAST_WORDS_MS = 1_000;

/** Serves until the client has left, or its signal is aborted. */
export async function serveRpc(
  bench: Bench,
  client: Client,
  terms: Terms & { output: LineOutput; approvals: ApprovalDesk },
): Promise<void> {
  const { output, approvals } = terms;
  // An abort that came before is not heard of again.
  if (client.signal.aborted) return;
  const { jobs, sessionId, seat } = bench;
  const session: TaskSession = { ...sessionOf(bench, terms), approve: approvals.approve };
  const all: AnyTool[] = [
    createBashTool(session),
    createJobTool(session),
    ...toolsForModel(session, { withLegacy: true }),
  ];
  const tools = new Map(toolsAt(bench, all).map((tool) => [tool.name, tool]));
  const shell = new UserShell({ executor: seat.executor, sessionId, cwd: seat.cwd });
  const server = new RpcServer({
    output,
    shell,
    tools: () => tools,
    approvals,
    terminal: (id) => jobs.terminal(id),
  });
  const unsubscribe = jobs.subscribe(sessionId, (batch) => server.tellJobs(batch));
  const unwatch = jobs.watchWaiting(
    (job, waiting) => void output.send({ type: "task_waiting", taskId: toBashTaskId(job.id), waiting }),
  );
  const stop = AbortSignal.any([client.signal, output.gone]);
  stop.addEventListener("abort", () => endInput(server, client), { once: true });
  try {
    await takeLines(server, client, stop);
    await server.settled();
    await output.flush(stop);
    if (stop.aborted) await output.flush(AbortSignal.timeout(LAST_WORDS_MS));
  } finally {
    unsubscribe();
    unwatch();
  }
}

function endInput(server: RpcServer, { input }: Client): void {
  server.abortAll();
  input.destroy();
}

async function takeLines(server: RpcServer, { input }: Client, stop: AbortSignal): Promise<void> {
  try {
    for await (const line of linesOf(input)) {
      if (stop.aborted) return;
      if (typeof line !== "string" || line.trim() !== "") await server.take(line, stop);
    }
  } catch (error) {
    // Input that breaks off is input that ended; destroyed by us, it rejects as well.
    if (!stop.aborted && !(error instanceof Error && "code" in error)) throw error;
  }
}
