/**
 * One operation on a place: a request, its answer, and the bytes of a file either way.
 */
import { ShellError, type ShellErrorCode } from "@pi-bash/natives";
import type { Channel, Link } from "./link.ts";
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
  { place, bytes, maxBytes = 0 }: RequestOptions,
): Promise<RequestAnswer> {
  return new Promise((resolve, reject) => {
    if (link.end !== undefined) {
      reject(unreachable(place, link.end));
      return;
    }
    const received: Buffer[] = [];
    let receivedBytes = 0;
    const finish = (settle: () => void): void => {
      link.release(number);
      settle();
    };
    const channel: Channel = {
      take: (frame) => {
        if (frame.kind === KIND.data) {
          if (bytes !== undefined) void sendBytes(link, number, bytes);
          else receivedBytes = keep(frame, received, receivedBytes, maxBytes);
          return;
        }
        if (frame.kind !== KIND.answer) throw new FrameError(`an operation got a frame of kind ${frame.kind}`);
        const answer = checked(Answer, "Answer", objectOf(frame));
        if ("error" in answer) finish(() => reject(failureOf(answer.error)));
        else finish(() => resolve({ ok: answer.ok, bytes: Buffer.concat(received) }));
      },
      cut: (end: LinkEnd) => reject(unreachable(place, end)),
    };
    const number = link.begin(channel, (claimed) => encodeObject(KIND.request, claimed, { op, ...members }));
  });
}

/** What the far side says went wrong, as an error of the native surface. */
export function failureOf({ code, message, reason }: Failure): ShellError {
  const known = code.startsWith("PI_") ? (code as ShellErrorCode) : "PI_INTERNAL";
  return new ShellError(known, message, reason === undefined ? {} : { reason });
}

function keep(frame: Frame, received: Buffer[], receivedBytes: number, maxBytes: number): number {
  const { bytes } = pieceOf(frame);
  const total = receivedBytes + bytes.length;
  if (bytes.length > MAX_DATA_BYTES) throw new FrameError(`a piece of a file has ${bytes.length} bytes`);
  if (total > maxBytes) throw new FrameError(`an operation got ${total} bytes where ${maxBytes} were asked for`);
  received.push(Buffer.from(bytes));
  return total;
}

/** Sends a file in pieces, each when the one before has left: control frames go between them. */
async function sendBytes(link: Link, channel: number, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += MAX_TEXT_BYTES) {
    await link.sendBulk(encodePiece(KIND.data, channel, offset, bytes.subarray(offset, offset + MAX_TEXT_BYTES)));
  }
}
