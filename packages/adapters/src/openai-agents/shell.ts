/**
 * The bash tool as the `Shell` of OpenAI's shell tool: a batch of commands, one after another, in the session's shell.
 *
 * The engine reads both streams as one, in the order they were written: all of it is `stdout`. What is said about a
 * command (its artifact, its status) stands below its output, as in every adapter.
 */
import { randomUUID } from "node:crypto";
import type { Shell, ShellOutputResult } from "@openai/agents";
import type { BashDetails, BashToolUpdate } from "@pi-bash/contract";
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { BashTool } from "@pi-bash/tool";
import { type Answer, answerOf } from "../answer.ts";

/** How the shell of `shellTool` is stopped and watched. */
export interface OpenAiShellOptions {
  /** Ends what runs: the SDK gives a shell no signal of its own, so hand it the one of the run. */
  signal?: AbortSignal;
  /** Notified of the newest end of a command's output while it runs. Default: no one. */
  onUpdate?: (command: string, update: BashToolUpdate) => void;
}

/** The shell for `shellTool({ shell })`. A batch ends with the first command that was ended before it ended itself. */
export function openAiShell(tool: BashTool, options: OpenAiShellOptions = {}): Shell {
  refuseUnknownOptions("openAiShell", options, { signal: true, onUpdate: true });
  const { signal, onUpdate } = options;
  return {
    run: async ({ commands, timeoutMs, maxOutputLength }) => {
      const output: ShellOutputResult[] = [];
      for (const command of commands) {
        const params = { command, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1_000 }) };
        const listener = onUpdate && ((update: BashToolUpdate) => onUpdate(command, update));
        const answer = await answerOf(tool, { id: randomUUID(), params, signal, onUpdate: listener });
        const outcome = outcomeOf(answer);
        output.push({ stdout: answer.text, stderr: "", outcome });
        if (outcome.type === "timeout" || answer.isAborted) break;
      }
      return { output, ...(maxOutputLength === undefined ? {} : { maxOutputLength }) };
    },
  };
}

function outcomeOf({ details, isError }: Answer): ShellOutputResult["outcome"] {
  const { exitCode, stopped }: BashDetails = details ?? {};
  if (stopped === "deadline") return { type: "timeout" };
  // A call that was refused or ended has no status.
  return { type: "exit", exitCode: exitCode ?? (isError ? null : 0) };
}
