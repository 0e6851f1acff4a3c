/**
 * A session on the real executor, with a folder of its own, that goes away after its test; and calling its tools.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BashToolResult, BashToolUpdate, SettingsInput } from "@pi-bash/contract";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { onTestFinished } from "vitest";
import { until as untilTrue } from "../../../../test/support/patience.ts";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import { createBashTool } from "../../src/bash-tool.ts";
import { createJobTool, type JobToolResult, type JobUpdateListener } from "../../src/job-tool.ts";
import type { BashToolSession, ToolContext } from "../../src/session.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";

/** Longest wait for something that takes a moment on an idle machine. */
const PATIENCE_MS = 20_000;

export interface Scene {
  folder: string;
  session: BashToolSession;
  /** Calls the bash tool. */
  bash: (params: object, more?: CallMore) => Promise<BashToolResult>;
  /** Calls the job tool. */
  job: (params: object, signal?: AbortSignal, onUpdate?: JobUpdateListener) => Promise<JobToolResult>;
}

export interface CallMore {
  signal?: AbortSignal;
  updates?: BashToolUpdate[];
  context?: ToolContext;
}

/** A session. The user's rc is not loaded; the environment is nearly empty. */
export function scene(settings: SettingsInput = {}, ports: Partial<BashToolSession> = {}): Scene {
  const folder = scratchFolder();
  const home = join(folder, "home");
  mkdirSync(home);
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" };
  const executor = createExecutor(settings, { hostEnv, cwd: folder, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  const session: BashToolSession = {
    cwd: folder,
    settings,
    executor,
    hostEnv,
    getSessionId: () => "agent-1",
    ...ports,
  };
  const bash = createBashTool(session);
  const job = createJobTool(session);
  return {
    folder,
    session,
    bash: (params, { signal, updates, context } = {}) =>
      bash.execute("call-1", params, signal, (update) => updates?.push(update), context),
    job: (params, signal, onUpdate) => job.execute("call-2", params, signal, onUpdate),
  };
}

/** Whether the kernel can hold what only reads: on Linux with Landlock, seccomp and the bash driver. */
export async function canConfine({ session }: Pick<Scene, "session">): Promise<boolean> {
  return (await session.executor.confinement()).available;
}

/** A job manager that goes away after the test. */
export async function jobs(options: Parameters<typeof JobManager.open>[0] = {}): Promise<JobManager> {
  const manager = await JobManager.open(options);
  onTestFinished(() => manager.dispose());
  return manager;
}

/** The text of an answer. */
export function textOf(result: Pick<BashToolResult, "content">): string {
  return result.content.map(({ text }) => text).join("");
}

/** What a call throws; fails where it does not. */
export async function thrown(call: Promise<unknown>): Promise<ToolError | ToolAbortError> {
  const error = await call.then(
    () => new Error("nothing was thrown"),
    (reason: unknown) => reason,
  );
  if (error instanceof ToolError || error instanceof ToolAbortError) return error;
  throw error;
}

/** Waits until `holds` is true; fails with `what` when it does not become so. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await untilTrue(what, holds, PATIENCE_MS);
}
