/**
 * One service: a command with a name that is started, judged ready, and started again when it fails.
 *
 * Each start is a job of its own; the newest is the service's. Which services there are is the registry's, what ready means
 * `service-ready.ts`'s, and what a model reads of it `service-report.ts`'s.
 */
import type { ServiceState, ServiceTaskParams } from "@pi-bash/contract";
import { TASK_TERMINATE_MS } from "@pi-bash/contract/internal";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import type { JobManager, JobView } from "@pi-bash/executor";
import type { CallScene } from "../command-run.ts";
import { startManaged } from "../managed-job.ts";
import type { PreparedCall } from "../prepared-call.ts";
import { awaitReady, type Readiness, type ReadyWait } from "./service-ready.ts";
import { gaveUpText, readyAgainText, restartedText } from "./service-report.ts";
import { type RestartLimits, Restarts } from "./service-restarts.ts";
import { toBashTaskId } from "./task-id.ts";
import { startOnTerminal } from "./tty-task.ts";

/** Most time that ports of a tree which was ended may take to be free, in milliseconds. */
const PORTS_FREE_MS = 5_000;
const PORTS_LOOK_MS = 50;
/** Subject of its news. */
const NEWS_KEY = "service";

/** What a service is made of. */
export interface ServiceSource {
  params: ServiceTaskParams;
  call: PreparedCall;
  manager: JobManager;
  scene: CallScene;
  /** Its readiness, compiled. */
  readiness: Readiness;
  /** How often it may be started again. */
  limits: RestartLimits;
}

/** Starts, ends and restarts one command. */
export class Service {
  readonly name: string;
  readonly owner: string | undefined;
  readonly script: string;
  /** Absolute. */
  readonly cwd: string;
  state: ServiceState = "starting";
  /** It was taken for ready without a readiness of its own. */
  isAssumed = false;
  /** When it was found ready, in milliseconds since the Unix epoch. */
  readyAtMs: number | undefined;
  readonly #source: ServiceSource;
  #jobId = "";
  readonly #failures: Restarts;
  #restarts = 0;
  #pause: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** What ends a job now is the service itself, which goes on. */
  #isCycling = false;
  /** The call that started it has been answered: from here on its end answers no call. */
  #isAnswered = false;

  constructor(source: ServiceSource) {
    this.#source = source;
    this.#failures = new Restarts(source.limits);
    this.name = source.params.name;
    this.script = source.params.script;
    this.cwd = source.call.cwd;
    this.owner = source.scene.session.getSessionId?.();
  }

  /** Id of its newest job. */
  get jobId(): string {
    return this.#jobId;
  }

  get taskId(): string {
    return toBashTaskId(this.#jobId);
  }

  /** It has a terminal, to which can be typed. */
  get isOnTerminal(): boolean {
    return this.#source.params.tty === true;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** It runs, or will be started again. */
  get isLive(): boolean {
    return this.#pause !== undefined || this.#isCycling || (this.#jobId !== "" && this.#job?.endedAtMs === undefined);
  }

  get #job(): JobView | undefined {
    return this.#source.manager.find(this.#jobId)?.job;
  }

  /** Starts it for the first time. Rejects where it cannot be started. */
  async start(): Promise<void> {
    await this.#begin(this.#source.scene);
  }

  async #begin(scene: CallScene): Promise<void> {
    const { call, manager } = this.#source;
    let id = "";
    const named = {
      title: this.name,
      onStop: () => {
        if (!this.#isCycling && (id === "" || id === this.#jobId)) this.stop();
      },
      delivers: (ended: JobView) => this.#ended(ended),
    };
    const job = this.isOnTerminal
      ? (await startOnTerminal(scene.session, call, { ...named, signal: scene.signal })).job
      : await startManaged(call, manager, scene, named);
    id = job.id;
    this.#jobId = id;
    this.state = "starting";
    this.readyAtMs = undefined;
  }

  /** Waits until it is ready, as its call says or as it was started, and notes what came of it. */
  async untilReady(bound: ReadyWait, readiness: Readiness = this.#source.readiness) {
    const { manager, scene } = this.#source;
    const found = await awaitReady(
      { jobId: this.#jobId, manager, session: scene.session, cwd: this.cwd },
      readiness,
      bound,
    );
    switch (found.kind) {
      case "ready":
        this.state = "ready";
        this.isAssumed = found.isAssumed;
        this.readyAtMs ??= Date.now();
        break;
      case "not_ready":
        this.state = "not_ready";
        break;
      case "ended":
        // A failure that was started again meanwhile has its own state, and so has the last one.
        if (!this.isLive && this.state !== "failed") this.state = "exited";
        break;
      case "waiting":
      case "interrupted":
        break;
    }
    return found;
  }

  /** The call that started it is over: failures are answered by starting it again, where that is wanted. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** It is not started again. Its job is ended by whoever calls this. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.state !== "failed") this.state = "exited";
  }

  /** Ends it with its tree, and waits until its ports are free. False: it is not gone by then. */
  async end(): Promise<boolean> {
    this.stop();
    return this.#clear();
  }

  /** Whether the end of a job is reported to its owner as any job's. A text goes with it. */
  #ended(job: JobView): boolean | string {
    const mayRestart = this.#source.params.restart === "on-failure" && !this.#isStopped && this.#isAnswered;
    if (!mayRestart || job.exitCode === 0) {
      this.state = "exited";
      return true;
    }
    const pauseMs = this.#failures.pauseAfterFailure(performance.now());
    if (pauseMs === undefined) {
      this.state = "failed";
      return gaveUpText(this.name, this.#failures.limits);
    }
    this.state = "starting";
    this.#pause = setTimeout(() => void this.#again(job), pauseMs);
    return false;
  }

  async #again(ended: JobView): Promise<void> {
    this.#isCycling = true;
    this.#pause = undefined;
    try {
      await this.#clear();
      if (this.#isStopped) return;
      const { signal: _, ...scene } = this.#source.scene;
      await this.#begin({ ...scene, signal: undefined });
      this.#restarts += 1;
    } catch {
      // The folder is gone, or there are too many jobs: the result of the last job says that it ended, and the list that it failed.
      this.state = "failed";
      return;
    } finally {
      this.#isCycling = false;
    }
    if (this.#isStopped) {
      await this.#source.manager.terminate(this.#jobId, TASK_TERMINATE_MS);
      return;
    }
    this.#tell(restartedText(this.name, ended, { taskId: this.taskId, restarts: this.#restarts }));
    const begun = this.#jobId;
    // No call is answered: an end goes to the owner.
    const found = await this.untilReady({ startedAtMs: Date.now(), takesEnd: false });
    if (begun === this.#jobId && found.kind === "ready")
      this.#tell(readyAgainText(this.name, this.taskId, found.afterMs));
  }

  #tell(text: string): void {
    const merged = (earlier: string | undefined) => (earlier === undefined ? text : `${earlier}\n${text}`);
    this.#source.manager.announce(this.#jobId, { key: NEWS_KEY, text: merged });
  }

  /** Ends the newest job with what it left running, and waits until nothing of it holds its ports. */
  async #clear(): Promise<boolean> {
    const { manager, scene, readiness } = this.#source;
    const pids = new Set((await manager.ports(this.#jobId)).map(({ pid }) => pid));
    const wasCycling = this.#isCycling;
    this.#isCycling = true;
    const isGone = await manager.terminate(this.#jobId, TASK_TERMINATE_MS).finally(() => {
      this.#isCycling = wasCycling;
    });
    const { port } = readiness;
    if (port === undefined || pids.size === 0) return isGone;
    const until = performance.now() + PORTS_FREE_MS;
    for (;;) {
      const holder = await scene.session.executor.portHolder(port, this.owner);
      if (holder === undefined || !pids.has(holder.pid)) return isGone;
      if (performance.now() > until) return false;
      await waitAtMost(() => new Promise(() => undefined), PORTS_LOOK_MS);
    }
  }
}
