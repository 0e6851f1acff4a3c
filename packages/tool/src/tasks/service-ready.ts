/**
 * Waits until a service is ready: all that its readiness names holds at once. Nothing is started or ended here.
 *
 * The job is watched while the wait lasts, so that an end meanwhile is this call's answer and is not delivered as well.
 * A wait that answers no call, after a restart, leaves the end to the owner.
 */
import { randomUUID } from "node:crypto";
import { outputText, type ServiceReady } from "@pi-bash/contract";
import { DEFAULT_READY_SECONDS } from "@pi-bash/contract/internal";
import { clipped } from "@pi-bash/contract/internal/text";
import { waitWithin } from "@pi-bash/contract/internal/wait";
import type { FollowReport, JobManager, JobView, ListeningPort, TaskTerminal } from "@pi-bash/executor";
import { type LogFilter, logFilter } from "@pi-bash/executor/internal";
import type { BashToolSession } from "../session.ts";
import { ToolError } from "../tool-error.ts";
import { oneLine } from "./report.ts";
import { type HttpTarget, httpTarget, probeHttp } from "./service-probe.ts";

/**
 * First and longest pause between two looks, in milliseconds; each is twice the one before. A look costs a few milliseconds, and
 * an agent waits for it.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;
/** Life of the reader that sees the job end, beyond the wait itself, in milliseconds. */
const READER_MARGIN_MS = 10_000;
/** Life after which a service without a readiness counts as ready, in milliseconds. */
const ASSUMED_MS = 2_000;
/** Time that an unfinished line has to stand still to be looked at, in milliseconds. */
const STILL_MS = 300;
/** Characters of an expression or a URL that an answer repeats. */
const SHOWN_CHARS = 200;
/** Output that an answer shows, in bytes. */
const SHOWN_BYTES = 2 * 1024;

/** A readiness that can be looked for. */
export interface Readiness {
  log: { filter: LogFilter; pattern: string } | undefined;
  port: number | undefined;
  http: HttpTarget | undefined;
  timeoutMs: number;
}

/** Compiles a readiness. Throws `ToolError` for one that can never hold. */
export function toReadiness({ log, port, http, timeout_secs: seconds }: ServiceReady = {}): Readiness {
  return {
    log: log === undefined ? undefined : { filter: compiled(log), pattern: log },
    port,
    http: http === undefined ? undefined : httpTarget(http),
    timeoutMs: Math.round((seconds ?? DEFAULT_READY_SECONDS) * 1_000),
  };
}

function compiled(pattern: string): LogFilter {
  try {
    return logFilter(pattern, false);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`Invalid ready.log: ${reason}`, { cause: error });
  }
}

/** What is waited for. */
export interface ReadyJob {
  jobId: string;
  manager: JobManager;
  session: BashToolSession;
  /** Folder of the service. */
  cwd: string;
}

/** How long. */
export interface ReadyWait {
  /** When it was started or asked for, in milliseconds since the Unix epoch. */
  startedAtMs: number;
  /** Ends the wait; the service goes on. */
  stop?: AbortSignal;
  /** Whether an end of the service is this wait's answer: its result is not delivered then. Default true. */
  takesEnd?: boolean;
}

/** What came of the wait. */
export type ReadyEnd =
  | { kind: "ready"; afterMs: number; isAssumed: boolean }
  | { kind: "not_ready"; unmet: string[]; output: string }
  | { kind: "ended"; job: JobView; output: string }
  /** A program of it asks for input: it will not be ready by itself. */
  | { kind: "waiting"; terminal: TaskTerminal }
  | { kind: "interrupted" };

/** Waits. Rejects only where the job is not there. */
export async function awaitReady(ready: ReadyJob, readiness: Readiness, wait: ReadyWait): Promise<ReadyEnd> {
  const { jobId, manager } = ready;
  const over = new AbortController();
  const until = performance.now() + readiness.timeoutMs;
  const following = manager.follow(jobId, {
    reader: `service:${randomUUID()}`,
    timeoutMs: readiness.timeoutMs + READER_MARGIN_MS,
    stop: over.signal,
    wakesOnOutput: false,
    maxBytes: SHOWN_BYTES,
  });
  const look = new ReadyLook(ready, readiness);
  let met: string[] = [];
  let pauseMs = FIRST_PAUSE_MS;
  let isReady = false;
  let hasEnded = false;
  void following.then(
    () => {
      hasEnded = true;
    },
    () => {
      hasEnded = true;
    },
  );
  while (!hasEnded && wait.stop?.aborted !== true) {
    met = await look.unmet();
    isReady = met.length === 0;
    const leftMs = until - performance.now();
    if (isReady || leftMs <= 0 || askingTerminal(ready) !== undefined) break;
    await waitWithin(
      following.then(
        () => undefined,
        () => undefined,
      ),
      {
        timeoutMs: Math.min(pauseMs, leftMs),
        signal: wait.stop,
      },
    );
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
  over.abort();
  const report = await following;
  if (report === undefined) throw new ToolError(`The service's job ${jobId} is not there any more.`);
  const { job } = report;
  if (job.endedAtMs !== undefined) {
    settle(report, wait);
    return { kind: "ended", job, output: report.output.text || (report.text ?? "") };
  }
  report.release();
  if (isReady) return { kind: "ready", afterMs: Date.now() - wait.startedAtMs, isAssumed: look.isAssumed };
  if (wait.stop?.aborted === true) return { kind: "interrupted" };
  const asking = askingTerminal(ready);
  if (asking !== undefined) return { kind: "waiting", terminal: asking };
  return {
    kind: "not_ready",
    unmet: met,
    output: outputText(manager.read(jobId, job.owner)?.text ?? "", true).slice(-SHOWN_BYTES),
  };
}

/** Takes the result of a service that has ended, where that answers a call. */
function settle(report: FollowReport, { takesEnd = true }: ReadyWait): void {
  if (takesEnd) report.commit();
  else report.release();
}

/** The terminal of a program that asks for input. */
function askingTerminal({ manager, jobId }: ReadyJob): TaskTerminal | undefined {
  const terminal = manager.terminal(jobId);
  return terminal?.waiting?.certain === true ? terminal : undefined;
}

/** One look after the other at what a readiness names. */
class ReadyLook {
  readonly #ready: ReadyJob;
  readonly #readiness: Readiness;
  readonly #reader = `service:${randomUUID()}`;
  /** A line has matched since this start: that lasts. */
  #hasLine = false;
  #lastLine = { text: "", atMs: 0 };

  constructor(ready: ReadyJob, readiness: Readiness) {
    this.#ready = ready;
    this.#readiness = readiness;
  }

  /** Nothing was named. */
  get isAssumed(): boolean {
    const { log, port, http } = this.#readiness;
    return log === undefined && port === undefined && http === undefined;
  }

  /** What does not hold, each in a few words. Empty: it is ready. */
  async unmet(): Promise<string[]> {
    const { manager, jobId, session } = this.#ready;
    const { log, port, http } = this.#readiness;
    const unmet: string[] = [];
    if (log !== undefined && !(await this.#hasMatch(log.filter)))
      unmet.push(`log /${shown(log.pattern)}/ (no line matches)`);
    const ports = await manager.ports(jobId);
    if (this.isAssumed && ports.length === 0 && this.#age() < ASSUMED_MS) unmet.push("it has just been started");
    if (port !== undefined && !ports.some((each) => each.port === port))
      unmet.push(`port ${port} (${listeners(ports)})`);
    if (http !== undefined) {
      const answered = await probeHttp(http, session);
      if (!answered.isMet) unmet.push(`http ${shown(http.url.href)} (${answered.why})`);
    }
    return unmet;
  }

  #age(): number {
    const startedAtMs = this.#ready.manager.find(this.#ready.jobId)?.job.startedAtMs ?? 0;
    return Date.now() - startedAtMs;
  }

  async #hasMatch(filter: LogFilter): Promise<boolean> {
    const { manager, jobId } = this.#ready;
    if (this.#hasLine) return true;
    const pattern = this.#readiness.log?.pattern ?? "";
    const report = await manager.follow(jobId, {
      reader: this.#reader,
      filter: pattern,
      timeoutMs: 0,
      wakesOnOutput: true,
      maxBytes: SHOWN_BYTES,
    });
    report?.commit();
    this.#hasLine =
      (report?.output.matches ?? 0) > 0 || (report?.output.text ?? "") !== "" || this.#hasStillLine(filter);
    return this.#hasLine;
  }

  /** A prompt has no end of its line. */
  #hasStillLine(filter: LogFilter): boolean {
    const { manager, jobId } = this.#ready;
    const job = manager.find(jobId)?.job;
    const tail = outputText(manager.read(jobId, job?.owner)?.text ?? "", true);
    const text = tail.slice(tail.lastIndexOf("\n") + 1);
    const now = performance.now();
    if (text !== this.#lastLine.text) this.#lastLine = { text, atMs: now };
    return text !== "" && now - this.#lastLine.atMs >= STILL_MS && filter.matches(text);
  }
}

function listeners(ports: readonly ListeningPort[]): string {
  if (ports.length === 0) return "nothing listens";
  const named = ports.slice(0, 8).map(({ port, program }) => `${program ?? "a program"} listens on ${port}`);
  return [...new Set(named)].join(", ");
}

/** What a call has named, as far as its answer repeats it. */
function shown(named: string): string {
  return clipped(oneLine(named), SHOWN_CHARS);
}
