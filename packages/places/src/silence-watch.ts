/**
 * Watches a link for silence: asks with a ping where little is said, and decides when the other side counts as gone.
 *
 * A cut cable sends no end of a stream. A host that slept finds old times on its clocks and must not take them for the
 * silence of the other side, so what comes after a stall is read before anything is decided.
 */
import { encodeFrame } from "./wire/frames.ts";
import { KIND } from "./wire/kinds.ts";

/** Pings in the time of a lease, and the looks at the clock for each. */
const PINGS_PER_LEASE = 6;
const LOOKS_PER_PING = 2;
/** Part of the lease that a link is given to be heard in after this host stood still. */
const SUSPECT_SHARE = 0.5;
/** Part of the lease after which a link is quiet: a living one answers a ping in less. */
const QUIET_SHARE = 0.25;
/** Least time between two looks, in milliseconds. */
const MIN_STEP_MS = 10;
/** A clock went on by so much more than it should: the host was asleep, in milliseconds. Never more than the lease. */
const SLEEP_MS = 5_000;

export interface SilenceOptions {
  /** Silence after which the other side counts as gone, in milliseconds. */
  readonly leaseMs: number;
  /** Sends a `Ping`. */
  ping(frame: Buffer): void;
  /** Nothing was heard for the whole of the lease. */
  onSilent(reason: string): void;
}

export class SilenceWatch {
  readonly #options: SilenceOptions;
  readonly #stepMs: number;
  /** When pings that were not answered were sent, by number. */
  readonly #pings = new Map<number, number>();
  #nextPing = 1;
  #rttMs = 0;
  #heardAt = performance.now();
  #sentAt = performance.now();
  #look = { at: performance.now(), wall: Date.now() };
  /** The newest time that this process stood still: when that was found, and since when, by the wall clock. */
  #sleep = { foundAt: Number.NEGATIVE_INFINITY, since: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.#stepMs = Math.max(MIN_STEP_MS, options.leaseMs / (PINGS_PER_LEASE * LOOKS_PER_PING));
  }

  /** Newest measured round trip, in milliseconds. 0: none was measured yet. */
  get rttMs(): number {
    return this.#rttMs;
  }

  /** Nothing was heard for a quarter of the lease. */
  get isQuiet(): boolean {
    return performance.now() - this.#heardAt > this.#options.leaseMs * QUIET_SHARE;
  }

  /** When this host began to stand still, by its wall clock; undefined: it did not, or that was found longer than a lease ago. */
  get asleepSince(): number | undefined {
    this.#noteSleep(performance.now());
    return performance.now() - this.#sleep.foundAt < this.#options.leaseMs ? this.#sleep.since : undefined;
  }

  /** Begins to watch, with a ping that measures the way. */
  begin(): void {
    this.#look = { at: performance.now(), wall: Date.now() };
    this.#timer = setInterval(() => this.#watch(), this.#stepMs);
    this.#timer.unref();
    this.#ping();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Something was sent. */
  sent(): void {
    this.#sentAt = performance.now();
  }

  /** Something was heard. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** A `Pong` came. */
  pong(number: number): void {
    const sentAt = this.#pings.get(number);
    if (sentAt === undefined) return;
    for (const older of this.#pings.keys()) if (older <= number) this.#pings.delete(older);
    this.#rttMs = performance.now() - sentAt;
  }

  #ping(): void {
    const number = this.#nextPing++;
    this.#pings.set(number, performance.now());
    const payload = Buffer.alloc(8);
    payload.writeBigUInt64LE(BigInt(number));
    this.#options.ping(encodeFrame(KIND.ping, 0, payload));
  }

  /** Both clocks: the monotonic one does not go on in a suspended machine, and does in a stopped process. */
  #noteSleep(now: number): void {
    const wentMs = now - this.#look.at;
    const lateMs = Math.max(wentMs - this.#stepMs, Date.now() - this.#look.wall - wentMs);
    if (lateMs > Math.min(SLEEP_MS, this.#options.leaseMs)) this.#sleep = { foundAt: now, since: this.#look.wall };
  }

  #watch(): void {
    const now = performance.now();
    const { leaseMs } = this.#options;
    const wentMs = now - this.#look.at;
    this.#noteSleep(now);
    this.#look = { at: now, wall: Date.now() };
    // What came while this process stood still is read after this.
    if (wentMs > this.#stepMs * 2) this.#heardAt = Math.max(this.#heardAt, now - leaseMs * SUSPECT_SHARE);
    if (now - this.#heardAt > leaseMs) {
      this.#options.onSilent(`nothing was heard for ${Math.round(leaseMs / 100) / 10} s`);
      return;
    }
    const isDue = now - Math.min(this.#sentAt, this.#heardAt) > leaseMs / PINGS_PER_LEASE - this.#stepMs;
    if (isDue && this.#pings.size < PINGS_PER_LEASE * LOOKS_PER_PING) this.#ping();
  }
}
