/**
 * The job tool: what runs in the background, waiting for it, ending it.
 *
 * Waiting is a view: ending the wait ends no job. A result is given out once; who asks again reads that it was taken.
 */

import { type BashDetails, type JobDetails, JobParams, type ReportedJob, type TextContent } from "@pi-bash/contract";
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { JobManager, JobReport, JobView } from "@pi-bash/executor";
import { endedText, guardListener, listLine, warnAboutListener } from "@pi-bash/executor/internal";
import { parseParams } from "./call-params.ts";
import { settingsReader } from "./call-settings.ts";
import { checkSignal } from "./call-signal.ts";
import { JOB_PROMPT } from "./prompt.ts";
import type { BashToolSession } from "./session.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";

/** Longest wait of one call, in milliseconds: 30 minutes, as in the published runtime. */
const MAX_POLL_MS = 30 * 60_000;
/** Time between two updates while waiting, in milliseconds. */
const PROGRESS_INTERVAL_MS = 500;
/** Newest output shown of a job that still runs, in bytes. */
const RUNNING_TAIL_BYTES = 2 * 1024;
/** Said of a job whose result someone has. */
const TAKEN = "Its result was taken before.";

/** The answer to a call of `job`. */
export interface JobToolResult {
  content: TextContent[];
  /** The same facts for programs. */
  details: JobDetails;
  isError?: boolean;
}

/**
 * A look at a wait that goes on: the last line of each job, and as details how the jobs stand and the end of their output.
 * An update of the bash tool fits the type as well, so that one listener does for all tools.
 */
export interface JobToolUpdate {
  content: TextContent[];
  details: JobDetails & BashDetails;
}

/** Notified of the jobs while they are waited for: when one has news, at most twice a second, and each second of the wait. */
export type JobUpdateListener = (update: JobToolUpdate) => unknown;

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
    onUpdate?: JobUpdateListener,
  ): Promise<JobToolResult>;
}

/** Makes the tool for the jobs of a session. */
export function createJobTool(session: BashToolSession): JobTool {
  const settings = settingsReader(session);
  return {
    name: "job",
    label: "Jobs",
    description: JOB_PROMPT,
    parameters: JobParams,
    strict: true,
    concurrency: "shared",
    execute: async (_toolCallId, params, signal, onUpdate) => {
      checkSignal(signal);
      const { list, poll = [], cancel = [] } = parseParams({ tool: "job", schema: JobParams }, params);
      const manager = session.asyncJobManager;
      if (manager === undefined) throw new ToolError("Async job manager unavailable for this session.");
      const desk = new JobDesk(manager, session.getSessionId?.(), settings()["bash.outputMaxBytes"]);
      for (const id of new Set(cancel)) await desk.cancel(id);
      if (poll.length > 0) await desk.poll(poll, signal, onUpdate);
      if (list === true || (poll.length === 0 && cancel.length === 0)) desk.list();
      return desk.result();
    },
  };
}

/** One call: what was done and what is said about it. */
class JobDesk {
  readonly #manager: JobManager;
  readonly #owner: string | undefined;
  /** Most bytes of what is reported. */
  readonly #maxBytes: number;
  readonly #texts: string[] = [];
  readonly #jobs = new Map<string, ReportedJob>();
  readonly #missing = new Set<string>();

  constructor(manager: JobManager, owner: string | undefined, maxBytes: number) {
    this.#manager = manager;
    this.#owner = owner;
    this.#maxBytes = maxBytes;
  }

  async cancel(id: string): Promise<void> {
    const before = this.#manager.read(id, this.#owner)?.job.state;
    const { text, job } = await this.#manager.cancel(id, this.#owner);
    this.#texts.push(text);
    // What ran is cancelled now, and its state says so.
    this.#tell(id, job, before === "running" ? {} : { note: text });
  }

  async poll(
    ids: readonly string[],
    signal: AbortSignal | undefined,
    onUpdate: JobUpdateListener | undefined,
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
      const room = Math.floor(this.#maxBytes / Math.max(1, ended));
      for (const report of reports) {
        this.#texts.push(tailBytes(reportText(report), room));
        this.#tell(report.id, report.kind === "not_found" ? undefined : report.job, factsOf(report, room));
      }
    } finally {
      progress.end();
    }
  }

  list(): void {
    const jobs = this.#manager.list(this.#owner);
    for (const job of jobs) this.#tell(job.id, job, {});
    const lines = jobs.map((job) => listLine(job, Date.now()));
    this.#texts.push(lines.length === 0 ? "No background jobs." : lines.join("\n"));
  }

  result(): JobToolResult {
    const isError = this.#missing.size > 0 && this.#jobs.size === 0;
    return {
      content: [{ type: "text", text: this.#texts.join("\n\n") }],
      details: this.#details([]),
      ...(isError ? { isError } : {}),
    };
  }

  /** What is known of a job by now. `more`: what only the one who asked for it is reported. */
  #tell(id: string, job: JobView | undefined, more: ReportFacts): void {
    if (job === undefined) this.#missing.add(id);
    else this.#jobs.set(id, { ...this.#jobs.get(id), ...reported(job), ...more });
  }

  /** The jobs reported so far, and how some of them stand now. */
  #details(now: readonly ReportedJob[]): JobDetails {
    const jobs = new Map([...this.#jobs, ...now.map((job) => [job.id, job] as const)]);
    return {
      jobs: [...jobs.values()],
      ...(this.#missing.size === 0 ? {} : { missingIds: [...this.#missing] }),
    };
  }

  #ownerOption(): { owner?: string } {
    return this.#owner === undefined ? {} : { owner: this.#owner };
  }

  /** Shows the newest output of the jobs: when there is any news, and each second how long they have been running. */
  #showProgress(ids: readonly string[], onUpdate: JobUpdateListener | undefined): { end(): void } {
    if (onUpdate === undefined) return { end: () => undefined };
    const tell = guardListener(onUpdate, warnAboutListener("updates"));
    let shown = "";
    const timer = setInterval(() => {
      const looks = [...new Set(ids)].flatMap((id) => this.#manager.read(id, this.#owner) ?? []);
      const text = looks.map(({ job, text: tail }) => `${job.id}: ${lastLine(tail)}`).join("\n");
      const jobs = looks.map(({ job, text: tail }) => ({
        ...reported(job),
        output: tailBytes(tail, RUNNING_TAIL_BYTES),
      }));
      const news = [text, ...jobs.map(({ elapsedMs }) => Math.floor(elapsedMs / 1_000))].join("\n");
      if (news === shown) return;
      shown = news;
      tell({ content: [{ type: "text", text }], details: this.#details(jobs) });
    }, PROGRESS_INTERVAL_MS);
    return { end: () => clearInterval(timer) };
  }
}

type ReportFacts = Pick<ReportedJob, "output" | "note">;

/** What a person is shown of a report besides the job: as much output as the model is, but from the end. */
function factsOf(report: JobReport, room: number): ReportFacts {
  switch (report.kind) {
    case "not_found":
      return {};
    case "running":
      return { output: tailBytes(report.tail, RUNNING_TAIL_BYTES) };
    case "ended":
      return report.text === undefined ? { note: TAKEN } : { output: tailBytes(report.text, room) };
  }
}

/** A job as it stands now. */
function reported({ survivors, ...job }: JobView): ReportedJob {
  return {
    ...job,
    ...(survivors === undefined ? {} : { survivors: [...survivors] }),
    elapsedMs: Math.max(0, (job.endedAtMs ?? Date.now()) - job.startedAtMs),
  };
}

function reportText(report: JobReport): string {
  switch (report.kind) {
    case "not_found":
      return `Background job not found: ${report.id}`;
    case "running": {
      const tail = tailBytes(report.tail, RUNNING_TAIL_BYTES).trimEnd();
      return tail === "" ? listLine(report.job, Date.now()) : `${listLine(report.job, Date.now())}\n${tail}`;
    }
    case "ended":
      if (report.text !== undefined) return endedText(report.job, report.text, report.job.artifactId);
      return `${listLine(report.job, Date.now())}\n${TAKEN}`;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
