/**
 * The jobs of a session: starts them, lists them, waits for them, ends them, and brings their results to their owner.
 *
 * # Theory of operation
 * A job is running until its work settles, then it has a result, which goes out once: to a poll or to the owner's sink.
 * A call that may become a job runs as an entry without an id until the wait is over; only then it is a job that can be
 * seen, so a command that ends in time leaves no trace. Every change is written to the registry, where there is one;
 * jobs of a host that is gone are taken over when the manager is opened. How results travel is in `job-deliveries.ts`.
 *
 * It is longer than a file should be, because every way to a job's entry goes through its private map: what is not a way to an
 * entry is in the files beside it.
 */
import { DEFAULT_MAX_JOBS, type TaskWaiting } from "@pi-bash/contract";
import { TASK_RETENTION_MS } from "@pi-bash/contract/internal";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { guardListener, warnAboutListener } from "../host-listener.ts";
import type { ListeningPort } from "../natives-port.ts";
import type { TaskTerminal } from "../tty/terminal-port.ts";
import type { DeliverySink } from "./delivery-queue.ts";
import { type FollowOptions, type FollowReport, followJob } from "./follow.ts";
import { type ForegroundEnd, type ForegroundOptions, waitInForeground } from "./foreground.ts";
import { ForegroundEntries } from "./foreground-entries.ts";
import { enterHost, isHostAlive, leaveHost } from "./host-identity.ts";
import { type HostIdentity, type JobEnd, JobLimitError, type JobView, type JobWork } from "./job.ts";
import { JobDeliveries } from "./job-deliveries.ts";
import {
  type JobEntry,
  newEntry,
  type OwnedJob,
  restoredEntry,
  settledView,
  stopSurvivors,
  toOwnedJob,
  toRecord,
} from "./job-entry.ts";
import type { JobNewsItem } from "./job-news.ts";
import type { JobManagerOptions, JobOptions } from "./job-options.ts";
import { JobRegistry } from "./job-registry.ts";
import { cancelText } from "./job-texts.ts";
import { type JobWatch, watchJob } from "./job-watch.ts";
import { JobMonitors } from "./monitors.ts";
import { withArtifact } from "./overflow.ts";
import { type PollOptions, type PollResult, pollJobs } from "./poll.ts";
import { forgettable } from "./retention.ts";

/** Time `dispose` waits for cancelled work, in milliseconds. */
const DISPOSE_BOUND_MS = 3_000;

/** The jobs of a host: started, read, ended, delivered. */
export class JobManager {
  /** Expressions that are watched for in what jobs write. */
  readonly monitors: JobMonitors;
  readonly #foreground = new ForegroundEntries();
  readonly #options: JobManagerOptions;
  readonly #registry: JobRegistry | undefined;
  readonly #deliveries: JobDeliveries;
  readonly #host: HostIdentity;
  readonly #waitingListeners = new Set<(job: JobView, waiting: TaskWaiting) => void>();
  /** Jobs by id, in the order they started. */
  readonly #jobs = new Map<string, JobEntry>();
  #lastNumber = 0;
  #isDisposed = false;

  private constructor(options: JobManagerOptions) {
    const onEnd = guardListener(options.onEnd, warnAboutListener("ended jobs"));
    this.#options = { ...options, onEnd };
    this.#registry = options.registryFolder === undefined ? undefined : new JobRegistry(options.registryFolder);
    this.#host = enterHost();
    this.#deliveries = new JobDeliveries(this.#jobs, (entry) => this.#save(entry));
    this.monitors = new JobMonitors({
      entry: (id) => this.#jobs.get(id),
      put: (entry, news) => this.#deliveries.put(entry, news),
      now: options.now ?? (() => performance.now()),
      released: (entry) => this.#deliveries.offer(entry),
    });
  }

  /** A manager; with a registry, one that has the jobs of hosts that are gone. */
  static async open(options: JobManagerOptions = {}): Promise<JobManager> {
    const manager = new JobManager(options);
    await manager.#restore();
    return manager;
  }

  /** Why the registry could not be written. */
  get registryError(): Error | undefined {
    return this.#registry?.error;
  }

  /** Commands that a call waits for and that are not jobs. */
  get foreground(): Pick<ForegroundEntries, "list" | "end"> {
    return this.#foreground;
  }

  /** Jobs that run now. */
  get runningCount(): number {
    return this.#running().length;
  }

  /** Jobs that may run at one time. */
  get maxJobs(): number {
    return this.#options.maxJobs ?? DEFAULT_MAX_JOBS;
  }

  /** Starts a job in the background. Throws `JobLimitError`. */
  start(options: JobOptions): JobView {
    this.#checkOpen();
    if (this.runningCount >= this.maxJobs) throw new JobLimitError(this.maxJobs);
    this.#forget();
    const entry = newEntry(options, this.#now());
    this.#promote(entry);
    void this.#work(entry, options.work).catch(() => undefined);
    return entry.view;
  }

  /**
   * Runs work in the foreground and turns it into a job when the wait is over. The hand-over is atomic: the outcome is
   * either the end or a job, never both (JB-10). At the limit it simply stays in the foreground. Rejects with what the
   * work rejects with while it is in the foreground.
   */
  async runForeground(options: JobOptions & ForegroundOptions): Promise<ForegroundEnd> {
    this.#checkOpen();
    this.#forget();
    const entry = newEntry(options, this.#now());
    this.#foreground.enter(entry);
    const work = this.#work(entry, options.work);
    return waitInForeground(entry, work, options, () => {
      if (this.#isDisposed || this.runningCount >= this.maxJobs) return false;
      this.#promote(entry);
      return true;
    });
  }

  /** The jobs of an owner, in the order they started. */
  list(owner?: string): JobView[] {
    this.#forget();
    return [...this.#jobs.values()].map((entry) => entry.view).filter((job) => job.owner === owner);
  }

  /** A job, and its newest output or its result; reading takes nothing away. */
  read(id: string, owner?: string): { job: JobView; text: string } | undefined {
    const entry = this.#find(id, owner);
    return entry && { job: entry.view, text: entry.isRunning ? entry.tail : entry.text };
  }

  /** The jobs of all owners that `isWanted` accepts, in the order they started, with their commands. */
  listAll(isWanted: (owner: string | undefined) => boolean): OwnedJob[] {
    this.#forget();
    return [...this.#jobs.values()].filter((entry) => isWanted(entry.view.owner)).map(toOwnedJob);
  }

  /** A job, or a command in the foreground, whatever becomes of it; undefined: there is none of that id. */
  watch(id: string): JobWatch | undefined {
    const entry = this.#jobs.get(id) ?? this.#foreground.find(id);
    return entry && watchJob(entry, () => this.#deliveries.offer(entry));
  }

  /** A job whoever owns it: for callers that know the owners they may see. */
  find(id: string): OwnedJob | undefined {
    this.#forget();
    const entry = this.#jobs.get(id);
    return entry && toOwnedJob(entry);
  }

  /** The terminal of a job that runs on one; undefined: it has none. Kept for as long as its job. */
  terminal(id: string): TaskTerminal | undefined {
    return this.#jobs.get(id)?.log.terminal;
  }

  /** Waits for a job's new output or its end; undefined: there is no such job. Throws for a filter that is none. */
  async follow(id: string, options: FollowOptions): Promise<FollowReport | undefined> {
    this.#forget();
    const entry = this.#jobs.get(id);
    if (entry === undefined) return undefined;
    // Whoever follows a job may come back for its result.
    entry.keptMs = TASK_RETENTION_MS;
    return followJob(entry, options, {
      taken: () => void (entry.consume(this.#now()) && this.#save(entry)),
      released: () => this.#deliveries.offer(entry),
    });
  }

  /** Waits until one of the jobs has ended, and takes the results that are there. */
  async poll(ids: readonly string[], options: PollOptions & { owner?: string } = {}): Promise<PollResult> {
    this.#forget();
    const wanted = [...new Set(ids)].map((id) => ({ id, entry: this.#find(id, options.owner) }));
    return pollJobs(wanted, options, {
      now: () => this.#now(),
      taken: (entry) => this.#save(entry),
      released: (entry) => this.#deliveries.offer(entry),
    });
  }

  /** Ends a job, or what an ended job left running. The text says what was done. */
  async cancel(id: string, owner?: string): Promise<{ text: string; job: JobView | undefined }> {
    const entry = this.#find(id, owner);
    if (entry?.isRunning && !entry.isCancelled) {
      this.#cancel(entry);
      return { text: `Cancelled background job ${id}.`, job: entry.view };
    }
    entry?.onStop?.();
    const stopped = entry === undefined ? 0 : await this.#stopSurvivors(entry);
    return { text: cancelText(id, entry?.view, stopped), job: entry?.view };
  }

  /** Ends a job with everything it started, and waits until it is gone; false: it is not, by then. */
  async terminate(id: string, boundMs: number): Promise<boolean> {
    const entry = this.#jobs.get(id);
    if (entry === undefined) return true;
    if (entry.isRunning && !entry.isCancelled) this.#cancel(entry);
    else entry.onStop?.();
    if (!(await settlesWithin(entry.whenEnded(), boundMs))) return false;
    await this.#stopSurvivors(entry);
    return true;
  }

  /** Ends all jobs of an owner and waits until they are gone. Ids of those that are not by then. */
  async cancelAndReap(owner: string | undefined, boundMs: number): Promise<string[]> {
    const owned = [...this.#jobs.values()].filter((entry) => entry.view.owner === owner);
    const entries = owned.filter((entry) => entry.isRunning);
    for (const entry of owned) if (!entry.isRunning) entry.onStop?.();
    for (const entry of entries) this.#cancel(entry);
    await settlesWithin(Promise.all(entries.map((entry) => entry.whenEnded())), boundMs);
    return entries.filter((entry) => entry.isRunning).map((entry) => entry.view.id);
  }

  /** Gives an owner's results to `sink` from now on, waiting ones at once. Returns what ends it. */
  subscribe(owner: string | undefined, sink: DeliverySink): () => void {
    return this.#deliveries.subscribe(owner, sink);
  }

  /** What a job's processes listen on, ended or not; looked at at most once a second. */
  async ports(id: string): Promise<readonly ListeningPort[]> {
    return (await this.#jobs.get(id)?.ports?.()) ?? [];
  }

  /** Says something of a job that still runs to its owner's sink, with what else is delivered. Ended or unknown: nothing. */
  announce(id: string, news: JobNewsItem): void {
    this.#deliveries.announce(id, news);
  }

  /** Takes news of an owner's jobs that start no turn, as texts for an answer that they go with. */
  takeQuietNews(owner: string | undefined): string[] {
    return this.#deliveries.takeQuiet(owner);
  }

  /** Takes back what was announced of a job, or of one subject of it, as far as no sink has it. */
  withdraw(id: string, key?: string): void {
    this.#deliveries.withdraw(id, key);
  }

  /** Ends all jobs, waits a little, and writes the registry. Results no one took are in it. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.monitors.close();
    const running = this.#running();
    for (const entry of running) this.#cancel(entry);
    await settlesWithin(Promise.all(running.map((entry) => entry.whenEnded())), DISPOSE_BOUND_MS);
    for (const entry of running) this.#settle(entry, undefined, "It did not end in time.");
    this.#deliveries.close();
    await this.#registry?.flush();
    leaveHost(this.#host);
  }

  #running(): JobEntry[] {
    return [...this.#jobs.values()].filter((entry) => entry.isRunning);
  }

  #checkOpen(): void {
    if (this.#isDisposed) throw new Error("job manager is disposed; open another one");
  }

  /**
   * Calls `listener` once for each prompt at which a job on a terminal waits for input, until what is returned is called: a host
   * can show it, and let a person answer by `terminal(id)`. What it throws is reported as a process warning.
   */
  watchWaiting(listener: (job: JobView, waiting: TaskWaiting) => void): () => void {
    const guarded = guardListener(listener, warnAboutListener("jobs that wait for input"));
    this.#waitingListeners.add(guarded);
    return () => void this.#waitingListeners.delete(guarded);
  }

  /** It is a job from now on: it has an id and is seen. */
  #promote(entry: JobEntry): void {
    this.#lastNumber += 1;
    entry.view = { ...entry.view, id: `bg_${this.#lastNumber}` };
    this.#jobs.set(entry.view.id, entry);
    entry.goToBackground();
    this.#save(entry);
  }

  /** Does the work. Rejects only while the entry is no job: then its caller is still there to be reported. */
  async #work(entry: JobEntry, work: JobWork): Promise<JobEnd | undefined> {
    let end: JobEnd;
    try {
      const onWaiting = (waiting: TaskWaiting): void => {
        for (const listener of this.#waitingListeners) listener(entry.view, waiting);
      };
      end = await work(entry.context({ onArtifact: () => this.#save(entry), onWaiting }));
    } catch (error) {
      const { isJob } = entry;
      this.#settle(entry, undefined, error instanceof Error ? error.message : String(error));
      if (isJob) return undefined;
      throw error;
    }
    const { isJob } = entry;
    this.#settle(entry, isJob ? await withArtifact(end, this.#options.artifacts) : end, end.text);
    return end;
  }

  #settle(entry: JobEntry, end: JobEnd | undefined, text: string): void {
    if (!entry.isRunning) return;
    const settled = settledView(entry, end, this.#now());
    entry.settle(settled, text, end);
    if (!entry.isJob) return;
    const delivers = entry.isCancelled || (entry.delivers?.(settled) ?? true);
    if (delivers === false) entry.isQuiet = true;
    if (typeof delivers === "string") entry.text = `${entry.text.trimEnd()}\n\n${delivers}`;
    this.#save(entry);
    this.#options.onEnd?.(settled);
    this.#deliveries.offer(entry);
  }

  #cancel(entry: JobEntry): void {
    entry.onStop?.();
    entry.isQuiet = true;
    this.#deliveries.withdraw(entry.view.id);
    entry.view = { ...entry.view, state: "cancelled" };
    entry.cancel();
    this.#save(entry);
  }

  async #stopSurvivors(entry: JobEntry): Promise<number> {
    return stopSurvivors(entry).finally(() => this.#save(entry));
  }

  #find(id: string, owner: string | undefined): JobEntry | undefined {
    const entry = this.#jobs.get(id);
    return entry?.view.owner === owner ? entry : undefined;
  }

  #forget(): void {
    for (const id of forgettable([...this.#jobs.values()], this.#now())) {
      this.#jobs.delete(id);
      this.#deliveries.withdraw(id);
      void this.#registry?.remove(id);
    }
  }

  #save(entry: JobEntry): void {
    if (entry.isJob) void this.#registry?.write(toRecord(entry, this.#host));
  }

  /** Takes over the jobs of hosts that are gone. Those of a living host are its own; only their numbers count here. */
  async #restore(): Promise<void> {
    for (const record of (await this.#registry?.load()) ?? []) {
      this.#lastNumber = Math.max(this.#lastNumber, Number(record.job.id.slice("bg_".length)));
      if (isHostAlive(record.host)) continue;
      const entry = restoredEntry(record, this.#now());
      this.#jobs.set(entry.view.id, entry);
      this.#save(entry);
      this.#deliveries.offer(entry);
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}
