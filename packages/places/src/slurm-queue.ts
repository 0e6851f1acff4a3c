/**
 * What Slurm says of the job of one place: while it waits in the queue, when it waited for too long, and why it ended.
 *
 * `srun` says on standard error which job it waits for, until `pi-host` answers from inside the job. What comes after that is
 * not read: the programs of a job write to the same stream. Only jobs with the name of this place are ever cancelled.
 */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { LinkEnd } from "./link-end.ts";

/** Time between two questions about a job that waits, in milliseconds. */
const QUEUE_POLL_MS = 5_000;
/** Time that Slurm's own programs may take, in milliseconds. */
const ASK_MS = 10_000;

/** Longest wait for the state of a job that ended, and the time between two looks, in milliseconds. */
const END_MS = 5_000;
const END_POLL_MS = 250;
const UNDER_WAY: ReadonlySet<string> = new Set(["PENDING", "RUNNING", "COMPLETING", "SUSPENDED"]);

/** The id of a job, as `srun` says it on standard error while it waits. */
const WAITING = /^srun: job (\d+) queued and waiting for resources/;
const ALLOCATED = /^srun: job (\d+) has been allocated resources/;

/** What the end of a job means. */
const STATES: Readonly<Record<string, string>> = {
  TIMEOUT: "The job's time limit was reached and Slurm ended the session. Ask for more with `time`.",
  CANCELLED: "The job was cancelled and Slurm ended the session.",
  NODE_FAIL: "The node of the job failed, and the session is gone.",
  OUT_OF_MEMORY: "The job used more memory than it was given and Slurm ended the session. Ask for more with `memory`.",
  PREEMPTED: "The job was preempted by another one and Slurm ended the session.",
  BOOT_FAIL: "The node of the job could not be started.",
  DEADLINE: "The job's deadline was reached and Slurm ended the session.",
};

/** Whose queue it is. */
export interface SlurmQueueOptions {
  /** Name of the place's jobs, which no other place has. */
  readonly jobName: string;
  /** Variables for Slurm's programs, on top of the host's. */
  readonly env: Readonly<Record<string, string>>;
  /** Longest wait in the queue, in milliseconds. */
  readonly queueTimeoutMs: number;
  /** Takes what the queue says. */
  readonly report: ((text: string) => void) | undefined;
}

/** What is known of the job of one place. */
export class SlurmQueue {
  readonly #options: SlurmQueueOptions;
  #job: string | undefined;
  #isConnected = false;
  #poll: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;
  /** Why a job was cancelled that waited for too long. */
  #tooLate: Promise<string> | undefined;

  constructor(options: SlurmQueueOptions) {
    this.#options = options;
  }

  /** Another `srun` is started. */
  begin(): void {
    this.#stopWatching();
    this.#job = undefined;
    this.#isConnected = false;
    this.#tooLate = undefined;
  }

  /** Takes a line of `srun`. */
  hear(line: string): void {
    if (this.#isConnected) return;
    const waiting = WAITING.exec(line)?.[1];
    if (waiting !== undefined) {
      this.#job = waiting;
      this.#watch(waiting);
      this.#options.report?.(`job ${waiting} waits in the queue`);
      return;
    }
    const allocated = ALLOCATED.exec(line)?.[1];
    if (allocated === undefined) return;
    this.#stopWatching();
    this.#options.report?.(`job ${allocated} has its resources`);
  }

  /** The job runs, and `pi-host` in it. */
  connected(job: string | undefined): void {
    this.#stopWatching();
    this.#isConnected = true;
    if (job !== undefined && /^\d+$/.test(job)) this.#job = job;
  }

  /** Cancels a job that did not come to run. Why it did not, as the end of a sentence, where that is known. */
  async giveUp(): Promise<string | undefined> {
    this.#stopWatching();
    const [job, tooLate] = [this.#job, this.#tooLate];
    this.#job = undefined;
    if (tooLate !== undefined) return tooLate;
    if (job !== undefined) await this.#cancel(job);
    return undefined;
  }

  /** Why the job ended, where Slurm says more than that a link was cut. */
  async explain(end: LinkEnd): Promise<string | undefined> {
    const job = this.#job;
    if (job === undefined || end.kind === "closed") return undefined;
    const { state, answer } = await this.#endOf(job);
    const text = state === undefined ? undefined : STATES[state];
    const limit = /\bTimeLimit=(\S+)/.exec(answer ?? "")?.[1];
    if (text === undefined) return undefined;
    // Slurm cancels a job whose `srun` is gone, too: that is the cut connection, and not its reason.
    if (state === "CANCELLED" && end.bye === undefined && !/CANCELLED/.test(end.reason)) return undefined;
    const shown = state === "TIMEOUT" && limit !== undefined ? text.replace("limit was", `limit (${limit}) was`) : text;
    return `${shown} (Slurm job ${job}: ${state})`;
  }

  /** What Slurm says of a job that has ended, or is about to: it takes a moment until it knows. */
  async #endOf(job: string): Promise<{ state: string | undefined; answer: string | undefined }> {
    const giveUp = performance.now() + END_MS;
    for (;;) {
      const answer = await this.#ask("scontrol", ["show", "job", "-o", job]);
      const state = /\bJobState=([A-Z_]+)/.exec(answer ?? "")?.[1];
      if (state === undefined || !UNDER_WAY.has(state) || performance.now() > giveUp) return { state, answer };
      await pause(END_POLL_MS);
    }
  }

  #watch(job: string): void {
    const { report, queueTimeoutMs } = this.#options;
    this.#limit ??= setTimeout(() => {
      this.#tooLate = this.#endLate(job);
    }, queueTimeoutMs);
    if (report === undefined || this.#poll !== undefined) return;
    this.#poll = setInterval(() => {
      void this.#queued(job).then((answer) => {
        if (answer !== undefined && this.#poll !== undefined) report(`job ${job}: ${answer}`);
      });
    }, QUEUE_POLL_MS);
    this.#poll.unref();
  }

  #stopWatching(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#limit);
    this.#poll = undefined;
    this.#limit = undefined;
  }

  /** Cancels a job whose wait is over, which ends its `srun`. As the end of a sentence, why. */
  async #endLate(job: string): Promise<string> {
    const answer = await this.#queued(job);
    await this.#cancel(job);
    const seconds = this.#options.queueTimeoutMs / 1_000;
    const said = answer === undefined ? "" : ` (${answer})`;
    return `job ${job} waited ${seconds} s in the queue${said} and was cancelled; allow more with \`queueTimeoutMs\``;
  }

  /** State, reason and expected start of a job that waits. */
  async #queued(job: string): Promise<string | undefined> {
    const answer = await this.#ask("squeue", ["-h", "-j", job, "-o", "%T %r %S"]);
    const [state, reason, start] = answer?.trim().split(/\s+/) ?? [];
    if (!state || reason === undefined) return undefined;
    const expected = start === undefined || start === "N/A" ? "" : `, expected to start at ${start}`;
    return `${state}, ${reason}${expected}`;
  }

  async #cancel(job: string): Promise<void> {
    await this.#ask("scancel", [`--name=${this.#options.jobName}`, "--", job]);
  }

  /** What one of Slurm's programs says; undefined where it fails. */
  #ask(program: string, args: readonly string[]): Promise<string | undefined> {
    const env = { ...process.env, ...this.#options.env };
    return new Promise((resolve) => {
      execFile(program, args, { env, timeout: ASK_MS, encoding: "utf8" }, (error, stdout) => {
        resolve(error === null ? stdout : undefined);
      });
    });
  }
}
