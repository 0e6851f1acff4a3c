/**
 * A command as the work of a job.
 *
 * A job that starts in the background has a shell of its own, closed when nothing of it lives; one that may be backgrounded
 * later runs in the session like any command, and lets those behind it pass when it becomes a job. Its artifact is
 * named before it starts: a host that dies leaves the way to what was written.
 */
import type { CommandResult } from "../command-result.ts";
import type { ExecuteBashOptions } from "../command-run.ts";
import type { TimeoutDecision } from "../deadline.ts";
import type { Executor } from "../executor.ts";
import type { JobContext, JobEnd, JobWork } from "./job.ts";
import type { LogSecrets } from "./job-log.ts";

/** How a job runs its command. */
export interface BashWorkOptions
  extends Omit<ExecuteBashOptions, "artifact" | "signal" | "backgrounded" | "onPorts" | "isEphemeral" | "onTimeout"> {
  /** `own`: a shell for this command alone; `shared`: the session of `sessionKey`. */
  session: "own" | "shared";
  /** Makes the text of the job. Default: the output. */
  describe?: (result: CommandResult) => string;
  /** Asked at the deadline: end the command, or let it go on in the background. Default: it is ended. */
  onTimeout?: (context: JobContext) => TimeoutDecision;
}

/** The work of running `command`. */
export function bashWork(executor: Executor, command: string, options: BashWorkOptions): JobWork {
  const { session, describe, onUpdate, onTimeout, ...rest } = options;
  return async (context) => {
    const own = `${rest.sessionKey ?? ""}:async:${context.runKey}`;
    const artifact = await allocate(executor, context);
    const result = await executor
      .executeBash(command, {
        ...rest,
        ...(session === "own" ? { ...placeKeyOf(rest), sessionKey: own, isEphemeral: true } : {}),
        ...(artifact === undefined ? {} : { artifact }),
        isFollowed: true,
        signal: context.signal,
        backgrounded: context.backgrounded,
        onPorts: (look) => context.setPorts?.(look),
        ...(onTimeout === undefined ? {} : { onTimeout: () => onTimeout(context) }),
        onUpdate: (tail, totals) => {
          context.update(tail, totals);
          onUpdate?.(tail, totals);
        },
      })
      .catch(async (error: unknown) => {
        if (artifact !== undefined) await executor.artifacts.settle(artifact.id, "discard");
        throw error;
      });
    const kept = artifact === undefined ? result : await settle(executor, artifact.id, result, context);
    return toEnd(
      kept,
      describe?.(kept) ?? kept.output,
      session === "own" ? () => executor.closeSession(own) : undefined,
    );
  };
}

/** A shell of its own is where the session of its agent is. */
function placeKeyOf({ placeKey, sessionKey }: Pick<BashWorkOptions, "placeKey" | "sessionKey">): { placeKey?: string } {
  const key = placeKey ?? sessionKey;
  return key === undefined ? {} : { placeKey: key };
}

async function allocate(executor: Executor, context: JobContext): Promise<{ id: string; path: string } | undefined> {
  const artifact = await executor.artifacts.allocate("bash").catch(() => undefined);
  if (artifact !== undefined)
    context.setArtifact(artifact.id, artifact.path, await secretsOf(executor), () => executor.artifacts.open(artifact));
  return artifact;
}

async function secretsOf(executor: Executor): Promise<LogSecrets | undefined> {
  const mask = await executor.secretMask();
  return mask === undefined ? undefined : { mask, isFileMasked: executor.masksArtifacts };
}

/**
 * Keeps the file of a job, and of a command where the result names it. A command that ended in the foreground and was
 * shown whole needs none.
 */
async function settle(
  executor: Executor,
  id: string,
  result: CommandResult,
  context: JobContext,
): Promise<CommandResult> {
  const { survivors = [], artifactId, artifactError } = result;
  const isNamed = artifactId === id || artifactError?.includes(id) === true;
  const isWanted = context.backgrounded.aborted || result.truncated || survivors.length > 0;
  const isNeeded = isWanted || result.originalArtifactId === id;
  // Who looks on reads the end of it after this.
  const isKept = isNamed && (isNeeded || context.isRead?.() === true);
  await executor.artifacts.settle(id, isKept ? "keep" : "discard");
  if (isNeeded || artifactId !== id) return result;
  const { artifactId: _, ...rest } = result;
  return rest;
}

function toEnd(result: CommandResult, text: string, stopSurvivors: (() => Promise<void>) | undefined): JobEnd {
  return {
    text,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    ...(result.timedOut ? { stopped: "deadline" as const } : {}),
    ...(result.artifactId === undefined ? {} : { artifactId: result.artifactId }),
    ...(result.survivors === undefined ? {} : { survivors: result.survivors }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    totals: { bytes: result.totalBytes, lines: result.totalLines },
    ...(stopSurvivors === undefined ? {} : { stopSurvivors }),
  };
}
