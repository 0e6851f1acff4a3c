/**
 * What a person starts at the prompt: a command of their own, and calls of the bash tool, of the task tools and of the job tool.
 */
import type { BashDetails, BashResult } from "@pi-bash/contract";
import type { UserShell } from "@pi-bash/executor";
import type { CallAnswer, Theme, UncheckedAnswer } from "@pi-bash/renderer";
import { type AnyTool, type BashTool, ToolAbortError, ToolError, type UpdateListener } from "@pi-bash/tool";
import { type Block, CallBlock, OtherBlock, type ReadOutput, UserBlock } from "./blocks.ts";
import type { Work } from "./console-session.ts";
import type { OtherTool } from "./entered-line.ts";

/** A command of the person's own. */
export function userCommand(
  command: string,
  { shell, isExcluded, theme, changed }: { shell: UserShell; isExcluded: boolean; theme: Theme; changed: () => void },
): Work {
  const block = new UserBlock(command, isExcluded, theme);
  const onChunk = (chunk: string): void => {
    block.append(chunk);
    changed();
  };
  return {
    live: block,
    isKept: true,
    run: async (signal) => {
      try {
        const result: BashResult = await shell.executeBash(command, { signal, onChunk });
        block.finish(result);
      } catch (error) {
        // Rejected with a code: it never ran. Anything else is a defect.
        if (!(error instanceof Error && "code" in error)) throw error;
        block.fail(error.message);
      }
    },
  };
}

/** What a call needs of the session. */
export interface CallPorts {
  readonly bash: BashTool;
  /** Of this call. */
  readonly id: string;
  readonly cwd: string;
  readonly theme: Theme;
  readonly readOutput: ReadOutput;
  /** There is something new to draw. */
  readonly changed: () => void;
}

/** A call of the bash tool. */
export function toolCall(
  params: Readonly<Record<string, unknown>>,
  { bash, id, cwd, theme, readOutput, changed }: CallPorts,
): Work {
  const block = new CallBlock(params, { sessionCwd: cwd, theme, readOutput });
  return callWork(block, changed, (signal, onUpdate) =>
    bash.execute(id, params, signal, onUpdate, { hasUI: true, ui: {} }),
  );
}

/** What a call of another tool needs of the session. */
export interface OtherPorts {
  readonly tool: AnyTool & { readonly name: OtherTool };
  readonly id: string;
  readonly theme: Theme;
  /** There is something new to draw. */
  readonly changed: () => void;
}

/** A call of a task tool or of the job tool. */
export function otherCall(params: Readonly<Record<string, unknown>>, { tool, id, theme, changed }: OtherPorts): Work {
  const block = new OtherBlock(tool.name, params, theme);
  return callWork(block, changed, (signal, onUpdate) =>
    tool.execute(id, params, signal, onUpdate, { hasUI: true, ui: {} }),
  );
}

/** A block that is given updates and answers; what a tool throws is an answer, too. */
function callWork(
  block: Block & { answer(answer: CallAnswer & UncheckedAnswer): void },
  changed: () => void,
  execute: (signal: AbortSignal, onUpdate: UpdateListener) => Promise<object>,
): Work {
  return {
    live: block,
    isKept: true,
    run: async (signal) => {
      try {
        const answer = await execute(signal, (update) => {
          block.answer({ ...update, isPartial: true });
          changed();
        });
        block.answer(answer as CallAnswer & UncheckedAnswer);
      } catch (error) {
        const isAborted = error instanceof ToolAbortError;
        if (!(error instanceof ToolError) && !isAborted) throw error;
        const details: BashDetails = { ...error.details, ...(isAborted ? { stopped: "cancelled" as const } : {}) };
        block.answer({ content: [{ type: "text", text: error.message }], details, isError: true });
      }
    },
  };
}
