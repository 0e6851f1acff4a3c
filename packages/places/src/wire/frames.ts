/**
 * Frames in bytes: `u32 length | u8 kind | u8 flags | u32 channel | payload | 0x0A`, little-endian.
 *
 * The decoder takes pieces of any length and holds at most one payload, of 16 MiB. What is not a frame throws: after it nothing of the
 * stream can be trusted, so there is no way to go on.
 */
import {
  MAX_FRAME_LENGTH,
  MAX_PART_BYTES,
  MAX_PAYLOAD_BYTES,
  MIN_FRAME_LENGTH,
  MIN_PART_BYTES,
  OFFSET_BYTES,
  SPLIT_KINDS,
} from "./kinds.ts";

/** One frame. */
export interface Frame {
  /** One of `KIND`, or a number that this side does not know. */
  readonly kind: number;
  /** A receiver that does not know the kind must end the link. */
  readonly mustKnow: boolean;
  /** The channel; 0 for frames about the link. */
  readonly channel: number;
  /** The payload. Valid until the decoder is fed again. */
  readonly payload: Buffer;
}

/** The bytes are not a frame. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

const LENGTH_BYTES = 4;
/** Kind, flags and channel. */
const HEAD_BYTES = 6;
const PAYLOAD_AT = LENGTH_BYTES + HEAD_BYTES;
const MUST_KNOW = 1;
/** The payload goes on in the next frame, which has the same kind and channel. */
const MORE = 2;
const NEWLINE = 0x0a;
const MAX_CHANNEL = 0xffff_ffff;
const EMPTY = Buffer.alloc(0);

/**
 * A frame's bytes.
 *
 * @throws RangeError when the payload is too long or the channel is not a whole number of 32 bits
 */
export function encodeFrame(kind: number, channel: number, payload: Uint8Array = EMPTY, flags = 0): Buffer {
  const frame = emptyFrame(kind, channel, payload.length, flags);
  frame.set(payload, PAYLOAD_AT);
  return frame;
}

/** A frame whose payload is not written yet. */
function emptyFrame(kind: number, channel: number, payloadBytes: number, flags: number): Buffer {
  const length = MIN_FRAME_LENGTH + payloadBytes;
  if (length > MAX_FRAME_LENGTH) throw new RangeError(`a payload of ${payloadBytes} bytes does not fit into a frame`);
  if (!Number.isInteger(channel) || channel < 0 || channel > MAX_CHANNEL) {
    throw new RangeError(`channel ${channel} is not a whole number of 32 bits`);
  }
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32LE(length, 0);
  frame[4] = kind;
  frame[5] = flags;
  frame.writeUInt32LE(channel, 6);
  frame[frame.length - 1] = NEWLINE;
  return frame;
}

/**
 * A payload of one JSON object, in as many frames as it takes.
 *
 * @throws RangeError when it has more than 16 MiB
 */
export function encodeObject(kind: number, channel: number, value: object): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_PART_BYTES) {
    const frame = emptyFrame(kind, channel, bytes, 0);
    frame.write(text, PAYLOAD_AT);
    return frame;
  }
  const payload = Buffer.from(text, "utf8");
  if (payload.length > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`a message of ${payload.length} bytes is larger than ${MAX_PAYLOAD_BYTES}`);
  }
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < payload.length; at += MAX_PART_BYTES) {
    const end = at + MAX_PART_BYTES;
    frames.push(encodeFrame(kind, channel, payload.subarray(at, end), end < payload.length ? MORE : 0));
  }
  return Buffer.concat(frames);
}

/** A frame whose payload is an offset and raw bytes. */
export function encodePiece(kind: number, channel: number, offset: number, bytes: Uint8Array): Buffer {
  const frame = emptyFrame(kind, channel, OFFSET_BYTES + bytes.length, 0);
  frame.writeBigUInt64LE(BigInt(offset), PAYLOAD_AT);
  frame.set(bytes, PAYLOAD_AT + OFFSET_BYTES);
  return frame;
}

/** The object in a control frame. Throws `FrameError` for anything else. */
export function objectOf(frame: Frame): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(frame.payload.toString("utf8"));
  } catch (cause) {
    throw new FrameError(`a frame of kind ${frame.kind} has no JSON in it`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FrameError(`a frame of kind ${frame.kind} has no JSON object in it`);
  }
  return value as Record<string, unknown>;
}

/** Offset and bytes of a `Data` or `Text` frame. Throws `FrameError` where there is no offset, or one past 2^53. */
export function pieceOf(frame: Frame): { offset: number; bytes: Buffer } {
  return { offset: numberOf(frame), bytes: frame.payload.subarray(OFFSET_BYTES) };
}

/** The number of 64 bits that a payload begins with. Throws `FrameError` where it is missing or past 2^53. */
export function numberOf(frame: Frame): number {
  if (frame.payload.length < OFFSET_BYTES) throw new FrameError(`a frame of kind ${frame.kind} is too short`);
  const number = Number(frame.payload.readBigUInt64LE(0));
  if (!Number.isSafeInteger(number)) throw new FrameError(`a frame of kind ${frame.kind} has an impossible number`);
  return number;
}

/** Cuts a stream into frames, and puts payloads together that took several. */
export class FrameDecoder {
  /** The parts of a payload that goes on. */
  #parts: Buffer[] = [];
  #partsBytes = 0;
  #partsOf: Pick<Frame, "kind" | "channel"> | undefined;
  /** Bytes of a length field that has not come whole. */
  #head = EMPTY;
  /** A frame that has not come whole, and how much of it there is. */
  #body: Buffer | undefined;
  #filled = 0;

  /** Whether a frame has begun and not ended: a stream that ends here was cut. */
  get isInside(): boolean {
    return this.#head.length > 0 || this.#body !== undefined || this.#partsOf !== undefined;
  }

  /** Takes the next bytes and calls `onFrame` for each frame that they complete. Throws `FrameError`. */
  feed(bytes: Buffer, onFrame: (frame: Frame) => void): void {
    let at = 0;
    while (at < bytes.length)
      at = this.#body === undefined ? this.#begin(bytes, at, onFrame) : this.#fill(bytes, at, onFrame);
  }

  /** Takes a length field, and the frame at once where it stands whole in `bytes`. Returns where to go on. */
  #begin(bytes: Buffer, at: number, onFrame: (frame: Frame) => void): number {
    const missing = LENGTH_BYTES - this.#head.length;
    const end = Math.min(bytes.length, at + missing);
    if (end - at < missing) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(at, end)]);
      return end;
    }
    const length =
      this.#head.length === 0
        ? bytes.readUInt32LE(at)
        : Buffer.concat([this.#head, bytes.subarray(at, end)]).readUInt32LE(0);
    this.#head = EMPTY;
    if (length < MIN_FRAME_LENGTH || length > MAX_FRAME_LENGTH) {
      throw new FrameError(`a frame says that it has ${length} bytes`);
    }
    if (bytes.length - end >= length) {
      this.#join(frameIn(bytes.subarray(end, end + length)), onFrame);
      return end + length;
    }
    this.#body = Buffer.allocUnsafe(length);
    this.#filled = 0;
    return end;
  }

  #fill(bytes: Buffer, at: number, onFrame: (frame: Frame) => void): number {
    const body = this.#body ?? EMPTY;
    const end = Math.min(bytes.length, at + body.length - this.#filled);
    this.#filled += bytes.copy(body, this.#filled, at, end);
    if (this.#filled === body.length) {
      this.#body = undefined;
      this.#join(frameIn(body), onFrame);
    }
    return end;
  }

  /** Passes a frame on, or keeps it as a part of a payload that goes on. */
  #join(frame: Frame & { readonly hasMore: boolean }, onFrame: (frame: Frame) => void): void {
    const { hasMore } = frame;
    const of = this.#partsOf;
    if (of === undefined && !hasMore) {
      onFrame(frame);
      return;
    }
    if (of !== undefined && (of.kind !== frame.kind || of.channel !== frame.channel)) {
      throw new FrameError("another frame stands between the parts of a payload");
    }
    if (hasMore) checkPart(frame);
    this.#partsOf = frame;
    this.#partsBytes += frame.payload.length;
    if (this.#partsBytes > MAX_PAYLOAD_BYTES) throw new FrameError("a payload in parts is too long");
    this.#parts.push(Buffer.from(frame.payload));
    if (hasMore) return;
    const payload = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partsBytes = 0;
    this.#partsOf = undefined;
    onFrame({ ...frame, payload });
  }
}

/** A part that goes on is large: small or empty ones would cost far more memory than the bytes that are counted of them. */
function checkPart({ kind, payload }: Frame): void {
  if (!SPLIT_KINDS.has(kind)) throw new FrameError(`a frame of kind ${kind} goes on, and such frames may not`);
  if (payload.length < MIN_PART_BYTES) throw new FrameError(`a part of a payload has only ${payload.length} bytes`);
}

/** What stands after a length field, taken apart. */
function frameIn(body: Buffer): Frame & { readonly hasMore: boolean } {
  if (body[body.length - 1] !== NEWLINE) throw new FrameError("a frame does not end with a newline");
  const flags = body.readUInt8(1);
  if ((flags & ~(MUST_KNOW | MORE)) !== 0) throw new FrameError(`a frame has the flags ${flags}`);
  return {
    kind: body.readUInt8(0),
    mustKnow: (flags & MUST_KNOW) !== 0,
    hasMore: (flags & MORE) !== 0,
    channel: body.readUInt32LE(2),
    payload: body.subarray(HEAD_BYTES, body.length - 1),
  };
}
