/**
 * One connection to a place: frames over the streams of one local program, and who waits for which of them.
 *
 * # Theory of operation
 * `openLink` starts the program and hands its bytes to the handshake; from the far `Hello` on, each frame goes to the
 * channel it names. Frames that are about the link are answered here: `Pong`, `Bye`, and the silence that means that the
 * other side is gone (near lease: suspect at half of it, cut at the whole). However a link ends, each channel is told once,
 * and the program is ended by its one owner.
 */
import { randomBytes } from "node:crypto";
import { ShellError } from "@pi-bash/natives";
import { Handshake } from "./handshake.ts";
import { HostChild } from "./host-child.ts";
import { byeText, type LinkEnd } from "./link-end.ts";
import type { LinkOptions } from "./link-options.ts";
import { PatientWriter } from "./patient-writer.ts";
import { messageOf, PlaceError } from "./place-error.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { encodeFrame, encodeObject, type Frame, numberOf, objectOf } from "./wire/frames.ts";
import { KIND, OFFSET_BYTES } from "./wire/kinds.ts";
import { Bye, checked, type FarHello } from "./wire/messages.ts";

/** Bytes that may wait to leave before pings are no longer answered: any of them is a sign of life, too. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Who gets the frames of a channel. */
export interface Channel {
  /** Takes a frame. What it throws ends the link. */
  take(frame: Frame): void;
  /** The link ended before the channel did. */
  cut(end: LinkEnd): void;
}

/** Opens a link. Rejects with `PlaceError`, and then nothing is left of it on this side. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const link = new Link(options);
  return link.opened;
}

export class Link {
  /** Resolves when the link stands. */
  readonly opened: Promise<this>;
  /** Resolves when the link has ended; never rejects. */
  readonly ended: Promise<LinkEnd>;
  readonly #options: LinkOptions;
  readonly #child: HostChild;
  readonly #handshake: Handshake;
  readonly #channels = new Map<number, Channel>();
  #hello: FarHello | undefined;
  #end: LinkEnd | undefined;
  #settleEnd: (end: LinkEnd) => void = () => undefined;
  readonly #writer = new PatientWriter((bytes) => {
    if (this.#end === undefined) this.#child.write(bytes);
  });
  #settleOpen: { resolve: () => void; reject: (error: PlaceError) => void } | undefined;
  #nextChannel = 1;
  #timer: NodeJS.Timeout | undefined;
  readonly #silence: SilenceWatch;

  constructor(options: LinkOptions) {
    this.#options = options;
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
      write: (bytes) => void this.#child.write(bytes),
      onHello: (hello) => this.#open(hello),
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

  /** How it ended; undefined while it stands. */
  get end(): LinkEnd | undefined {
    return this.#end;
  }

  /** Newest measured round trip, in milliseconds. 0: none was measured yet. */
  get rttMs(): number {
    return this.#silence.rttMs;
  }

  /** Nothing was heard for half of the lease: the link may be cut. */
  get isSuspect(): boolean {
    return this.#silence.isSuspect;
  }

  /** Takes a new channel. Its frames go to `channel` until `release`. The event loop stays alive while there is one. */
  claim(channel: Channel): number {
    const number = this.#nextChannel;
    this.#nextChannel = number === 0xffff_ffff ? 1 : number + 1;
    if (this.#channels.has(number)) return this.claim(channel);
    if (this.#channels.size === 0) this.#child.hold(true);
    this.#channels.set(number, channel);
    return number;
  }

  /** Takes a new channel and sends its first frame. Where `first` throws, there is no channel. */
  begin(channel: Channel, first: (number: number) => Buffer): number {
    const number = this.claim(channel);
    try {
      this.send(first(number));
    } catch (error) {
      this.release(number);
      throw tooLarge(error);
    }
    return number;
  }

  /** A channel is over. */
  release(number: number): void {
    if (!this.#channels.delete(number)) return;
    if (this.#channels.size === 0 && this.#end === undefined) this.#child.hold(false);
  }

  /** Sends a frame. After the link's end it has no effect. */
  send(frame: Buffer): void {
    if (this.#end !== undefined) return;
    this.#silence.sent();
    this.#writer.write(frame);
  }

  /** Sends a frame with the next one, or by itself a little later: one that nothing waits for. */
  sendPatiently(frame: Buffer): void {
    if (this.#end === undefined) this.#writer.writePatiently(frame);
  }

  /** Sends a frame of many bytes; resolves when the next may follow. */
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

  /** Lets go of the program at once, as a crash of it would. For tests of cut links, and for a link that went silent. */
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
    if (this.#end !== undefined) return;
    try {
      this.#handshake.feed(bytes);
    } catch (error) {
      // Whatever the far side sends, it must not end this process.
      this.#breakOff(messageOf(error));
    }
  }

  #dispatch(frame: Frame): void {
    if (this.#end !== undefined) return;
    const channel = this.#channels.get(frame.channel);
    switch (frame.kind) {
      case KIND.ping:
        this.#answerPing(frame);
        return;
      case KIND.pong:
        this.#silence.pong(numberOf(frame));
        return;
      case KIND.bye: {
        const bye = checked(Bye, "Bye", objectOf(frame));
        this.#finish({ kind: "cut", reason: byeText(bye, this.#options.leaseMs), bye });
        void this.#child.end();
        return;
      }
      case KIND.answer:
      case KIND.credit:
      case KIND.data:
      case KIND.started:
      case KIND.text:
      case KIND.update:
      case KIND.end:
      case KIND.attached:
        // A channel can be over on this side while its last frames are under way.
        channel?.take(frame);
        return;
      default:
        if (frame.mustKnow)
          this.#breakOff(`it sends frames of kind ${frame.kind}, which this host must know and does not`);
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
    this.#finish({ kind: "cut", reason: `it broke the protocol: ${what}` });
    void this.#child.end();
  }

  /** The program is gone. */
  #lose(): void {
    if (this.#end !== undefined) return;
    void this.#child.exit.then(({ code, signal }) => {
      const words = this.#child.lastWords() || lastLine(this.#handshake.banner);
      const how = signal === null ? `it ended with status ${code ?? "?"}` : `${signal} ended it`;
      this.#fail(words === "" ? how : words);
    });
  }

  /** Ends the link for a reason that is not the far side's own. */
  #fail(reason: string): void {
    if (this.#hello === undefined) {
      const { place } = this.#options;
      this.#refuse(new PlaceError("PI_PLACE_UNREACHABLE", place, `${place} cannot be reached: ${reason}`));
      return;
    }
    const slept = this.#silence.wasAsleep ? " (this host was asleep)" : "";
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
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const channel of channels) channel.cut(end);
    this.#settleEnd(end);
  }
}

/** What does not fit into the protocol was not sent, and nothing was begun. */
function tooLarge(error: unknown): unknown {
  return error instanceof RangeError ? new ShellError("PI_INVALID_OPTION", error.message, { cause: error }) : error;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
