/**
 * One operation on a place: a request, its answer, and the bytes of a file either way.
 */
import { ShellError, type ShellErrorCode } from "@pi-bash/natives";
import type { Channel, Link } from "./channels.ts";
import { type LinkEnd, unreachable } from "./link-end.ts";
import { encodeObject, encodePiece, type Frame, FrameError, objectOf, pieceOf } from "./wire/frames.ts";
import { KIND, MAX_DATA_BYTES, MAX_TEXT_BYTES } from "./wire/kinds.ts";
import { Answer, checked, type Failure } from "./wire/messages.ts";

/** What goes with a request. */
export interface RequestOptions {
  /** The place, for errors. */
  readonly place: string;
  /** Bytes that are sent where the far side asks for them. */
  readonly bytes?: Uint8Array;
  /** Most bytes that the answer may have as `Data`. Default 0. */
  readonly maxBytes?: number;
  /** It ends with its connection, also where the link comes back. Default false. */
  readonly isOfConnection?: boolean;
}

/** What an operation gave. */
export interface RequestAnswer {
  readonly ok: Record<string, unknown>;
  /** The bytes that came before the answer. */
  readonly bytes: Buffer;
}

/** Does `op`. Rejects with `ShellError` for what the far side says, and with `PlaceError` where the link ended. */
export function request(
  link: Link,
  op: string,
  members: object,
  { place, bytes, maxBytes = 0, isOfConnection = false }: RequestOptions,
): Promise<RequestAnswer> {
  return new Promise((resolve, reject) => {
    if (link.end !== undefined) {
      reject(unreachable(place, link.end));
      return;
    }
    let incoming = new Incoming(maxBytes);
    let isAsked = false;
    /** Ends the sending of bytes over a connection that was cut. */
    let sending = new AbortController();
    const encode = (number: number): Buffer => encodeObject(KIND.request, number, { op, ...members });
    const finish = (settle: () => void): void => {
      link.release(number);
      settle();
    };
    const take = (frame: Frame): void => {
      if (bytes === undefined) {
        incoming.add(frame);
        return;
      }
      // Each question begins to send the whole file.
      if (isAsked) throw new FrameError("an operation asks for the same file twice");
      isAsked = true;
      void sendBytes(link, number, bytes, sending.signal);
    };
    /** The answer ended with its connection. */
    const again = (sessions: ReadonlySet<number>): void => {
      incoming = new Incoming(maxBytes);
      isAsked = false;
      sending.abort();
      sending = new AbortController();
      if (isDone(op, members, sessions)) finish(() => resolve({ ok: {}, bytes: incoming.whole() }));
      else link.send(encode(number));
    };
    const channel: Channel = {
      take: (frame) => {
        if (frame.kind === KIND.data) {
          take(frame);
          return;
        }
        if (frame.kind !== KIND.answer) throw new FrameError(`an operation got a frame of kind ${frame.kind}`);
        const answer = checked(Answer, "Answer", objectOf(frame));
        if ("error" in answer) finish(() => reject(failureOf(answer.error)));
        else finish(() => resolve({ ok: answer.ok, bytes: incoming.whole() }));
      },
      cut: (end: LinkEnd) => {
        sending.abort();
        reject(unreachable(place, end));
      },
      ...(isOfConnection ? {} : { comesBack: { again } }),
    };
    const number = link.begin(channel, encode);
  });
}

/** Whether an operation on a session was done before its answer was lost. The others can be done twice. */
function isDone(op: string, members: object, sessions: ReadonlySet<number>): boolean {
  const session = "session" in members && typeof members.session === "number" ? members.session : undefined;
  if (session === undefined) return false;
  return op === "open" ? sessions.has(session) : (op === "close" || op === "abort") && !sessions.has(session);
}

/** What a code of an error looks like. */
const CODE = /^PI_[A-Z_]{1,60}$/;

/** What the far side says went wrong, as an error of the native surface. */
export function failureOf({ code, message, reason }: Failure): ShellError {
  const known = CODE.test(code) ? (code as ShellErrorCode) : "PI_INTERNAL";
  return new ShellError(known, message, reason === undefined ? {} : { reason });
}

/** The bytes that come before an answer, never more than were asked for. */
class Incoming {
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(frame: Frame): void {
    const { bytes } = pieceOf(frame);
    this.#total += bytes.length;
    if (bytes.length > MAX_DATA_BYTES) throw new FrameError(`a piece of a file has ${bytes.length} bytes`);
    if (this.#total > this.#maxBytes) {
      throw new FrameError(`an operation got ${this.#total} bytes where ${this.#maxBytes} were asked for`);
    }
    if (bytes.length > 0) this.#pieces.push(Buffer.from(bytes));
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** Sends a file in pieces, each when the one before has left: control frames go between them. */
async function sendBytes(link: Link, channel: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  for (let offset = 0; offset < bytes.length && !signal.aborted; offset += MAX_TEXT_BYTES) {
    await link.sendBulk(encodePiece(KIND.data, channel, offset, bytes.subarray(offset, offset + MAX_TEXT_BYTES)));
  }
}
