/**
 * Calls that outlive themselves: started in the background, or sent there when they take long.
 *
 * Either way the command is the work of a job; how results travel to the agent is the job manager's. The text of a job
 * follows the grammar of any result. Updates go on after the call has returned, now with the job's state.
 */

import { type AsyncDetails, type BashDetails, type BashToolResult, MAX_TASK_SECONDS } from "@pi-bash/contract";
import { tailBytes } from "@pi-bash/contract/internal/text";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import {
  bashWork,
  type CommandResult,
  type JobContext,
  type JobEnd,
  type JobManager,
  type JobOptions,
  type JobView,
  type JobWork,
  type TimeoutDecision,
} from "@pi-bash/executor";
import { foregroundWaitMs, startedText } from "@pi-bash/executor/internal";
import { type CallScene, executionOptions, keepStreams } from "./command-run.ts";
import { describeJob, describeResult, type FinishedRun, timeoutDetails } from "./describe-result.ts";
import type { PreparedCall } from "./prepared-call.ts";
import { runHeld } from "./read-only/run-held.ts";
import type { BashToolSession } from "./session.ts";
import { followFolder } from "./session-folder.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";
import { checkDirectory, folderRefusal } from "./working-directory.ts";

/** Output shown when a command goes to the background, in bytes: enough to see that it goes well. */
const PREVIEW_BYTES = 2 * 1024;

/** Most time that a call waits for the name of its output's file, in milliseconds: it is known when a folder is there. */
const ARTIFACT_BOUND_MS = 1_000;

/** How a call in the foreground ended. */
export type ManagedEnd =
  | { kind: "ended"; run: FinishedRun }
  /** `tail`: the newest output. */
  | { kind: "backgrounded"; job: JobView; tail: string };

export interface ManagedOptions {
  /** Time in the foreground, in milliseconds; infinity: until something else ends it. */
  thresholdMs: number;
  /** Ends it early. */
  backgroundNow?: AbortSignal | undefined;
  /** The name its caller gave it. */
  title?: string;
}

/** What its starter says of a job. */
type NamedJob = Pick<JobOptions, "title" | "onStop" | "delivers">;

/** Starts the call in the background, in a shell of its own. Resolves when it is known where its output goes. */
export async function startJob(call: PreparedCall, manager: JobManager, scene: CallScene): Promise<BashToolResult> {
  await checkStart(call, scene);
  const { job, run } = startRun(call, manager, scene, {});
  const waited = await waitAtMost(() => run.artifactId, ARTIFACT_BOUND_MS);
  return startedResult(call, job, { artifactId: waited.kind === "value" ? waited.value : undefined });
}

/** The same, and only the job. */
export async function startManaged(
  call: PreparedCall,
  manager: JobManager,
  scene: CallScene,
  named: NamedJob,
): Promise<JobView> {
  await checkStart(call, scene);
  return startRun(call, manager, scene, named).job;
}

/** A job that cannot start is an error of its call, not a job that has failed. */
async function checkStart(call: PreparedCall, { signal, session }: CallScene): Promise<void> {
  const nul = call.command.indexOf("\0");
  if (nul !== -1)
    throw new ToolError(`The command has a NUL character at offset ${nul}, which bash cannot take. Remove it.`);
  await checkDirectory(call.cwd, session.place);
  if (signal?.aborted) throw new ToolAbortError();
}

function startRun(call: PreparedCall, manager: JobManager, scene: CallScene, named: NamedJob) {
  const run = new JobRun(call, scene, "own");
  const job = manager.start({ command: call.original, work: run.work, ...ownerOf(scene), ...named });
  run.jobId = job.id;
  return { job, run };
}

/** Runs the call in the session's shell, and leaves it to the background when it takes longer than the threshold. */
export async function runWithAutoBackground(
  call: PreparedCall,
  manager: JobManager,
  scene: CallScene,
): Promise<BashToolResult> {
  const { settings, timeout } = call;
  const thresholdMs = settings["bash.autoBackground.enabled"]
    ? foregroundWaitMs(settings["bash.autoBackground.thresholdMs"], timeout.milliseconds)
    : Number.POSITIVE_INFINITY;
  const ended = await runManaged(call, manager, scene, { thresholdMs, backgroundNow: scene.session.callerGone?.() });
  if (ended.kind === "backgrounded")
    return startedResult(call, ended.job, { artifactId: ended.job.artifactId, tail: ended.tail });
  return describeResult(ended.run, scene.signal);
}

/** The same, and only what became of it. Throws where the command was never started. */
export async function runManaged(
  call: PreparedCall,
  manager: JobManager,
  scene: CallScene,
  options: ManagedOptions,
): Promise<ManagedEnd> {
  return runHeld(call, (held) => runManagedOnce(held, manager, scene, options));
}

async function runManagedOnce(
  call: PreparedCall,
  manager: JobManager,
  scene: CallScene,
  { thresholdMs, backgroundNow, title }: ManagedOptions,
): Promise<ManagedEnd> {
  const run = new JobRun(call, scene, "shared");
  const { signal } = scene;
  const ended = await manager.runForeground({
    command: call.original,
    work: run.work,
    ...ownerOf(scene),
    ...(title === undefined ? {} : { title }),
    thresholdMs,
    ...(signal === undefined ? {} : { signal }),
    ...(backgroundNow === undefined ? {} : { backgroundNow }),
  });
  if (ended.kind === "backgrounded") {
    run.jobId = ended.job.id;
    return ended;
  }
  if (run.finished === undefined) throw new ToolError(ended.end.text);
  const { finished } = run;
  const movedTo = followFolder(call, finished.result, scene.session);
  return { kind: "ended", run: { ...finished, movedTo } };
}

/** Whether a deadline may not be the end of a call. */
export function mayOutliveDeadline({ settings }: PreparedCall, session: BashToolSession): boolean {
  return session.onTimeout !== undefined || settings["bash.timeoutAction"] === "background";
}

/** What is done at the deadline of a call in the foreground; nothing goes on that can be no job. */
function atDeadline(call: PreparedCall, session: BashToolSession, context: JobContext): TimeoutDecision {
  const wanted =
    session.onTimeout?.({ command: call.original, timeoutMs: call.timeout.milliseconds }) ??
    call.settings["bash.timeoutAction"];
  return wanted === "background" && context.goToBackground() ? "background" : "kill";
}

function ownerOf({ session }: CallScene): { owner?: string } {
  const owner = session.getSessionId?.();
  return owner === undefined ? {} : { owner };
}

/** One command as a job's work, and what it has shown. */
class JobRun {
  /** Set when the call is a job. */
  jobId: string | undefined;
  finished: FinishedRun | undefined;
  readonly work: JobWork;
  /** Id of the artifact with the output; undefined: there is none. Never rejects. */
  readonly artifactId: Promise<string | undefined>;
  #tellArtifact: (id: string | undefined) => void = () => undefined;
  readonly #call: PreparedCall;
  readonly #scene: CallScene;

  constructor(call: PreparedCall, scene: CallScene, shell: "own" | "shared") {
    this.#call = call;
    this.#scene = scene;
    this.artifactId = new Promise((resolve) => {
      this.#tellArtifact = resolve;
    });
    this.work = (context) => this.#run(shell, this.#watched(context)).finally(() => this.#tellArtifact(undefined));
  }

  #watched(context: JobContext): JobContext {
    return {
      ...context,
      // Whole: without its opener a file on a place would be looked for here.
      setArtifact: (...artifact) => {
        context.setArtifact(...artifact);
        this.#tellArtifact(artifact[0]);
      },
    };
  }

  async #run(shell: "own" | "shared", context: Parameters<JobWork>[0]): Promise<JobEnd> {
    const { session, updates } = this.#scene;
    const call = this.#call;
    const kept = await keepStreams(call, session);
    let captured: CommandResult | undefined;
    const command = bashWork(session.executor, kept?.command ?? call.command, {
      ...executionOptions(call, shell === "shared" ? this.#scene : { session }),
      session: shell,
      // A job's deadline is the end of its life; only who waits in the foreground is asked.
      ...(shell === "shared" && mayOutliveDeadline(call, session)
        ? { onTimeout: (own: JobContext) => atDeadline(call, session, own), lifetimeMs: MAX_TASK_SECONDS * 1_000 }
        : {}),
      describe: (result) => {
        captured = result;
        return result.output;
      },
      onUpdate: (tail) => updates.show(tail, this.#details("running")),
    });
    let end: JobEnd;
    let keptNotice: string | undefined;
    try {
      end = await command(context);
    } catch (error) {
      const thrown = await folderRefusal(error, call.cwd, session.place);
      this.#showEnd(thrown instanceof Error ? thrown.message : String(thrown), "failed");
      throw thrown;
    } finally {
      keptNotice = await kept?.finish();
    }
    if (captured === undefined) return end;
    this.finished = { call, result: captured, backend: "executor", keptNotice };
    const text = describeJob({ ...this.finished, result: asJobResult(captured, shell) });
    this.#showEnd(text, context.signal.aborted ? "cancelled" : end.exitCode === 0 ? "completed" : "failed");
    return { ...end, text };
  }

  #showEnd(text: string, state: AsyncDetails["state"]): void {
    if (this.jobId !== undefined) this.#scene.updates.show(text, this.#details(state));
  }

  #details(state: AsyncDetails["state"]): BashDetails {
    return this.jobId === undefined ? {} : { async: { state, jobId: this.jobId, type: "bash" } };
  }
}

/** What the job's text need not say: the manager lists survivors, and a shell that is gone has no state. */
function asJobResult({ survivors: _, ...result }: CommandResult, shell: "own" | "shared"): CommandResult {
  if (shell === "shared") return result;
  const { workingDir: __, sessionReset: ___, lostWithShell: ____, ...rest } = result;
  return rest;
}

function startedResult(
  call: PreparedCall,
  job: JobView,
  { artifactId, tail = "" }: { artifactId: string | undefined; tail?: string },
): BashToolResult {
  const notices = [...call.rewriteNotices, ...(call.timeout.notice === undefined ? [] : [call.timeout.notice])];
  const parts = [tailBytes(tail, PREVIEW_BYTES).replace(/\n+$/, ""), notices.join("\n"), startedText(job)];
  return {
    content: [{ type: "text", text: parts.filter((part) => part !== "").join("\n\n") }],
    details: {
      ...timeoutDetails(call),
      ...(call.applied.length === 0 ? {} : { applied: call.applied }),
      ...(artifactId === undefined ? {} : { artifactId }),
      async: { state: "running", jobId: job.id, type: "bash" },
    },
  };
}
