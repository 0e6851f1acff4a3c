/**
 * A command as the work of a job.
 *
 * A job that starts in the background has a shell of its own, closed when nothing of it lives; one that may be backgrounded
 * later runs in the session like any command, and lets those behind it pass when it becomes a job. Its artifact is
 * named before it starts: a host that dies leaves the way to what was written.
 */
import type { CommandResult } from "../command-result.ts";
import type { ExecuteBashOptions } from "../command-run.ts";
import type { Executor } from "../executor.ts";
import type { JobContext, JobEnd, JobWork } from "./job.ts";

export interface BashWorkOptions
  extends Omit<ExecuteBashOptions, "artifact" | "signal" | "backgrounded" | "isEphemeral"> {
  /** `own`: a shell for this command alone; `shared`: the session of `sessionKey`. */
  session: "own" | "shared";
  /** Makes the text of the job. Default: the output. */
  describe?: (result: CommandResult) => string;
}

/** The work of running `command`. */
export function bashWork(executor: Executor, command: string, options: BashWorkOptions): JobWork {
  const { session, describe, onUpdate, ...rest } = options;
  return async (context) => {
    const own = `${rest.sessionKey ?? ""}:async:${context.runKey}`;
    const artifact = await allocate(executor, context);
    const result = await executor
      .executeBash(command, {
        ...rest,
        ...(session === "own" ? { sessionKey: own, isEphemeral: true } : {}),
        ...(artifact === undefined ? {} : { artifact }),
        signal: context.signal,
        backgrounded: context.backgrounded,
        onUpdate: (tail, totals) => {
          context.update(tail);
          onUpdate?.(tail, totals);
        },
      })
      .catch(async (error: unknown) => {
        if (artifact !== undefined) await executor.artifacts.settle(artifact.id, "discard");
        throw error;
      });
    if (artifact !== undefined) await settle(executor, artifact.id, result);
    return toEnd(
      result,
      describe?.(result) ?? result.output,
      session === "own" ? () => executor.closeSession(own) : undefined,
    );
  };
}

async function allocate(executor: Executor, context: JobContext): Promise<{ id: string; path: string } | undefined> {
  const artifact = await executor.artifacts.allocate("bash").catch(() => undefined);
  if (artifact !== undefined) context.setArtifact(artifact.id);
  return artifact;
}

/** Keeps the file where the result names it, whole or in part. */
async function settle(executor: Executor, id: string, result: CommandResult): Promise<void> {
  const isNamed = result.artifactId === id || result.artifactError?.includes(id) === true;
  await executor.artifacts.settle(id, isNamed ? "keep" : "discard");
}

function toEnd(result: CommandResult, text: string, stopSurvivors: (() => Promise<void>) | undefined): JobEnd {
  return {
    text,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    ...(result.artifactId === undefined ? {} : { artifactId: result.artifactId }),
    ...(result.survivors === undefined ? {} : { survivors: result.survivors }),
    ...(stopSurvivors === undefined ? {} : { stopSurvivors }),
  };
}
