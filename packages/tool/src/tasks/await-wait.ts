/**
 * Waiting for several tasks at once: each has its own wait, and all end together when enough are ready.
 *
 * What a wait has read is given out only when the whole call answers (`commit`); a call that is aborted gives all of it
 * back (`release`).
 */

import type { TaskAwaitEntry } from "@pi-bash/contract";
import { withDeadline } from "@pi-bash/contract/internal/abort";
import { tailBytes } from "@pi-bash/contract/internal/text";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import type { FollowReport, JobManager, OwnedJob, TaskTerminal } from "@pi-bash/executor";
import { orStopped } from "./agent-task.ts";
import type { AgentReport, AgentTask, AgentTasks } from "./agent-tasks.ts";
import { bashReport, leftOutNote, truncationOf } from "./report.ts";
import type { ScopedTask } from "./scope.ts";
import { toTaskPorts } from "./service-report.ts";
import { terminalEntry } from "./tty-report.ts";

/** Most time the host gets to say whether there is a report, in milliseconds. */
const REPORT_BOUND_MS = 5_000;

/** What one call waits for, and how. */
export interface AwaitOptions {
  reader: string;
  filter: string | undefined;
  filterExclude: boolean;
  /** Milliseconds; 0: not at all. */
  timeoutMs: number;
  /** Whether new output makes a task ready; otherwise only its end does. */
  wakesOnOutput: boolean;
  /** Most bytes of output of one task. */
  maxBytes: number;
  /** Most lines of output of one task. Absent: any number within the bytes. */
  maxLines: number | undefined;
  /** Show the screens of tasks on a terminal, whatever is on them. */
  wantsScreen?: boolean;
  /** A task that waits for input ends the wait, also where its prompt is known: no other one can. */
  wakesOnWaiting?: boolean;
}

/** One task as it stands when the waiting is over. */
export interface Waited {
  entry: TaskAwaitEntry;
  /** It has ended, or has something new to tell. */
  isReady: boolean;
  commit(): void;
  release(): void;
}

/** Where the tasks are. */
export interface AwaitPorts {
  manager: JobManager;
  agents: AgentTasks | undefined;
  now(): number;
}

/** Waits for one task until it is ready, the time is over, or `stop` is aborted. Never rejects. */
export async function waitForTask(
  task: ScopedTask,
  options: AwaitOptions,
  stop: AbortSignal,
  ports: AwaitPorts,
): Promise<Waited> {
  try {
    switch (task.kind) {
      case "bash":
        return await waitForBash(task.taskId, task.owned, { options, stop, ports });
      case "agent":
        return plain(await waitForAgent(task.agent, { options, stop, ports }));
      case "not_found":
      case "invalid_scope":
        return plain({ status: task.kind, taskId: task.taskId });
    }
  } catch (error) {
    return plain({
      status: "error",
      taskId: task.taskId,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** A task about which nothing has to be taken. */
export function plain(entry: TaskAwaitEntry): Waited {
  return {
    entry,
    isReady: entry.status === "completed" || entry.status === "error",
    commit: () => undefined,
    release: () => undefined,
  };
}

interface One {
  options: AwaitOptions;
  stop: AbortSignal;
  ports: AwaitPorts;
}

async function waitForBash(taskId: string, owned: OwnedJob, { options, stop, ports }: One): Promise<Waited> {
  const { filter, filterExclude, maxLines, wantsScreen = false, ...follow } = options;
  const report = await ports.manager.follow(owned.job.id, {
    ...follow,
    stop,
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(filter === undefined ? {} : { filter, filterExclude }),
  });
  if (report === undefined) return plain({ status: "not_found", taskId });
  const terminal = ports.manager.terminal(owned.job.id);
  const found = entryOf(taskId, report, { ...options, terminal, wantsScreen }, ports.now());
  const entry = await withPorts(found, owned.job.id, ports.manager);
  const hasNews = report.output.text !== "" || ("waiting" in entry && entry.waiting?.certain === true);
  const isReady = entry.status === "completed" || (options.wakesOnOutput && hasNews);
  return { entry, isReady, commit: report.commit, release: report.release };
}

async function withPorts(entry: TaskAwaitEntry, jobId: string, manager: JobManager): Promise<TaskAwaitEntry> {
  if (entry.status !== "running") return entry;
  const found = toTaskPorts(await manager.ports(jobId));
  return found.length === 0 ? entry : { ...entry, ports: found };
}

/** How an entry is made of what was read. */
export interface EntryOptions extends Pick<AwaitOptions, "filter" | "maxBytes" | "maxLines"> {
  /** The terminal that the task runs on. */
  terminal: TaskTerminal | undefined;
  wantsScreen?: boolean;
}

/** What is said of one command, from what was read of it. */
export function entryOf(taskId: string, report: FollowReport, options: EntryOptions, nowMs: number): TaskAwaitEntry {
  const hasEnded = report.job.endedAtMs !== undefined;
  return hasEnded ? endedEntry(taskId, report, options) : runningEntry(taskId, report, options, nowMs);
}

function runningEntry(
  taskId: string,
  report: FollowReport,
  { filter, terminal, wantsScreen = false }: EntryOptions,
  nowMs: number,
): TaskAwaitEntry {
  const { job, output } = report;
  const note = joined([leftOutNote(output, job, filter), problemNote(report)]);
  const facts = terminalEntry(terminal, wantsScreen);
  // What a program has drawn is its screen; the same as lines says nothing.
  const isDrawn = facts.screen !== undefined && facts.screen.alternate === false && terminal?.isDrawn === true;
  return {
    status: "running",
    taskId,
    output: isDrawn ? "" : output.text,
    ...facts,
    elapsed_ms: Math.max(0, nowMs - job.startedAtMs),
    ...(note === undefined ? {} : { note }),
  };
}

function endedEntry(taskId: string, report: FollowReport, { filter, ...bounds }: EntryOptions): TaskAwaitEntry {
  const { job, output, text = "" } = report;
  const isAgain = output.text === "" && filter === undefined;
  const truncated = truncationOf(output, leftOutNote(output, job, filter));
  const note = joined([
    stopNote(text),
    isAgain && text.trim() !== "" ? againNote(job.artifactId) : undefined,
    leftOutNote(output, job, filter),
    problemNote(report),
  ]);
  return {
    status: "completed",
    taskId,
    ...(job.title === undefined ? {} : { title: job.title }),
    // A late reader gets the end of the result again: what it has read before may be gone from its memory.
    reportMarkdown: bashReport(taskId, job, isAgain ? endOfResult(text, bounds) : output.text),
    output: output.text,
    elapsed_ms: Math.max(0, (job.endedAtMs ?? job.startedAtMs) - job.startedAtMs),
    ...(job.exitCode === undefined ? {} : { exitCode: job.exitCode }),
    ...(job.usage === undefined ? {} : { usage: job.usage }),
    ...(note === undefined ? {} : { note }),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

/** A result begins with a line in brackets where its command was stopped. */
function stopNote(text: string): string | undefined {
  return /^\[Command (?:timed out|cancelled)[^\]\n]*\]/.exec(text)?.[0];
}

function againNote(artifactId: string | undefined): string {
  const place = artifactId === undefined ? "" : ` All of it: artifact://${artifactId}`;
  return `There is no newer output; this is the end of the result.${place}`;
}

function problemNote({ problem }: FollowReport): string | undefined {
  return problem === undefined ? undefined : `The whole output cannot be read: ${problem}`;
}

function joined(notes: readonly (string | undefined)[]): string | undefined {
  const there = notes.filter((note) => note !== undefined);
  return there.length === 0 ? undefined : there.join("\n");
}

function endOfResult(text: string, { maxBytes, maxLines }: Pick<AwaitOptions, "maxBytes" | "maxLines">): string {
  const cut = tailBytes(text, maxBytes);
  const lineStart = cut.indexOf("\n") + 1;
  // From the beginning of a line, but for a long one, whose end is better than nothing of it.
  const whole = cut.length === text.length || lineStart > cut.length / 2 ? cut : cut.slice(lineStart);
  return maxLines === undefined ? whole : whole.split("\n").slice(-maxLines).join("\n");
}

async function waitForAgent(agent: AgentTask, { options, stop, ports }: One): Promise<TaskAwaitEntry> {
  const { taskId, status } = agent;
  const { agents } = ports;
  const asked = await waitAtMost(async () => agents?.reportOf(taskId), REPORT_BOUND_MS);
  if (asked.kind === "error") throw asked.error;
  const there = asked.kind === "value" ? asked.value : undefined;
  if (there !== undefined) return agentEntry(agent, there, ports.now());
  const elapsed = agent.createdAtMs === undefined ? {} : { elapsed_ms: Math.max(0, ports.now() - agent.createdAtMs) };
  if (status === "reported") return { status: "error", taskId, error: "The task has ended and its report is gone." };
  if (agents === undefined || options.timeoutMs <= 0) return { status, taskId, ...elapsed };
  const over = withDeadline(options.timeoutMs, [stop]);
  try {
    const report = await orStopped(agents.waitForReport(taskId, over.signal), over.signal);
    return report === "stopped" ? { status, taskId, ...elapsed } : agentEntry(agent, report, ports.now());
  } finally {
    over.end();
  }
}

function agentEntry(agent: AgentTask, report: AgentReport, nowMs: number): TaskAwaitEntry {
  const title = report.title ?? agent.title;
  return {
    status: "completed",
    taskId: agent.taskId,
    reportMarkdown: report.reportMarkdown,
    ...(title === undefined ? {} : { title }),
    ...(report.note === undefined ? {} : { note: report.note }),
    ...(agent.createdAtMs === undefined ? {} : { elapsed_ms: Math.max(0, nowMs - agent.createdAtMs) }),
  };
}
