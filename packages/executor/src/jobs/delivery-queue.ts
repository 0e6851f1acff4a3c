/**
 * Brings finished jobs to their owner, each once.
 *
 * An owner has at most one sink at a time. What is queued goes out in one batch; a sink that fails gets the same batch
 * again later, with growing pauses, and without a sink things wait: a result is never given to another session. A sink
 * that never answers holds its own owner's queue, since no one can know whether it took what it was given.
 */
import type { JobDelivery } from "./job.ts";

/** First and longest pause between two tries, in milliseconds. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** Added at random, so that many owners do not try together. */
const RETRY_JITTER_MS = 200;

/** Takes finished jobs. Resolving means that they were taken; rejecting, that they were not. */
export type DeliverySink = (batch: readonly JobDelivery[]) => Promise<void> | void;

export interface DeliveryPort {
  /** What is to be delivered, oldest first. */
  pending(owner: string | undefined): JobDelivery[];
  /** The batch is with the sink. */
  sending(batch: readonly JobDelivery[]): void;
  /** The sink took it. */
  delivered(batch: readonly JobDelivery[]): void;
  /** The sink did not; it stays queued. */
  failed(batch: readonly JobDelivery[]): void;
}

interface Channel {
  sink: DeliverySink;
  isBusy: boolean;
  retryMs: number;
  timer: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

export class DeliveryQueue {
  readonly #port: DeliveryPort;
  readonly #channels = new Map<string | undefined, Channel>();

  constructor(port: DeliveryPort) {
    this.#port = port;
  }

  /** Gives an owner's results to `sink` from now on, those that wait too. Returns what ends it. */
  subscribe(owner: string | undefined, sink: DeliverySink): () => void {
    this.#close(this.#channels.get(owner));
    const channel: Channel = { sink, isBusy: false, retryMs: FIRST_RETRY_MS, timer: undefined, isClosed: false };
    this.#channels.set(owner, channel);
    this.wake(owner);
    return () => {
      this.#close(channel);
      if (this.#channels.get(owner) === channel) this.#channels.delete(owner);
    };
  }

  /** Something was queued for an owner. What comes in the same turn goes out in one batch. */
  wake(owner: string | undefined): void {
    const channel = this.#channels.get(owner);
    if (channel === undefined || channel.timer !== undefined || channel.isBusy) return;
    this.#later(owner, channel, 0);
  }

  /** Ends all channels; nothing is delivered any more. */
  close(): void {
    for (const channel of this.#channels.values()) this.#close(channel);
    this.#channels.clear();
  }

  #close(channel: Channel | undefined): void {
    if (channel === undefined) return;
    channel.isClosed = true;
    clearTimeout(channel.timer);
  }

  #later(owner: string | undefined, channel: Channel, delayMs: number): void {
    channel.timer = setTimeout(() => {
      channel.timer = undefined;
      void this.#send(owner, channel);
    }, delayMs);
    // A host that is done with its work need not stay for a sink that fails.
    if (delayMs > 0) channel.timer.unref();
  }

  async #send(owner: string | undefined, channel: Channel): Promise<void> {
    const batch = this.#port.pending(owner);
    if (channel.isClosed || batch.length === 0) return;
    channel.isBusy = true;
    this.#port.sending(batch);
    let isTaken = true;
    try {
      await channel.sink(batch);
    } catch {
      isTaken = false;
    }
    channel.isBusy = false;
    if (isTaken) {
      channel.retryMs = FIRST_RETRY_MS;
      this.#port.delivered(batch);
      this.wake(owner);
      return;
    }
    this.#port.failed(batch);
    if (channel.isClosed) {
      // Another sink may have come meanwhile and found the batch taken.
      this.wake(owner);
      return;
    }
    this.#later(owner, channel, channel.retryMs + Math.random() * RETRY_JITTER_MS);
    channel.retryMs = Math.min(channel.retryMs * 2, LONGEST_RETRY_MS);
  }
}
