/**
 * Agents as tasks: what an agent's author supplies, so that agents and commands are waited for and ended alike.
 *
 * An agent works in a workspace, whose id owns the commands that it starts. Nothing here runs an agent.
 */
import type { TaskStatus } from "@pi-bash/contract";

/** One agent below a workspace. */
export interface AgentTask {
  taskId: string;
  /** Where it works; owner of its commands. */
  workspaceId: string;
  parentWorkspaceId?: string;
  status: TaskStatus;
  agentType?: string;
  title?: string;
  /** Milliseconds since the Unix epoch. */
  createdAtMs?: number;
  /** 1: the workspace that asks started it itself. */
  depth: number;
}

/** What it was asked for. */
export interface AgentStart {
  subagent_type: string;
  prompt: string;
  title: string;
  /** The workspace that starts it. */
  workspaceId: string | undefined;
}

/** What an agent's task came to: its report in Markdown, with a title and a note. */
export interface AgentReport {
  reportMarkdown: string;
  title?: string;
  note?: string;
}

/** The agents of a host. What it throws is reported to the model for that task. */
export interface AgentTasks {
  start(request: AgentStart, signal?: AbortSignal): Promise<{ taskId: string; status: "queued" | "running" }>;
  /** All agents below a workspace, at any depth; ended ones too, as long as they are remembered. */
  descendants(workspaceId: string | undefined): readonly AgentTask[] | Promise<readonly AgentTask[]>;
  /** How deep a workspace is: 0 is the one that a person opened. */
  depthOf(workspaceId: string | undefined): number;
  /** Resolves with the report once it is there; rejects when it will never be. `signal` ends the wait, not the agent. */
  waitForReport(taskId: string, signal: AbortSignal): Promise<AgentReport>;
  /** The report, if it is there. Never waits for one. */
  reportOf(taskId: string): AgentReport | undefined | Promise<AgentReport | undefined>;
  /** Ends an agent and all below it. The ids of all that it ended. */
  terminate(taskId: string): Promise<readonly string[]>;
}
