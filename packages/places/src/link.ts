/**
 * One connection to a place: frames over the streams of one local program, and who waits for which of them.
 *
 * # Theory of operation
 * `openLink` starts the program and hands its bytes to the handshake; from the far `Hello` on, each frame goes to the
 * channel it names. Frames that are about the link are answered here: `Pong`, `Bye`, and the silence that means that the
 * other side is gone (near lease: suspect at half of it, cut at the whole). However a connection ends, each channel hears of
 * it once, and the program is ended by its one owner. A connection of a kept link shares the link's channels, which its end
 * does not cut; one that comes back stands when `Attached` has come.
 */
import { randomBytes } from "node:crypto";
import { type Channel, ChannelTable, claim, type Link } from "./channels.ts";
import { Handshake } from "./handshake.ts";
import { HostChild } from "./host-child.ts";
import { byeText, exitText, type LeaseFacts, type LinkEnd, lastLine } from "./link-end.ts";
import type { LinkOptions } from "./link-options.ts";
import { PatientWriter } from "./patient-writer.ts";
import { messageOf, PlaceError } from "./place-error.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { encodeFrame, encodeObject, type Frame, numberOf, objectOf } from "./wire/frames.ts";
import { KIND, OFFSET_BYTES } from "./wire/kinds.ts";
import { Attached, Bye, checked, type FarHello } from "./wire/messages.ts";

export type { Channel, Link } from "./channels.ts";

/** Bytes that may wait to leave before pings are no longer answered: any of them is a sign of life, too. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Opens a connection. Rejects with `PlaceError`, and then nothing is left of it on this side. */
export async function openLink(options: LinkOptions): Promise<Connection> {
  return new Connection(options).opened;
}

const KNOWN_KINDS: ReadonlySet<number> = new Set(Object.values(KIND));

export class Connection implements Link {
  /** Resolves when it stands. */
  readonly opened: Promise<this>;
  /** Resolves when the link has ended; never rejects. */
  readonly ended: Promise<LinkEnd>;
  readonly #options: LinkOptions;
  readonly #child: HostChild;
  readonly #handshake: Handshake;
  readonly #channels: ChannelTable;
  #hello: FarHello | undefined;
  #end: LinkEnd | undefined;
  #settleEnd: (end: LinkEnd) => void = () => undefined;
  readonly #writer = new PatientWriter((bytes) => {
    if (this.#end === undefined) this.#child.write(bytes);
  });
  #settleOpen: { resolve: () => void; reject: (error: PlaceError) => void } | undefined;
  /** The `Hello` of one that comes back, until it stands. */
  #early: FarHello | undefined;
  #hasHeardBye = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #silence: SilenceWatch;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#channels = options.channels ?? new ChannelTable();
    this.#silence = new SilenceWatch({
      leaseMs: options.leaseMs,
      ping: (frame) => this.send(frame),
      onSilent: (reason) => this.cut(reason),
    });
    const { argv, nonce } = options.start(randomBytes(16).toString("hex"));
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
    this.opened = new Promise<this>((resolve, reject) => {
      this.#settleOpen = { resolve: () => resolve(this), reject };
    });
    const listener = {
      onOutput: (bytes: Buffer) => this.#hear(bytes),
      onOutputEnd: () => void this.#child.exit.then(() => this.#lose()),
      ...(options.onErrorLine === undefined ? {} : { onErrorLine: options.onErrorLine }),
    };
    this.#child = new HostChild(argv, listener, options.env);
    void this.#child.exit.then(({ error }) => {
      if (error !== undefined) this.#fail(`\`${argv[0] ?? ""}\` cannot be started: ${error.message}`);
    });
    this.#handshake = new Handshake({
      place: options.place,
      nonce,
      binaries: options.binaries,
      isSent: options.isSent,
      leaseMs: options.leaseMs,
      attach: options.attach === undefined ? undefined : () => options.attach?.frame() ?? Buffer.alloc(0),
      write: (bytes) => void this.#child.write(bytes),
      onHello: (hello) => {
        if (options.attach === undefined) this.#open(hello);
        else this.#early = hello;
      },
      onFrame: (frame) => this.#dispatch(frame),
      onFailure: (error) => this.#refuse(error),
    });
    this.#timer = setTimeout(
      () => this.#fail(`it did not answer within ${options.connectMs / 1_000} s`),
      options.connectMs,
    );
    const onAbort = (): void => this.#fail("the connection was given up");
    options.signal?.addEventListener("abort", onAbort, { once: true });
    const forget = (): void => options.signal?.removeEventListener("abort", onAbort);
    this.opened.then(forget, forget);
    if (options.signal?.aborted) onAbort();
  }

  /** What the far side said of itself. Throws before `opened`. */
  get hello(): FarHello {
    if (this.#hello === undefined) throw new Error("the link does not stand yet");
    return this.#hello;
  }

  get end(): LinkEnd | undefined {
    return this.#end;
  }

  get rttMs(): number {
    return this.#silence.rttMs;
  }

  get isQuiet(): boolean {
    return this.#silence.isQuiet;
  }

  get leaseFacts(): LeaseFacts {
    return { leaseMs: this.#options.leaseMs, asleepSince: this.#silence.asleepSince };
  }

  get keptLeaseMs(): undefined {
    return undefined;
  }

  /** The far side has said goodbye: what it carried is ended. */
  get hasHeardBye(): boolean {
    return this.#hasHeardBye;
  }

  begin(channel: Channel, first: (number: number) => Buffer): number {
    const { number, frame } = claim(this.#channels, channel, first);
    // The event loop stays alive while there is a channel.
    if (this.#channels.size === 1) this.#child.hold(true);
    this.send(frame);
    return number;
  }

  release(number: number): void {
    if (!this.#channels.release(number)) return;
    if (this.#channels.size === 0 && this.#end === undefined) this.#child.hold(false);
  }

  isUnsent(): boolean {
    return false;
  }

  abandon(number: number): void {
    this.release(number);
  }

  /** Sends a frame. After the link's end it has no effect. */
  send(frame: Buffer): void {
    if (this.#end !== undefined) return;
    this.#silence.sent();
    this.#writer.write(frame);
  }

  sendPatiently(frame: Buffer): void {
    if (this.#end === undefined) this.#writer.writePatiently(frame);
  }

  async sendBulk(frame: Buffer): Promise<void> {
    this.send(frame);
    await this.#child.drained();
  }

  /** Ends the link: everything that it carried is ended over there. Resolves when the program is gone. */
  async close(): Promise<void> {
    if (this.#end === undefined) {
      this.send(encodeObject(KIND.bye, 0, { reason: "closed" }));
      this.#finish({ kind: "closed", reason: "this host closed the connection" });
    }
    await this.#child.end();
  }

  /** Releases the program at once, as a crash of it would. For tests of cut links, and for a link that went silent. */
  cut(reason: string): void {
    this.#finish({ kind: "cut", reason });
    this.#child.kill();
  }

  #open(hello: FarHello): void {
    this.#hello = hello;
    clearTimeout(this.#timer);
    this.#silence.begin();
    this.#child.hold(this.#channels.size > 0);
    this.#settleOpen?.resolve();
  }

  #hear(bytes: Buffer): void {
    this.#silence.heard();
    if (this.#end !== undefined && this.#end.kind !== "closed") return;
    try {
      this.#handshake.feed(bytes);
    } catch (error) {
      // Whatever the far side sends, it must not end this process.
      this.#breakOff(messageOf(error));
    }
  }

  #dispatch(frame: Frame): void {
    if (this.#end !== undefined) {
      this.#hasHeardBye ||= frame.kind === KIND.bye;
      return;
    }
    if (this.#hello === undefined) {
      this.#comeBack(frame);
      return;
    }
    const channel = this.#channels.get(frame.channel);
    switch (frame.kind) {
      case KIND.ping:
        this.#answerPing(frame);
        return;
      case KIND.pong:
        this.#silence.pong(numberOf(frame));
        return;
      case KIND.bye:
        this.#takeLeave(checked(Bye, "Bye", objectOf(frame)));
        return;
      case KIND.answer:
      case KIND.credit:
      case KIND.quiet:
      case KIND.data:
      case KIND.started:
      case KIND.text:
      case KIND.update:
      case KIND.end:
        // A channel can be over on this side while its last frames are under way.
        channel?.take(frame);
        return;
      case KIND.attached:
        this.#breakOff("it sends an `Attached` frame that was not asked for");
        return;
      default:
        // A kind of a newer far side may be passed over where it says so; one that is known has its place, and this is not it.
        if (KNOWN_KINDS.has(frame.kind))
          this.#breakOff(`it sends a frame of kind ${frame.kind}, which this side sends`);
        else if (frame.mustKnow)
          this.#breakOff(`it sends frames of kind ${frame.kind}, which this host must know and does not`);
    }
  }

  /** The far side ended the connection. */
  #takeLeave(bye: Bye): void {
    this.#finish({ kind: "cut", reason: byeText(bye, this.leaseFacts), bye });
    void this.#child.end();
  }

  /** Takes the first frame after the `Hello` of one that comes back. */
  #comeBack(frame: Frame): void {
    const hello = this.#early;
    if (frame.kind === KIND.bye) this.#takeLeave(checked(Bye, "Bye", objectOf(frame)));
    else if (hello === undefined || frame.kind !== KIND.attached) this.#breakOff("it goes on before `Attached`");
    else {
      const { runs } = checked(Attached, "Attached", objectOf(frame));
      this.#open(hello);
      // At once: what follows in the same bytes belongs to runs that go on.
      this.#options.attach?.onAttached(this, runs);
    }
  }

  /** Answers a ping. One that asks faster than it reads gets no answer: what waits for it would grow without end. */
  #answerPing(frame: Frame): void {
    numberOf(frame);
    if (this.#child.waitingBytes > MAX_WAITING_BYTES) return;
    this.send(encodeFrame(KIND.pong, 0, frame.payload.subarray(0, OFFSET_BYTES)));
  }

  /** The far side does not keep to the protocol. */
  #breakOff(what: string): void {
    this.send(encodeObject(KIND.bye, 0, { reason: "protocol", detail: what }));
    this.#finish({ kind: "cut", reason: `it broke the protocol: ${what}`, isBroken: true });
    void this.#child.end();
  }

  /** The program is gone. */
  #lose(): void {
    if (this.#end !== undefined) return;
    void this.#child.exit.then((exit) => {
      this.#fail(exitText(exit, this.#child.lastWords() || lastLine(this.#handshake.banner)));
    });
  }

  /** Ends the link for a reason that is not the far side's own. */
  #fail(reason: string): void {
    if (this.#hello === undefined) {
      const { place } = this.#options;
      this.#refuse(new PlaceError("PI_PLACE_UNREACHABLE", place, `${place} cannot be reached: ${reason}`));
      return;
    }
    const slept = this.#silence.asleepSince !== undefined ? " (this host was asleep)" : "";
    this.#finish({ kind: "cut", reason: `${reason}${slept}` });
    void this.#child.end();
  }

  #refuse(error: PlaceError): void {
    if (this.#end !== undefined) return;
    // First: the promise takes the first of its ends, and `#finish` knows less of this one.
    this.#settleOpen?.reject(error);
    this.#finish({ kind: "cut", reason: error.message });
    void this.#child.giveUp();
  }

  #finish(end: LinkEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    clearTimeout(this.#timer);
    this.#silence.end();
    if (this.#hello === undefined) {
      const { place } = this.#options;
      this.#settleOpen?.reject(new PlaceError("PI_PLACE_UNREACHABLE", place, end.reason));
    }
    // Those of a kept link go on without it.
    if (this.#options.channels === undefined) {
      for (const [number, channel] of this.#channels.entries()) {
        this.#channels.release(number);
        channel.cut(end);
      }
    }
    this.#settleEnd(end);
  }
}
