/**
 * A command on a terminal as the work of a job. Its artifact is named before it starts; its lines are read from its screen.
 */
import type { ArtifactAllocation } from "@pi-bash/contract";
import type { CommandResult } from "../command-result.ts";
import type { Executor } from "../executor-surface.ts";
import type { JobContext, JobEnd, JobWork } from "../jobs/job.ts";
import type { OpenTerminalOptions } from "./open-terminal.ts";
import type { TaskTerminal } from "./terminal-port.ts";

/** How a job runs its command on a terminal. */
export interface TerminalWorkOptions
  extends Pick<OpenTerminalOptions, "cwd" | "env" | "timeoutMs" | "placeKey" | "maxBytes"> {
  /** Makes the text of the job. */
  readonly describe: (result: CommandResult) => string;
  /** Takes the terminal before the program is started. */
  readonly onOpen: (terminal: TaskTerminal) => void;
}

/** The work of running `command` on a terminal of its own. It becomes a job when the program runs, or is ended. */
export function terminalWork(executor: Executor, command: string, options: TerminalWorkOptions): JobWork {
  const { describe, onOpen, ...rest } = options;
  return async (context) => {
    const artifact = await allocate(executor, context);
    const record = await allocateRecord(executor, context);
    const refused = new AbortController();
    const run = executor.runOnTerminal(command, {
      ...rest,
      artifact,
      record,
      signal: AbortSignal.any([context.signal, refused.signal]),
      onUpdate: (tail, totals) => context.update(tail, totals),
      onOpen: (terminal) => {
        context.setTerminal(terminal);
        onOpen(terminal);
      },
      onPorts: (look) => context.setPorts?.(look),
      onStart: () => {
        if (!context.goToBackground()) refused.abort();
      },
    });
    try {
      const result = await run;
      if (record !== undefined) await executor.artifacts.settle(record.id, "keep");
      return toEnd(await settle(executor, artifact, result, context), describe);
    } catch (error) {
      for (const file of [artifact, record])
        if (file !== undefined) await executor.artifacts.settle(file.id, "discard");
      throw error;
    }
  };
}

async function allocate(executor: Executor, context: JobContext): Promise<ArtifactAllocation | undefined> {
  const artifact = await executor.artifacts.allocate("bash").catch(() => undefined);
  if (artifact === undefined) return undefined;
  const mask = await executor.secretMask();
  const secrets = mask === undefined ? undefined : { mask, isFileMasked: executor.masksArtifacts };
  context.setArtifact(artifact.id, artifact.path, secrets);
  return artifact;
}

/** A file for the record, where records are kept. */
async function allocateRecord(executor: Executor, context: JobContext): Promise<ArtifactAllocation | undefined> {
  if (!executor.recordsTerminals) return undefined;
  const record = await executor.artifacts.allocate("cast").catch(() => undefined);
  if (record !== undefined) context.setRecord?.(record.id);
  return record;
}

/** Keeps the file of a job whose result names it. */
async function settle(
  executor: Executor,
  artifact: ArtifactAllocation | undefined,
  result: CommandResult,
  { backgrounded }: JobContext,
): Promise<CommandResult> {
  if (artifact === undefined) return result;
  const isKept = result.artifactId === artifact.id && (backgrounded.aborted || result.truncated);
  await executor.artifacts.settle(artifact.id, isKept ? "keep" : "discard");
  return isKept ? result : withoutArtifact(result);
}

function withoutArtifact({ artifactId: _, ...result }: CommandResult): CommandResult {
  return result;
}

function toEnd(result: CommandResult, describe: (result: CommandResult) => string): JobEnd {
  return {
    text: describe(result),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    ...(result.timedOut ? { stopped: "deadline" as const } : {}),
    ...(result.artifactId === undefined ? {} : { artifactId: result.artifactId }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    totals: { bytes: result.totalBytes, lines: result.totalLines },
  };
}
