/**
 * Channels of a link: who gets the frames of which number, and what a link is to those who speak over it.
 *
 * A link can be one connection (`link.ts`) or several, one after the other (`kept-link.ts`). All connections of a kept link
 * have one table, so that a number means the same on both sides as long as its operation lives.
 */
import { ShellError } from "@pi-bash/natives";
import type { LeaseFacts, LinkEnd } from "./link-end.ts";
import type { Frame } from "./wire/frames.ts";
import type { FarHello } from "./wire/messages.ts";

/** Who gets the frames of a channel. */
export interface Channel {
  /** Takes a frame. What it throws ends the link. */
  take(frame: Frame): void;
  /** The link ended before the channel did. */
  cut(end: LinkEnd): void;
  /** How it goes on when its link comes back. Absent: the first cut ends it. */
  readonly comesBack?: ComingBack;
}

/** How a channel goes on over another connection. */
export interface ComingBack {
  /** What `Attach` says of it. Undefined: the far side has nothing to go on with. */
  named?(): { readonly id: string; readonly offset: number } | undefined;
  /** The far side has it: its frames from the named offset on follow. The link was away for so long, in milliseconds. */
  resumed?(awayMs: number): void;
  /** The far side does not have it, or it has no name. It is done again or settled; these sessions are open over there. */
  again(sessions: ReadonlySet<number>): void;
}

/** A link as sessions, runs and requests see it. */
export interface Link {
  /** What the far side said of itself. */
  readonly hello: FarHello;
  /** How it ended; undefined while it stands, or may come back. */
  readonly end: LinkEnd | undefined;
  /** Resolves when the link has ended; never rejects. */
  readonly ended: Promise<LinkEnd>;
  /** Newest measured round trip, in milliseconds. 0: none was measured yet. */
  readonly rttMs: number;
  /** It comes back after a cut: silence that would end it, in milliseconds. Undefined: a cut ends it. */
  readonly keptLeaseMs: number | undefined;
  /** There is no connection, or nothing was heard over it for a quarter of the lease. */
  readonly isQuiet: boolean;
  /** What is known where the place says that its lease ran out. */
  readonly leaseFacts: LeaseFacts;
  /** Takes a new channel and sends its first frame. Where `first` throws, there is no channel. */
  begin(channel: Channel, first: (number: number) => Buffer): number;
  /** The channel's first frame waits for a connection: the far side knows nothing of it. */
  isUnsent(number: number): boolean;
  /** A channel is over. */
  release(number: number): void;
  /** A channel is given up before its end was reported: what it is over there is to end. */
  abandon(number: number): void;
  /** Sends a frame. Without a connection it has no effect. */
  send(frame: Buffer): void;
  /** Sends a frame with the next one, or by itself a little later: one that nothing waits for. */
  sendPatiently(frame: Buffer): void;
  /** Sends a frame of many bytes; resolves when the next may follow. */
  sendBulk(frame: Buffer): Promise<void>;
  /** Ends the link: everything that it carried is ended over there. */
  close(): Promise<void>;
  /** Drops the connection at once, as a crash of its program would. */
  cut(reason: string): void;
}

/** A channel that is claimed, and its first frame. Throws where `first` does; then there is no channel. */
export function claim(
  table: ChannelTable,
  channel: Channel,
  first: (number: number) => Buffer,
): { number: number; frame: Buffer } {
  const number = table.claim(channel);
  try {
    return { number, frame: first(number) };
  } catch (error) {
    table.release(number);
    // What does not fit into the protocol was not sent, and nothing was begun.
    throw error instanceof RangeError ? new ShellError("PI_INVALID_OPTION", error.message, { cause: error }) : error;
  }
}

const MAX_NUMBER = 0xffff_ffff;

/** Channels by their numbers. */
export class ChannelTable {
  readonly #channels = new Map<number, Channel>();
  #next = 1;

  /** How many there are. */
  get size(): number {
    return this.#channels.size;
  }

  /** Numbers and channels in the order in which they were claimed. */
  entries(): [number: number, channel: Channel][] {
    return [...this.#channels];
  }

  get(number: number): Channel | undefined {
    return this.#channels.get(number);
  }

  /** A number that no other channel has. */
  claim(channel: Channel): number {
    for (;;) {
      const number = this.#next;
      this.#next = number === MAX_NUMBER ? 1 : number + 1;
      if (this.#channels.has(number)) continue;
      this.#channels.set(number, channel);
      return number;
    }
  }

  /** False: there was none. */
  release(number: number): boolean {
    return this.#channels.delete(number);
  }
}
