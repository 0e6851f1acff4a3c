/**
 * A link that comes back after a cut: one `pi-host` that is kept over there, and several connections to it, one after the
 * other.
 *
 * # Theory of operation
 * The channels outlive connections. When a connection is cut, `pi-host attach` is run over the same transport until that
 * works; `Attach` names each run with what was taken of its text, so that each byte arrives once. What the far side still
 * has goes on with the first frame after `Attached`. For the rest the far side is asked which sessions it has: runs that it
 * never got are sent again, and so are requests, whose answers end with their connection. Frames that were asked for while
 * there was no connection follow in their order. The token that lets this side back in is in this object and nowhere else.
 */
import { type Channel, type ChannelTable, claim, type Link } from "./channels.ts";
import { endOf, hasEndedAll, mayComeBack } from "./kept-link-end.ts";
import type { Connection } from "./link.ts";
import type { LeaseFacts, LinkEnd } from "./link-end.ts";
import { PlaceError } from "./place-error.ts";
import { type Reattached, reattach } from "./reattach.ts";
import { request } from "./request.ts";
import { encodeFrame, encodeObject, FrameError } from "./wire/frames.ts";
import { KIND } from "./wire/kinds.ts";
import { type AttachedRun, checked, type FarHello, ListAnswer } from "./wire/messages.ts";

/** Longest time that the goodbye to a place takes which is not connected, in milliseconds. */
const GOODBYE_MS = 10_000;
/** A timer that keeps the event loop alive does nothing, this seldom, in milliseconds. */
const HOLD_MS = 60_000;
/** Least time that a try to come back is given, in milliseconds. */
const LEAST_TRY_MS = 2_000;

/** What a connection that comes back brings: the words of `attach`, its frame, and who takes `Attached`. */
export interface Return {
  readonly instance: string;
  readonly channels: ChannelTable;
  frame(): Buffer;
  onAttached(connection: Connection, runs: readonly AttachedRun[]): void;
  readonly signal: AbortSignal;
  /** Most time that the connection may take, in milliseconds. */
  readonly withinMs: number;
}

/** How a kept link is made. */
export interface KeptLinkOptions {
  readonly place: string;
  /** Time without a connection after which the place ends everything, in milliseconds. */
  readonly keepMs: number;
  readonly leaseMs: number;
  /** The channels that `first` was opened with. */
  readonly channels: ChannelTable;
  /** Comes back. Rejects with `PlaceError`; with the code `PI_PLACE_LOST` where `pi-host` is gone. */
  connect(to: Return): Promise<Connection>;
  /** Whether a failed connection says that no later one can work. */
  isFinal(error: PlaceError): boolean;
  /** Why `pi-host` is gone, as whole sentences. */
  whyGone(): Promise<string | undefined>;
}

export class KeptLink implements Link {
  readonly hello: FarHello;
  readonly keptLeaseMs: number;
  readonly ended: Promise<LinkEnd>;
  readonly #options: KeptLinkOptions;
  readonly #token: string;
  readonly #channels: ChannelTable;
  /** The newest connection, which may have ended. */
  #connection: Connection;
  /** Since when there is none; undefined while there is one. */
  #awaySince: number | undefined;
  /** First frames that were not sent: the far side knows nothing of their channels. */
  readonly #unsent = new Map<number, Buffer>();
  /** Channels that were given up: what they are over there is cancelled. */
  #abandoned = new Set<number>();
  /** Channels that the far side does not have after a cut. */
  #unknown: [number: number, channel: Channel][] = [];
  /** Why the newest connection was cut. */
  #cutReason = "";
  #end: LinkEnd | undefined;
  #settleEnd: (end: LinkEnd) => void = () => undefined;
  /** Keeps the host's event loop alive while a call waits for the link. */
  #hold: NodeJS.Timeout | undefined;
  /** Connections in a row that stood and were cut before the link was back. */
  #fruitless = 0;
  readonly #stop = new AbortController();
  #returning: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** `first`: the connection that stands. */
  constructor(first: Connection, options: KeptLinkOptions) {
    const { token = "", ...hello } = first.hello;
    this.hello = hello;
    this.keptLeaseMs = options.leaseMs;
    this.#token = token;
    this.#options = options;
    this.#channels = options.channels;
    this.#connection = first;
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
    void first.ended.then((end) => this.#lose(first, end));
  }

  get end(): LinkEnd | undefined {
    return this.#end;
  }

  get rttMs(): number {
    return this.#connection.rttMs;
  }

  get isQuiet(): boolean {
    return this.#awaySince !== undefined || this.#connection.isQuiet;
  }

  get leaseFacts(): LeaseFacts {
    return this.#connection.leaseFacts;
  }

  begin(channel: Channel, first: (number: number) => Buffer): number {
    if (this.#awaySince === undefined) return this.#connection.begin(channel, first);
    const { number, frame } = claim(this.#channels, channel, first);
    this.#unsent.set(number, frame);
    this.#holdHost();
    return number;
  }

  release(number: number): void {
    this.#unsent.delete(number);
    this.#connection.release(number);
    this.#holdHost();
  }

  isUnsent(number: number): boolean {
    return this.#unsent.has(number);
  }

  abandon(number: number): void {
    const isKnown = !this.#unsent.has(number) && this.#channels.get(number) !== undefined;
    this.release(number);
    if (!isKnown || this.#end !== undefined) return;
    this.#abandoned.add(number);
    this.send(encodeFrame(KIND.cancel, number));
  }

  send(frame: Buffer): void {
    this.#connection.send(frame);
  }

  sendPatiently(frame: Buffer): void {
    this.#connection.sendPatiently(frame);
  }

  sendBulk(frame: Buffer): Promise<void> {
    return this.#connection.sendBulk(frame);
  }

  close(): Promise<void> {
    this.#finish({ kind: "closed", reason: "this host closed the connection" });
    this.#closing ??= this.#sayGoodbye();
    return this.#closing;
  }

  cut(reason: string): void {
    this.#connection.cut(reason);
  }

  #holdHost(): void {
    const isWaiting = this.#awaySince !== undefined && this.#end === undefined && this.#channels.size > 0;
    if (isWaiting) this.#hold ??= setInterval(() => undefined, HOLD_MS);
    else {
      clearInterval(this.#hold);
      this.#hold = undefined;
    }
  }

  /** A connection has ended. */
  #lose(connection: Connection, end: LinkEnd): void {
    if (this.#end !== undefined || connection !== this.#connection) return;
    if (!mayComeBack(end)) {
      this.#finish(end);
      return;
    }
    // A cut while it comes back does not end the time that it was away.
    this.#awaySince ??= performance.now();
    this.#cutReason = end.reason;
    for (const [number, channel] of this.#channels.entries()) {
      if (channel.comesBack !== undefined || this.#unsent.has(number)) continue;
      this.#channels.release(number);
      channel.cut(end);
    }
    this.#holdHost();
    const before = this.#returning;
    this.#returning = (before ?? Promise.resolve()).then(() => this.#comeBack());
  }

  async #comeBack(): Promise<void> {
    const { keepMs } = this.#options;
    const came = await reattach({
      keepMs,
      attempt: () => this.#connect(this.#stop.signal, Number.POSITIVE_INFINITY),
      isFinal: (error) => error instanceof PlaceError && this.#isFinal(error),
      signal: this.#stop.signal,
      failures: this.#fruitless,
    });
    if (came.kind === "given up" || this.#end !== undefined) return;
    if (came.kind === "back") await this.#goOn(came.value);
    else this.#finish(await this.#notBack(came));
  }

  #connect(signal: AbortSignal, withinMs: number): Promise<Connection> {
    const { instance } = this.hello;
    return this.#options.connect({
      instance,
      channels: this.#channels,
      frame: () => this.#attachFrame(),
      onAttached: (connection, runs) => this.#attached(connection, runs),
      signal,
      withinMs: Math.max(LEAST_TRY_MS, withinMs),
    });
  }

  #isFinal({ code, message }: PlaceError): boolean {
    const isRefused = code === "PI_PLACE_LOST" || code === "PI_PLACE_VERSION" || code === "PI_HOST_CHANGED";
    return isRefused || this.#options.isFinal(new PlaceError(code, this.#options.place, message));
  }

  #attachFrame(): Buffer {
    const runs = this.#channels.entries().flatMap(([channel, { comesBack }]) => {
      const named = this.#unsent.has(channel) ? undefined : comesBack?.named?.();
      return named === undefined ? [] : [{ channel, ...named }];
    });
    return encodeObject(KIND.attach, 0, { instance: this.hello.instance, token: this.#token, runs });
  }

  /** The far side serves this connection: what it still has goes on, before another frame of it is taken. */
  #attached(connection: Connection, runs: readonly AttachedRun[]): void {
    this.#connection = connection;
    const { instance, bootId } = connection.hello;
    if (instance !== this.hello.instance || bootId !== this.hello.bootId) {
      throw new FrameError("another pi-host than the one that was kept answers");
    }
    const awayMs = performance.now() - (this.#awaySince ?? performance.now());
    for (const number of this.#abandoned) this.send(encodeFrame(KIND.cancel, number));
    for (const { channel, state } of runs) {
      const comesBack = this.#channels.get(channel)?.comesBack;
      if (state === "unknown") continue;
      if (comesBack?.named?.() === undefined) throw new FrameError("it goes on with a run that was not asked for");
      comesBack.resumed?.(awayMs);
    }
    const known = new Set(runs.filter(({ state }) => state !== "unknown").map(({ channel }) => channel));
    this.#unknown = this.#channels.entries().filter(([number]) => !known.has(number) && !this.#unsent.has(number));
  }

  /** Does again what the cut has undone, then what was asked for meanwhile. */
  async #goOn(connection: Connection): Promise<void> {
    const { place } = this.#options;
    const unknown = this.#unknown;
    void connection.ended.then((end) => this.#lose(connection, end));
    const abandoned = [...this.#abandoned];
    this.#fruitless += 1;
    const listed = await request(connection, "list", {}, { place, isOfConnection: true })
      .then(({ ok }) => new Set(checked(ListAnswer, "list", ok).sessions))
      .catch(() => undefined);
    if (connection.end !== undefined || this.#end !== undefined) return;
    if (listed === undefined) {
      connection.cut("it does not say which sessions it has");
      return;
    }
    // Frames are taken in their order, so these were.
    for (const number of abandoned) this.#abandoned.delete(number);
    this.#fruitless = 0;
    this.#awaySince = undefined;
    this.#holdHost();
    for (const [number, channel] of unknown) {
      if (this.#channels.get(number) === channel) channel.comesBack?.again(listed);
    }
    for (const [number, frame] of this.#unsent) {
      this.#unsent.delete(number);
      this.send(frame);
    }
  }

  async #notBack({ kind, error }: Extract<Reattached<Connection>, { error: unknown }>): Promise<LinkEnd> {
    const { place, keepMs, whyGone } = this.#options;
    return endOf({
      place,
      instance: this.hello.instance,
      keepMs,
      awayMs: performance.now() - (this.#awaySince ?? performance.now()),
      isRefused: kind === "refused",
      error,
      cutReason: this.#cutReason,
      whyGone,
    });
  }

  #finish(end: LinkEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop.abort();
    clearInterval(this.#hold);
    for (const [number, channel] of this.#channels.entries()) {
      this.#channels.release(number);
      channel.cut(this.#unsent.has(number) ? { ...end, isUnsent: true } : end);
    }
    this.#unsent.clear();
    this.#settleEnd(end);
  }

  /** Has everything ended over there, also where the connection is away or was cut unnoticed. */
  async #sayGoodbye(): Promise<void> {
    await this.#returning;
    const connection = this.#connection;
    await connection.close();
    if (connection.hasHeardBye || hasEndedAll(connection.end)) return;
    const bound = AbortSignal.timeout(GOODBYE_MS);
    // Where that fails the place ends everything by itself.
    const last = await this.#connect(bound, GOODBYE_MS).catch(() => undefined);
    await last?.close();
  }
}
