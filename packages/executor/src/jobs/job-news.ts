/**
 * News of jobs that still run, on their way to the jobs' owners: a program that waits for a person, lines that were watched for.
 *
 * They travel with the results of ended jobs, in the same batches and with the same promise: a batch that its sink refused
 * comes again. Of one subject of a job at most one text waits, so that what piles up is bounded by the jobs.
 */
import { randomUUID } from "node:crypto";
import type { JobDelivery } from "./job.ts";
import type { JobEntry } from "./job-entry.ts";

/** What there is to say of a running job. */
export interface JobNewsItem {
  /** What it is about, within its job. A text about the same replaces one that was not sent yet. */
  readonly key: string;
  /** Text for the model; made from the one that it replaces, where there is one. */
  readonly text: string | ((earlier: string | undefined) => string);
  /** It starts no turn: it waits for something that does, or for `takeQuiet`. Default false. */
  readonly isQuiet?: boolean;
}

interface Queued {
  readonly deliveryId: string;
  readonly jobId: string;
  readonly key: string;
  text: string;
  isQuiet: boolean;
  /** A sink has it and has not answered. */
  isSending: boolean;
}

export class JobNews {
  #items: Queued[] = [];

  /** Queues a text about a job. */
  put(jobId: string, { key, text, isQuiet = false }: JobNewsItem): void {
    const earlier = this.#items.find((item) => item.jobId === jobId && item.key === key && !item.isSending);
    const made = typeof text === "string" ? text : text(earlier?.text);
    if (earlier !== undefined) Object.assign(earlier, { text: made, isQuiet: earlier.isQuiet && isQuiet });
    else this.#items.push({ deliveryId: randomUUID(), jobId, key, text: made, isQuiet, isSending: false });
  }

  /** Takes back what no sink has yet: about one subject of a job, or all about it. */
  withdraw(jobId: string, key?: string): void {
    this.#items = this.#items.filter(
      (item) => item.jobId !== jobId || item.isSending || (key !== undefined && item.key !== key),
    );
  }

  /** Whether something waits for an owner that starts a turn. */
  isUrgent(owner: string | undefined, jobs: ReadonlyMap<string, JobEntry>): boolean {
    return this.#items.some(
      ({ jobId, isQuiet, isSending }) => !isQuiet && !isSending && jobs.get(jobId)?.view.owner === owner,
    );
  }

  /** Takes what waits for an owner and starts no turn, for an answer that it goes with. */
  takeQuiet(owner: string | undefined, jobs: ReadonlyMap<string, JobEntry>): string[] {
    const taken = this.#items.filter(
      ({ jobId, isQuiet, isSending }) => isQuiet && !isSending && jobs.get(jobId)?.view.owner === owner,
    );
    this.#items = this.#items.filter((item) => !taken.includes(item));
    return taken.map(({ text }) => text);
  }

  /** What waits for an owner, oldest first. */
  pending(owner: string | undefined, jobs: ReadonlyMap<string, JobEntry>): JobDelivery[] {
    return this.#items.flatMap(({ deliveryId, jobId, text, isSending }) => {
      const job = jobs.get(jobId)?.view;
      return job === undefined || job.owner !== owner || isSending ? [] : [{ deliveryId, job, text }];
    });
  }

  /** Notes what became of a delivery. False: it is none of these. */
  mark({ deliveryId }: JobDelivery, delivery: "sending" | "delivered" | "queued"): boolean {
    const item = this.#items.find((one) => one.deliveryId === deliveryId);
    if (item === undefined) return false;
    if (delivery === "delivered") this.#items = this.#items.filter((one) => one !== item);
    else item.isSending = delivery === "sending";
    return true;
  }
}
