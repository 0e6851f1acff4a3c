/** The real tools over the real engine, and their answers as a host hands them to the renderer. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConsole, createExecutor, JobManager, type OpenConsoleView, UserShell } from "@pi-bash/executor";
import { createBashTool, createJobTool, ToolAbortError, ToolError, toolsForModel } from "@pi-bash/tool";
import { onTestFinished } from "vitest";
import type { CallAnswer } from "../src/call-state.ts";
import type { TaskAnswer } from "../src/tasks/task-call.ts";

/** Tools of one session, all ended with the test. */
export interface RealTools {
  /** The answer of a call; what a tool throws is one, too. `details` are what came, unchecked. */
  call(tool: string, params: object, onUpdate?: (answer: CallAnswer) => void): Promise<CallAnswer & TaskAnswer>;
  /** Runs a person's own command. */
  readonly shell: UserShell;
  /** The session's folder. */
  readonly cwd: string;
}

/** What all tools have. */
interface Tool {
  readonly name: string;
  execute(id: string, params: unknown, signal: undefined, onUpdate: Listener, context: object): Promise<unknown>;
}

type Listener = (update: CallAnswer) => void;

/** Opens a session in a folder of its own. `openView`: a window for programs that want a terminal. */
export async function realTools(openView?: OpenConsoleView): Promise<RealTools> {
  const cwd = mkdtempSync(join(tmpdir(), "pi-bash-renderer-"));
  const executor = createExecutor({}, { cwd });
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  const shell = new UserShell({ executor, sessionId: "renderer", cwd });
  const pty = openView === undefined ? {} : { pty: createConsole({ openView }) };
  onTestFinished(async () => {
    await asyncJobManager.dispose();
    await executor.dispose();
    rmSync(cwd, { recursive: true, force: true });
  });
  const settings = { "async.enabled": true } as const;
  const session = { cwd, settings, executor, asyncJobManager, getSessionId: () => "renderer", ...pty };
  const all: Tool[] = [
    createBashTool(session),
    createJobTool(session),
    ...toolsForModel(session, { withLegacy: true }),
  ];
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  return {
    shell,
    cwd,
    call: async (name, params, onUpdate) => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`there is no tool \`${name}\``);
      try {
        const listener: Listener = (update) => onUpdate?.({ ...update, isPartial: true });
        return (await tool.execute("call", params, undefined, listener, { hasUI: true, ui: {} })) as CallAnswer &
          TaskAnswer;
      } catch (error) {
        if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
        const details = error.details === undefined ? {} : { details: error.details };
        return { content: [{ type: "text", text: error.message }], isError: true, ...details };
      }
    },
  };
}
