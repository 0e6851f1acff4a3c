/**
 * `pi-bash tasks`: calls of the task tools, one JSON object a line, in one process.
 *
 * A task lives no longer than its host. So that a task which one call starts can be awaited by a later one, this host
 * stays for as long as there is input, answers each line with one line, in order, and ends what runs when it leaves.
 */

import { createInterface } from "node:readline";
import { JobManager } from "@pi-bash/executor";
import {
  type AnyTool,
  createBashTool,
  type TaskSession,
  ToolAbortError,
  ToolError,
  toolsForModel,
} from "@pi-bash/tool";
import { type Interrupt, listenForInterrupt } from "../interrupt.ts";
import { policyOf } from "../policy-option.ts";
import { openSeat, type Seat } from "../seat.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { parseSessionArguments, type SessionArguments } from "../tool-arguments.ts";

/** Owner of the tasks of this process. */
const WORKSPACE = "cli";

/** Runs the words after `tasks` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function tasks(words: readonly string[]): Promise<number> {
  const asked = parseSessionArguments(words, "`tasks` takes its calls from standard input");
  tellWhatIsRead("calls of the task tools, a JSON object a line");
  const interrupt = listenForInterrupt(() => undefined);
  const seat = await openSeat(asked);
  const manager = await JobManager.open({
    artifacts: seat.executor.artifacts,
    maxJobs: asked.settings["async.maxJobs"],
  });
  try {
    await answerLines(await toolsOf(asked, seat, manager), interrupt);
    return interrupt.status ?? 0;
  } finally {
    await manager.dispose();
    await seat.dispose();
    interrupt.release();
  }
}

/** All tools by their names; the older ones as well, for whoever still calls them. */
async function toolsOf(
  asked: SessionArguments,
  { executor, cwd, at }: Seat,
  asyncJobManager: JobManager,
): Promise<ReadonlyMap<string, AnyTool>> {
  const policy = await policyOf(asked);
  const session: TaskSession = {
    cwd,
    ...at,
    settings: asked.settings,
    executor,
    asyncJobManager,
    policy,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
    getSessionId: () => WORKSPACE,
  };
  const tools = [createBashTool(session), ...toolsForModel(session, { withLegacy: true })];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

async function answerLines(tools: ReadonlyMap<string, AnyTool>, { signal }: Interrupt): Promise<void> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const close = (): void => lines.close();
  signal.addEventListener("abort", close, { once: true });
  for await (const line of lines) {
    if (signal.aborted) return;
    if (line.trim() === "") continue;
    process.stdout.write(`${JSON.stringify(await answerOf(line, tools, signal))}\n`);
  }
}

/** The answer to one line; what a tool throws is one, too. */
async function answerOf(line: string, tools: ReadonlyMap<string, AnyTool>, signal: AbortSignal): Promise<object> {
  try {
    const { tool: name, params } = parseCall(line);
    const tool = tools.get(name);
    if (tool === undefined)
      throw new ToolError(`There is no tool \`${name.slice(0, 80)}\`; there are ${[...tools.keys()].join(", ")}.`);
    return await tool.execute("cli", params, signal);
  } catch (error) {
    if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
    const { message, details } = error;
    return { content: [{ type: "text", text: message }], ...(details === undefined ? {} : { details }), isError: true };
  }
}

function parseCall(line: string): { tool: string; params: unknown } {
  let call: unknown;
  try {
    call = JSON.parse(line);
  } catch (error) {
    throw new ToolError('The line is not valid JSON; send `{"tool": NAME, "params": {…}}`.', { cause: error });
  }
  if (typeof call !== "object" || call === null || !("tool" in call) || typeof call.tool !== "string") {
    throw new ToolError('A call is `{"tool": NAME, "params": {…}}`.');
  }
  return { tool: call.tool, params: "params" in call ? call.params : {} };
}
