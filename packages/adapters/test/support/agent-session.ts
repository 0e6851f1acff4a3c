/**
 * A session with a shell, jobs and a folder of its own, and the tools that a model is given of it. All of it goes away
 * after the test.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { type AnyTool, type BashTool, createBashTool, type TaskSession, toolsForModel } from "@pi-bash/tool";
import { onTestFinished } from "vitest";
import { until } from "../../../../test/support/patience.ts";
import { scratchFolder } from "../../../../test/support/scratch.ts";

export interface AgentSession {
  cwd: string;
  session: TaskSession;
  bash: BashTool;
  /** `bash` and the task tools. */
  tools: AnyTool[];
}

export async function agentSession(more: Partial<TaskSession> = {}): Promise<AgentSession> {
  const cwd = scratchFolder();
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd };
  const executor = createExecutor({}, { hostEnv, cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  onTestFinished(() => asyncJobManager.dispose());
  const session: TaskSession = { cwd, executor, asyncJobManager, hostEnv, getSessionId: () => "agent", ...more };
  const bash = createBashTool(session);
  return { cwd, session, bash, tools: [bash, ...toolsForModel(session)] };
}

/** A command that runs until it is ended; it writes its pid to `pid`. */
export const ENDLESS = "sleep 300 & echo $! > pid; wait";

/** The pid of `ENDLESS`, once it runs. */
export async function pidIn(cwd: string): Promise<number> {
  const file = join(cwd, "pid");
  await until("the command", () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  return Number(readFileSync(file, "utf8"));
}
