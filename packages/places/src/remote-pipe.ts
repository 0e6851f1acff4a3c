/**
 * Pipes between this machine and the commands of a place: what they read, and what they write beside their output.
 *
 * A pipe is a path over there that commands open. Into them, this side sends only what it has credit for, which the place gives
 * for what the pipe took; so an input that has no reader waits here, and in no memory but that of its source. Out of them, what
 * the consumer took is acknowledged, and that lets the commands write on.
 */
import type { Channel, Link } from "./link.ts";
import type { LinkEnd } from "./link-end.ts";
import { PlaceError } from "./place-error.ts";
import { failureOf, request } from "./request.ts";
import { TextQueue } from "./text-queue.ts";
import {
  encodeFrame,
  encodeObject,
  encodePiece,
  type Frame,
  FrameError,
  numberOf,
  objectOf,
  pieceOf,
} from "./wire/frames.ts";
import { FIRST_WINDOW_BYTES, KIND, MAX_TEXT_BYTES, MAX_WINDOW_BYTES, OFFSET_BYTES } from "./wire/kinds.ts";
import { Answer, checked, PipeStarted } from "./wire/messages.ts";

/** What both kinds of pipes have. */
abstract class RemotePipe implements Channel {
  /** Where commands open it over there. */
  readonly path: Promise<string>;
  protected readonly link: Link;
  protected readonly channel: number;
  readonly #place: string;
  readonly #settlePath: { resolve: (path: string) => void; reject: (error: unknown) => void };
  #isOver = false;

  constructor(link: Link, place: string, members: object) {
    this.link = link;
    this.#place = place;
    let settle: { resolve: (path: string) => void; reject: (error: unknown) => void } | undefined;
    this.path = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.path.catch(() => undefined);
    this.#settlePath = settle ?? { resolve: () => undefined, reject: () => undefined };
    this.channel = link.begin(this, (channel) => encodeObject(KIND.request, channel, { op: "pipe", ...members }));
  }

  /** It has ended, by either side. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(frame: Frame): void {
    switch (frame.kind) {
      case KIND.started:
        this.#settlePath.resolve(checked(PipeStarted, "Started", objectOf(frame)).path);
        return;
      case KIND.answer: {
        const answer = checked(Answer, "Answer", objectOf(frame));
        this.#end("error" in answer ? failureOf(answer.error) : this.#ended("it was ended"));
        this.link.release(this.channel);
        return;
      }
      default:
        this.takeMore(frame);
    }
  }

  cut(end: LinkEnd): void {
    this.#end(this.#ended(end.reason));
  }

  /** Ends it. What still has it open over there meets the end of the pipe. */
  close(): void {
    if (this.#isOver) return;
    this.link.send(encodeFrame(KIND.cancel, this.channel));
    this.link.release(this.channel);
    this.#end(this.#ended("it was closed here"));
  }

  /** Takes a frame of its kind of pipe. */
  protected abstract takeMore(frame: Frame): void;
  /** It is over: whoever waits goes on. */
  protected abstract settle(error: Error): void;

  #end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settlePath.reject(error);
    this.settle(error);
  }

  #ended(reason: string): PlaceError {
    return new PlaceError("PI_PLACE_LOST", this.#place, `a pipe to ${this.#place} has ended: ${reason}`);
  }
}

/** What commands read. */
export class RemoteInput extends RemotePipe {
  #sent = 0;
  #allowed = 0;
  #waiting: (() => void) | undefined;

  constructor(link: Link, place: string) {
    super(link, place, { way: "in" });
  }

  /** Sends bytes; resolves when all have left, and with false where the pipe is over. One call at a time. */
  async write(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length; ) {
      while (!this.isOver && this.#sent >= this.#allowed) {
        await new Promise<void>((resolve) => {
          this.#waiting = resolve;
        });
      }
      if (this.isOver) return false;
      const length = Math.min(bytes.length - at, this.#allowed - this.#sent, MAX_TEXT_BYTES);
      const piece = encodePiece(KIND.data, this.channel, this.#sent, bytes.subarray(at, at + length));
      this.#sent += length;
      at += length;
      await this.link.sendBulk(piece);
    }
    return !this.isOver;
  }

  /** Ends the input: what reads it meets the end once it has read all. */
  end(): void {
    if (!this.isOver) this.link.send(encodePiece(KIND.data, this.channel, this.#sent, Buffer.alloc(0)));
  }

  protected override takeMore(frame: Frame): void {
    if (frame.kind !== KIND.credit || frame.payload.length < OFFSET_BYTES + 4) {
      throw new FrameError(`an input got a frame of kind ${frame.kind}`);
    }
    const taken = numberOf(frame);
    if (taken > this.#sent) throw new FrameError("more of an input was taken than was sent");
    const window = Math.min(frame.payload.readUInt32LE(OFFSET_BYTES), MAX_WINDOW_BYTES);
    this.#allowed = Math.max(this.#allowed, taken + window);
    this.settle();
  }

  protected override settle(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}

/** What commands write beside their output. */
export class RemoteOutput extends RemotePipe {
  readonly #consumer: (bytes: Buffer) => unknown;
  readonly #name: string;
  readonly #queue = new TextQueue();
  #taken = 0;
  #credited = 0;
  #isDelivering = false;
  #waiting: { offset: number; resolve: () => void } | undefined;

  /** `consumer` gets every byte in order; a promise that it returns holds the commands back. */
  constructor(link: Link, place: string, consumer: (bytes: Buffer) => unknown) {
    super(link, place, { way: "out", window: FIRST_WINDOW_BYTES });
    this.#name = place;
    this.#consumer = consumer;
  }

  /** Resolves when everything that commands have written up to now was taken, or the pipe is over. One call at a time. */
  async flush(): Promise<void> {
    if (this.isOver) return;
    const asked = await request(this.link, "drained", { pipe: this.channel }, { place: this.#name }).catch(
      () => undefined,
    );
    const offset = asked?.ok["offset"];
    if (typeof offset !== "number" || this.isOver || this.#taken >= offset) return;
    await new Promise<void>((resolve) => {
      this.#waiting = { offset, resolve };
    });
  }

  protected override takeMore(frame: Frame): void {
    if (frame.kind !== KIND.data) throw new FrameError(`an output got a frame of kind ${frame.kind}`);
    const { offset, bytes } = pieceOf(frame);
    this.#queue.push(offset, bytes);
    void this.#deliver();
  }

  protected override settle(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let piece = this.#queue.shiftRaw(); piece !== undefined; piece = this.#queue.shiftRaw()) {
      try {
        await this.#consumer(piece.bytes);
      } catch {
        // What the consumer cannot take is its loss: the command goes on.
      }
      this.#taken = piece.end;
      this.#credit();
      if (this.#waiting !== undefined && this.#taken >= this.#waiting.offset) this.settle();
    }
    this.#isDelivering = false;
  }

  #credit(): void {
    if (this.isOver || this.#taken - this.#credited < FIRST_WINDOW_BYTES / 4) return;
    this.#credited = this.#taken;
    const payload = Buffer.alloc(OFFSET_BYTES + 4);
    payload.writeBigUInt64LE(BigInt(this.#taken), 0);
    payload.writeUInt32LE(FIRST_WINDOW_BYTES, OFFSET_BYTES);
    this.link.send(encodeFrame(KIND.credit, this.channel, payload));
  }
}

/** Pipes of a place. */
export interface RemotePipes {
  /** A pipe into commands. Rejects where it cannot be made. */
  openInput(): Promise<{ path: string; input: RemoteInput }>;
  /** A pipe out of commands; `consumer` gets every byte, and a promise that it returns holds them back. */
  openOutput(consumer: (bytes: Buffer) => unknown): Promise<{ path: string; output: RemoteOutput }>;
}

/** The pipes of the place whose links `link` gives. */
export function remotePipes(place: string, link: () => Promise<Link>): RemotePipes {
  return {
    openInput: async () => {
      const input = new RemoteInput(await link(), place);
      return { path: await input.path, input };
    },
    openOutput: async (consumer) => {
      const output = new RemoteOutput(await link(), place, consumer);
      return { path: await output.path, output };
    },
  };
}
