/**
 * What goes to the owners of jobs: results of those that ended, news of those that run. Who gets a result is the entry's to say,
 * how it travels the queue's; here the two meet.
 */
import { DeliveryQueue, type DeliverySink } from "./delivery-queue.ts";
import type { JobDelivery } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";
import { JobNews, type JobNewsItem } from "./job-news.ts";

export class JobDeliveries {
  readonly #jobs: ReadonlyMap<string, JobEntry>;
  readonly #save: (entry: JobEntry) => void;
  readonly #queue: DeliveryQueue;
  readonly #news = new JobNews();

  /** `save` is called whenever it changes who has the result of a job. */
  constructor(jobs: ReadonlyMap<string, JobEntry>, save: (entry: JobEntry) => void) {
    this.#jobs = jobs;
    this.#save = save;
    this.#queue = new DeliveryQueue({
      pending: (owner) => this.#pending(owner),
      sending: (batch) => this.#mark(batch, "sending"),
      delivered: (batch) => this.#mark(batch, "delivered"),
      failed: (batch) => this.#mark(batch, "queued"),
    });
  }

  /** Queues a result for its owner's sink, unless a call waits for it or its owner does not want it. */
  offer(entry: JobEntry): void {
    if (!entry.isJob || entry.isRunning || entry.isWatched || entry.isQuiet || entry.delivery !== "none") return;
    entry.delivery = "queued";
    this.#save(entry);
    this.#queue.wake(entry.view.owner);
  }

  /** Says something of a job that still runs. Of an ended or unknown one: nothing. */
  announce(id: string, news: JobNewsItem): void {
    const entry = this.#jobs.get(id);
    if (entry?.isRunning === true) this.put(entry, news);
  }

  /** Says something of a job, also of one that has just ended. */
  put(entry: JobEntry, news: JobNewsItem): void {
    if (entry.isQuiet) return;
    this.#news.put(entry.view.id, news);
    this.#queue.wake(entry.view.owner);
  }

  /** Takes news of an owner's jobs that start no turn, as texts for an answer that they go with. */
  takeQuiet(owner: string | undefined): string[] {
    return this.#news.takeQuiet(owner, this.#jobs);
  }

  /** Takes back what was announced of a job, or of one subject of it, as far as no sink has it. */
  withdraw(id: string, key?: string): void {
    this.#news.withdraw(id, key);
  }

  /** Gives an owner's deliveries to `sink` from now on, waiting ones at once. Returns what ends it. */
  subscribe(owner: string | undefined, sink: DeliverySink): () => void {
    return this.#queue.subscribe(owner, sink);
  }

  /** Nothing is delivered any more. */
  close(): void {
    this.#queue.close();
  }

  #pending(owner: string | undefined): JobDelivery[] {
    const ended = [...this.#jobs.values()].filter((entry) => entry.view.owner === owner && entry.delivery === "queued");
    if (ended.length === 0 && !this.#news.isUrgent(owner, this.#jobs)) return [];
    // What was said of a job while it ran comes before its result.
    return [...this.#news.pending(owner, this.#jobs), ...ended.map((entry) => entry.toDelivery())];
  }

  #mark(batch: readonly JobDelivery[], delivery: "sending" | "delivered" | "queued"): void {
    for (const each of batch) {
      const entry = this.#news.mark(each, delivery) ? undefined : this.#jobs.get(each.job.id);
      if (entry === undefined) continue;
      entry.delivery = delivery;
      this.#save(entry);
    }
  }
}
