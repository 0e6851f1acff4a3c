/**
 * One job as the manager holds it: its view, its work, who waits for it and who has its result.
 *
 * The rules of exactly-once are here and nowhere else: a result goes to a poll or to the owner's sink, whoever takes it
 * first, and from neither is there a way back.
 */
import type { JobState } from "@pi-bash/contract";
import type { DeliveryState, JobContext, JobDelivery, JobEnd, JobRecord, JobView } from "./job.ts";
import { endedText, lostText } from "./job-texts.ts";

export class JobEntry {
  view: JobView;
  /** Text for the model, bounded; set at the end. */
  text = "";
  delivery: DeliveryState = "none";
  /** The newest tail, for a preview. */
  tail = "";
  /** Nobody wants a push: the owner ended the job, or it never became a job. */
  isQuiet = false;
  /** Milliseconds since the Unix epoch at which the result was taken. */
  takenAtMs: number | undefined;
  end: JobEnd | undefined;
  readonly runKey: string;
  readonly #cancellation = new AbortController();
  readonly #backgrounded = new AbortController();
  readonly #ended: Promise<void>;
  #finish: () => void = () => undefined;
  #watchers = 0;

  constructor(view: JobView, runKey: string) {
    this.view = view;
    this.runKey = runKey;
    this.#ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get isRunning(): boolean {
    return this.view.endedAtMs === undefined;
  }

  get isCancelled(): boolean {
    return this.#cancellation.signal.aborted;
  }

  /** Whether somebody polls it and will take its result. */
  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Resolves when the job has ended. */
  whenEnded(): Promise<void> {
    return this.#ended;
  }

  context(onArtifact: () => void): JobContext {
    return {
      runKey: this.runKey,
      signal: this.#cancellation.signal,
      backgrounded: this.#backgrounded.signal,
      update: (tail) => {
        if (this.isRunning) this.tail = tail;
      },
      setArtifact: (artifactId) => {
        this.view = { ...this.view, artifactId };
        onArtifact();
      },
    };
  }

  goToBackground(): void {
    this.#backgrounded.abort();
  }

  cancel(): void {
    this.#cancellation.abort();
  }

  watch(): void {
    this.#watchers += 1;
  }

  unwatch(): void {
    this.#watchers -= 1;
  }

  /** The job has ended; only the first time counts. */
  settle(view: JobView, text: string, end: JobEnd | undefined): void {
    this.view = view;
    this.text = text;
    this.end = end;
    this.tail = "";
    this.#finish();
  }

  /** A poll takes the result. False: somebody has it already. */
  consume(nowMs: number): boolean {
    if (this.delivery !== "none" && this.delivery !== "queued") return false;
    this.delivery = "consumed";
    this.takenAtMs = nowMs;
    return true;
  }

  /** The result as it is delivered. */
  toDelivery(): JobDelivery {
    const { view } = this;
    return { deliveryId: this.runKey, job: view, text: endedText(view, this.text, view.artifactId) };
  }
}

/** The view of a job that has ended. Without an end its work failed, or was given up. */
export function settledView(entry: JobEntry, end: JobEnd | undefined, nowMs: number): JobView {
  const { artifactId: _, ...view } = entry.view;
  const survivors = end?.survivors ?? [];
  return {
    ...view,
    state: endState(entry, end),
    endedAtMs: Math.max(nowMs, view.startedAtMs),
    ...(end?.exitCode === undefined || entry.isCancelled ? {} : { exitCode: end.exitCode }),
    ...(end?.signal === undefined ? {} : { signal: end.signal }),
    ...(end?.artifactId === undefined ? {} : { artifactId: end.artifactId }),
    ...(survivors.length === 0 ? {} : { survivors }),
  };
}

/** The job of a host that is gone: its result, or the word that it is lost. */
export function restoredEntry(record: JobRecord, nowMs: number): JobEntry {
  const isLost = record.job.endedAtMs === undefined;
  const isCancelled = record.job.state === "cancelled";
  const job: JobView = isLost
    ? { ...record.job, state: isCancelled ? "cancelled" : "failed", isLost, endedAtMs: nowMs }
    : record.job;
  const entry = new JobEntry(job, record.deliveryId);
  entry.settle(job, isLost ? lostText(job) : record.text, undefined);
  entry.isQuiet = isCancelled;
  const isTaken = record.delivery === "delivered" || record.delivery === "consumed";
  entry.delivery = isTaken ? record.delivery : "none";
  if (isTaken) entry.takenAtMs = nowMs;
  return entry;
}

function endState(entry: JobEntry, end: JobEnd | undefined): JobState {
  if (entry.isCancelled) return "cancelled";
  return end?.exitCode === 0 ? "completed" : "failed";
}
