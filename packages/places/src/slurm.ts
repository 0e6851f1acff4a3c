/**
 * A place on a cluster: one `srun`, whose job is the place and whose one step is `pi-host`.
 *
 * All sessions share the job, so a session costs a frame and not a queue. The job lives as long as its `srun`: where this
 * host dies, Slurm ends the job, and no allocation is left that has no user. While the job waits, what the queue says is
 * passed on. After the end, Slurm is asked why.
 */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { LinkEnd } from "./link-end.ts";
import type { SlurmOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Longest wait in the queue, in milliseconds: an hour. */
const DEFAULT_QUEUE_MS = 3_600_000;
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

/**
 * Words before a program that give it the environment of a login on the node. `srun` would copy the environment of this host,
 * whose paths and secrets are not the node's.
 */
const LOGIN_WORDS = [
  "/bin/sh",
  "-c",
  [
    "pb_u=$(id -un)",
    'case $pb_u in "" | *[!A-Za-z0-9._-]*) ;; *) eval "HOME=~$pb_u"; USER=$pb_u; LOGNAME=$pb_u; export HOME USER LOGNAME ;; esac',
    `unset pb_u; exec /bin/sh -l -c 'exec "$@"' sh "$@"`,
  ].join("; "),
  "sh",
] as const;

/** A Slurm place. */
export function slurmTransport(options: SlurmOptions): Transport {
  const queue = new SlurmQueue(options);
  const { partition, queueTimeoutMs = DEFAULT_QUEUE_MS } = options;
  return {
    name: partition === undefined ? "slurm" : `slurm:${partition}`,
    argv: (words) => ["srun", ...resourceWords(options), "--", ...LOGIN_WORDS, ...words],
    waitMs: queueTimeoutMs,
    hearError: (line) => queue.hear(line),
    onConnected: (env) => queue.begin(env["SLURM_JOB_ID"]),
    explain: (end) => queue.explain(end),
    giveUp: () => queue.giveUp(),
  };
}

function resourceWords(options: SlurmOptions): string[] {
  const { partition, account, qos, time, cpus, memory, gres } = options;
  const chosen: readonly (readonly [string, string | number | undefined])[] = [
    ["--partition", partition],
    ["--account", account],
    ["--qos", qos],
    ["--time", time],
    ["--cpus-per-task", cpus],
    ["--mem", memory],
    ["--gres", gres],
  ];
  return [
    "--job-name=pi-bash",
    "--nodes=1",
    "--ntasks=1",
    "--export=PI_HOST_CACHE",
    // `srun` reads standard input on behalf of all tasks otherwise, and there is one.
    "--input=0",
    ...chosen.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`),
  ];
}

/** What is known of the job of one place. */
class SlurmQueue {
  readonly #options: SlurmOptions;
  #job: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlurmOptions) {
    this.#options = options;
  }

  /** Takes a line of `srun`. */
  hear(line: string): void {
    const waiting = WAITING.exec(line)?.[1];
    if (waiting !== undefined) {
      this.#job = waiting;
      this.#watch(waiting);
      this.#options.onQueue?.(`job ${waiting} waits in the queue`);
      return;
    }
    const allocated = ALLOCATED.exec(line)?.[1];
    if (allocated === undefined) return;
    this.#stopWatching();
    this.#options.onQueue?.(`job ${allocated} has its resources`);
  }

  /** The job runs. */
  begin(job: string | undefined): void {
    this.#stopWatching();
    if (job !== undefined && /^\d+$/.test(job)) this.#job = job;
  }

  /** Cancels a job that was waited for in vain. Only one of ours: what runs over there can write lines like those of `srun`. */
  async giveUp(): Promise<void> {
    this.#stopWatching();
    const job = this.#job;
    this.#job = undefined;
    if (job !== undefined) await this.#ask("scancel", ["--name=pi-bash", "--", job]);
  }

  /** Why the job ended, where Slurm says more than that a link was cut. */
  async explain(end: LinkEnd): Promise<string | undefined> {
    if (this.#job === undefined || end.kind === "closed") return undefined;
    const { state, answer } = await this.#endOf(this.#job);
    const text = state === undefined ? undefined : STATES[state];
    const limit = /\bTimeLimit=(\S+)/.exec(answer ?? "")?.[1];
    if (text === undefined) return undefined;
    // Slurm cancels a job whose `srun` is gone, too: that is the cut connection, and not its reason.
    if (state === "CANCELLED" && end.bye === undefined && !/CANCELLED/.test(end.reason)) return undefined;
    const shown = state === "TIMEOUT" && limit !== undefined ? text.replace("limit was", `limit (${limit}) was`) : text;
    return `${shown} (Slurm job ${this.#job}: ${state})`;
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
    const { onQueue } = this.#options;
    if (onQueue === undefined || this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      void this.#ask("squeue", ["-h", "-j", job, "-o", "%T %r %S"]).then((answer) => {
        if (answer?.trim()) onQueue(`job ${job}: ${answer.trim()}`);
      });
    }, QUEUE_POLL_MS);
    this.#timer.unref();
  }

  #stopWatching(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
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
