/**
 * One session that a host keeps: its executor, its jobs, and the client that is there now.
 *
 * # Theory of operation
 * A session outlives its clients. One client at a time is served over it; the next one of the same name displaces it, since
 * an agent that comes back often finds the connection of the one that died before it. What a client leaves running goes
 * on as a job. Who looks on (`attach`) is notified of each call and holds up none.
 */
import type { HostSeat, KeptEntry } from "@pi-bash/contract/internal";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { JobManager, type JobWatch, type OwnedJob } from "@pi-bash/executor";
import type { AnyTool } from "@pi-bash/tool";
import { parsePlace } from "../place-option.ts";
import { openSeat, type Seat } from "../seat.ts";
import type { Bench } from "../serve/bench.ts";
import { checkSame, settingsOf } from "./session-terms.ts";
import { wrappedTool } from "./wrapped-tool.ts";

/** Most time that a displaced client's serving may take to end, in milliseconds. */
const DISPLACE_BOUND_MS = 5_000;
/** Most time that a job or a command may take to end, in milliseconds. */
const END_BOUND_MS = 10_000;
/** Time between two looks at a command that is to end, in milliseconds. */
const LOOK_MS = 20;

/** A client that is served. */
export interface ServedClient {
  /** Ends the serving; `reason` is for the client's person. Resolves when it has ended. */
  displace(reason: string): Promise<void>;
}

/** A call of a tool, for whoever looks on. */
export interface SeenCall {
  readonly tool: string;
  readonly params: unknown;
  /** Absent: it has begun. */
  readonly answer?: object;
}

export class KeptSession {
  readonly name: string;
  readonly sinceMs = Date.now();
  readonly seat: Seat;
  readonly jobs: JobManager;
  readonly #made: HostSeat;
  readonly #onlookers = new Set<(call: SeenCall) => void>();
  #client: ServedClient | undefined;
  /** Clients and single calls that are served. */
  #served = 0;
  #leftAtMs = performance.now();
  #clients = 0;
  readonly #over = new AbortController();
  #ending: Promise<void> | undefined;

  private constructor(made: HostSeat, seat: Seat, jobs: JobManager) {
    this.name = made.name;
    this.#made = made;
    this.seat = seat;
    this.jobs = jobs;
  }

  /** Makes a session for its first client. Rejects where its place cannot be had. */
  static async open(made: HostSeat): Promise<KeptSession> {
    const settings = settingsOf(made);
    const { cwd, env: hostEnv, requireSessions, artifacts, on, keep } = made;
    const seat = await openSeat({
      settings,
      cwd,
      hostEnv,
      requireSessions,
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(on === undefined ? {} : { on: parsePlace(on, keep) }),
    });
    const maxJobs = settings["async.maxJobs"];
    return new KeptSession(made, seat, await JobManager.open({ artifacts: seat.executor.artifacts, maxJobs }));
  }

  /** Refuses who asks for another session than this one is. Throws `HostError`. */
  check(asked: HostSeat): void {
    checkSame(this.#made, asked);
  }

  /** The session for what serves a client of it. */
  get bench(): Bench {
    return { seat: this.seat, jobs: this.jobs, sessionId: this.name, hostEnv: this.#made.env };
  }

  get hasClient(): boolean {
    return this.#client !== undefined;
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Aborted when the session has ended. */
  get ended(): AbortSignal {
    return this.#over.signal;
  }

  /** Since when it has had no client and has run nothing, in milliseconds; undefined: it is in use. */
  get idleMs(): number | undefined {
    const isUsed = this.#served > 0 || this.jobs.runningCount > 0 || this.jobs.foreground.list().length > 0;
    if (isUsed) this.#leftAtMs = performance.now();
    return isUsed ? undefined : performance.now() - this.#leftAtMs;
  }

  /** Serves a client while `serve` runs. It is the only one: the one before it is displaced. */
  async admit(client: ServedClient, serve: (isFirst: boolean) => Promise<void>): Promise<void> {
    const before = this.#client;
    this.#client = client;
    if (before !== undefined) {
      const leaving = before.displace(`another client took the session \`${this.name}\` over`);
      await settlesWithin(leaving, DISPLACE_BOUND_MS);
    }
    this.#clients += 1;
    try {
      await this.during(() => serve(this.#clients === 1));
    } finally {
      if (this.#client === client) this.#client = undefined;
    }
  }

  /** Counts as in use while `work` runs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#served += 1;
    try {
      return await work();
    } finally {
      this.#served -= 1;
      this.#leftAtMs = performance.now();
    }
  }

  /** Shows calls to `onlooker` from now on. Returns what ends that. */
  watchCalls(onlooker: (call: SeenCall) => void): () => void {
    this.#onlookers.add(onlooker);
    return () => this.#onlookers.delete(onlooker);
  }

  /** A tool whose calls are seen by those who look on. */
  seen(tool: AnyTool): AnyTool {
    const show = (call: SeenCall): void => {
      for (const onlooker of [...this.#onlookers]) onlooker(call);
    };
    return wrappedTool(tool, async ([, params], execute) => {
      show({ tool: tool.name, params });
      try {
        const answer = await execute();
        show({ tool: tool.name, params, answer });
        return answer;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        show({ tool: tool.name, params, answer: { content: [{ type: "text", text }], isError: true } });
        throw error;
      }
    });
  }

  /** The session, its jobs and what runs in the foreground, as they are listed. */
  entries(): KeptEntry[] {
    const { seat, name } = this;
    const place = seat.at.place?.name;
    const common = {
      session: name,
      folder: seat.executor.folders.get(name) ?? seat.cwd,
      hasClient: this.hasClient,
      ...(place === undefined ? {} : { place }),
    };
    const commands = this.jobs.foreground.list();
    const own = { kind: "session", id: name, state: commands.length > 0 ? "running" : "idle" } as const;
    return [
      { ...common, ...own, sinceMs: this.sinceMs },
      ...this.jobs.listAll(() => true).map((owned) => ({ ...common, ...this.#entryOf(owned, "job") })),
      ...commands.map((owned) => ({ ...common, ...this.#entryOf(owned, "command") })),
    ];
  }

  #entryOf({ job, command }: OwnedJob, kind: "job" | "command") {
    const { id, state, startedAtMs: sinceMs, exitCode } = job;
    const { waiting, holder } = this.jobs.terminal(id) ?? {};
    return {
      kind,
      id: `${this.name}/${id}`,
      state: job.endedAtMs === undefined ? ("running" as const) : state,
      sinceMs,
      command,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(waiting?.certain === true ? { waiting: waiting.kind } : {}),
      ...(holder === undefined ? {} : { holder }),
    };
  }

  /** A job or a command of this session; `part` is its id without the session's name. */
  watch(part: string): JobWatch | undefined {
    return this.jobs.watch(part);
  }

  /** Ends a job or a command with everything it started. What was done, or undefined where there is none of that id. */
  async endPart(part: string): Promise<string | undefined> {
    const id = `${this.name}/${part}`;
    const watched = this.jobs.watch(part);
    if (watched === undefined) return undefined;
    const wasRunning = watched.job.endedAtMs === undefined;
    if (this.jobs.foreground.end(part)) {
      const isOver = await this.#untilEnded(watched);
      return isOver ? `ended the command \`${id}\`; its call was answered` : `the command \`${id}\` does not end yet`;
    }
    const jobId = watched.job.id;
    const isGone = await this.jobs.terminate(jobId, END_BOUND_MS);
    if (!isGone) return `the job \`${id}\` does not end yet`;
    return wasRunning ? `ended the job \`${id}\`` : `the job \`${id}\` had ended; nothing of it is left`;
  }

  async #untilEnded(watched: JobWatch): Promise<boolean> {
    const giveUp = performance.now() + END_BOUND_MS;
    while (watched.job.endedAtMs === undefined && performance.now() < giveUp) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return watched.job.endedAtMs !== undefined;
  }

  /** Ends everything: the client, the jobs, the shell, the place's connection. What was done, in a line. */
  async end(reason: string): Promise<string> {
    const running = this.jobs.runningCount;
    this.#ending ??= this.#end(reason);
    await this.#ending;
    const jobs = running === 0 ? "" : ` and its ${running} running job${running === 1 ? "" : "s"}`;
    return `ended the session \`${this.name}\`${jobs}`;
  }

  async #end(reason: string): Promise<void> {
    await settlesWithin(this.#client?.displace(reason) ?? Promise.resolve(), DISPLACE_BOUND_MS);
    await this.jobs.dispose();
    await this.seat.dispose();
    this.#over.abort();
  }
}
