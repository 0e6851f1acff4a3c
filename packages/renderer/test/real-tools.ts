/** The real tools over the real engine, and their answers as a host hands them to the renderer. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { type AnyTool, createBashTool, ToolAbortError, ToolError, toolsForModel } from "@pi-bash/tool";
import { onTestFinished } from "vitest";
import type { CallAnswer } from "../src/call-state.ts";
import type { TaskAnswer } from "../src/tasks/task-call.ts";

/** Tools of one session, all ended with the test. */
export interface RealTools {
  /** The answer of a call; what a tool throws is one, too. `details` are what came, unchecked. */
  call(tool: string, params: object, onUpdate?: (answer: CallAnswer) => void): Promise<CallAnswer & TaskAnswer>;
  /** The session's folder. */
  readonly cwd: string;
}

/** Opens a session in a folder of its own. */
export async function realTools(): Promise<RealTools> {
  const cwd = mkdtempSync(join(tmpdir(), "pi-bash-renderer-"));
  const executor = createExecutor({}, { cwd });
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  onTestFinished(async () => {
    await asyncJobManager.dispose();
    await executor.dispose();
    rmSync(cwd, { recursive: true, force: true });
  });
  const session = { cwd, executor, asyncJobManager, getSessionId: () => "renderer" };
  const all: AnyTool[] = [createBashTool(session), ...toolsForModel(session, { withLegacy: true })];
  const tools = new Map<string, AnyTool>(all.map((tool) => [tool.name, tool]));
  return {
    cwd,
    call: async (name, params, onUpdate) => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`there is no tool \`${name}\``);
      try {
        const listener = (update: CallAnswer) => onUpdate?.({ ...update, isPartial: true });
        return (await tool.execute("call", params, undefined, listener)) as CallAnswer & TaskAnswer;
      } catch (error) {
        if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
        const details = error.details === undefined ? {} : { details: error.details };
        return { content: [{ type: "text", text: error.message }], isError: true, ...details };
      }
    },
  };
}
