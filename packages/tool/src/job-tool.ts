/**
 * The job tool: what runs in the background, waiting for it, ending it.
 *
 * Waiting is a view: ending the wait ends no job. A result is given out once; who asks again reads that it was taken.
 */
import { DEFAULT_MAX_BYTES, type Job, JobParams, type TextContent } from "@pi-bash/contract";
import { endedText, type JobManager, type JobReport, listLine } from "@pi-bash/executor";
import { liveUpdates } from "./live-updates.ts";
import { JOB_PROMPT } from "./prompt.ts";
import type { BashToolSession } from "./session.ts";
import { endOf } from "./text-end.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";

/** Longest wait of one call, in milliseconds: 30 minutes, as in the published runtime. */
const MAX_POLL_MS = 30 * 60_000;
/** Time between two updates while waiting, in milliseconds. */
const PROGRESS_INTERVAL_MS = 500;
/** Newest output shown of a job that still runs, in bytes. */
const RUNNING_TAIL_BYTES = 2 * 1024;

/** The answer to a call of `job`. */
export interface JobToolResult {
  content: TextContent[];
  details: { jobs: Job[] };
  isError?: boolean;
}

/** The tool `job`, as an agent registers it. */
export interface JobTool {
  readonly name: "job";
  readonly label: "Jobs";
  readonly description: string;
  readonly parameters: typeof JobParams;
  readonly strict: true;
  /** Beside anything: it reads, waits, and ends what runs elsewhere. */
  readonly concurrency: "shared";
  /** Cancels, then waits, then lists, whatever was asked for; nothing asked for lists. */
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (update: { content: TextContent[] }) => void,
  ): Promise<JobToolResult>;
}

/** Makes the tool for the jobs of a session. */
export function createJobTool(session: BashToolSession): JobTool {
  return {
    name: "job",
    label: "Jobs",
    description: JOB_PROMPT,
    parameters: JobParams,
    strict: true,
    concurrency: "shared",
    execute: async (_toolCallId, params, signal, onUpdate) => {
      if (signal?.aborted) throw new ToolAbortError();
      const { list, poll = [], cancel = [] } = parseParams(params);
      const manager = session.asyncJobManager;
      if (manager === undefined) throw new ToolError("Async job manager unavailable for this session.");
      const desk = new JobDesk(manager, session.getSessionId?.());
      for (const id of new Set(cancel)) await desk.cancel(id);
      if (poll.length > 0) await desk.poll(poll, signal, onUpdate);
      if (list === true || (poll.length === 0 && cancel.length === 0)) desk.list();
      return desk.result();
    },
  };
}

function parseParams(params: unknown): JobParams {
  const parsed = JobParams.safeParse(params);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(": "));
  throw new ToolError(`Invalid job parameters: ${problems.join("; ")}`);
}

/** One call: what was done and what is said about it. */
class JobDesk {
  readonly #manager: JobManager;
  readonly #owner: string | undefined;
  readonly #texts: string[] = [];
  readonly #jobs = new Map<string, Job>();
  #missing = 0;
  #found = 0;

  constructor(manager: JobManager, owner: string | undefined) {
    this.#manager = manager;
    this.#owner = owner;
  }

  async cancel(id: string): Promise<void> {
    const { text, job } = await this.#manager.cancel(id, this.#owner);
    this.#texts.push(text);
    this.#count(job);
  }

  async poll(
    ids: readonly string[],
    signal: AbortSignal | undefined,
    onUpdate: ((update: { content: TextContent[] }) => void) | undefined,
  ): Promise<void> {
    const progress = this.#showProgress(ids, onUpdate);
    try {
      const { reports, isAborted } = await this.#manager.poll(ids, {
        ...this.#ownerOption(),
        timeoutMs: MAX_POLL_MS,
        ...(signal === undefined ? {} : { signal }),
      });
      if (isAborted) throw new ToolAbortError("Waiting was aborted; the jobs go on.");
      const ended = reports.filter((report) => report.kind === "ended").length;
      const room = Math.floor(DEFAULT_MAX_BYTES / Math.max(1, ended));
      for (const report of reports) {
        this.#texts.push(endOf(reportText(report), room));
        this.#count(report.kind === "not_found" ? undefined : report.job);
      }
    } finally {
      progress.end();
    }
  }

  list(): void {
    const jobs = this.#manager.list(this.#owner);
    for (const job of jobs) this.#count(job);
    const lines = jobs.map((job) => listLine(job, Date.now()));
    this.#texts.push(lines.length === 0 ? "No background jobs." : lines.join("\n"));
  }

  result(): JobToolResult {
    const isError = this.#missing > 0 && this.#found === 0;
    return {
      content: [{ type: "text", text: this.#texts.join("\n\n") }],
      details: { jobs: [...this.#jobs.values()] },
      ...(isError ? { isError } : {}),
    };
  }

  #count(job: Job | undefined): void {
    if (job === undefined) this.#missing += 1;
    else {
      this.#found += 1;
      this.#jobs.set(job.id, job);
    }
  }

  #ownerOption(): { owner?: string } {
    return this.#owner === undefined ? {} : { owner: this.#owner };
  }

  /** Shows the newest output of the jobs, when there is any news. */
  #showProgress(
    ids: readonly string[],
    onUpdate: ((update: { content: TextContent[] }) => void) | undefined,
  ): { end(): void } {
    if (onUpdate === undefined) return { end: () => undefined };
    const updates = liveUpdates(onUpdate);
    let shown = "";
    const timer = setInterval(() => {
      const tails = ids.flatMap((id) => this.#manager.read(id, this.#owner) ?? []);
      const text = tails.map(({ job, text: tail }) => `${job.id}: ${lastLine(tail)}`).join("\n");
      if (text === shown) return;
      shown = text;
      updates.show(text);
    }, PROGRESS_INTERVAL_MS);
    return { end: () => clearInterval(timer) };
  }
}

function reportText(report: JobReport): string {
  switch (report.kind) {
    case "not_found":
      return `Background job not found: ${report.id}`;
    case "running": {
      const tail = endOf(report.tail, RUNNING_TAIL_BYTES).trimEnd();
      return tail === "" ? listLine(report.job, Date.now()) : `${listLine(report.job, Date.now())}\n${tail}`;
    }
    case "ended":
      if (report.text !== undefined) return endedText(report.job, report.text, report.job.artifactId);
      return `${listLine(report.job, Date.now())}\nIts result was taken before.`;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
