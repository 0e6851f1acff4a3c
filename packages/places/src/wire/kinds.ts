/**
 * Kinds of frames and the bounds of the wire, as docs/place-protocol.md has them. What a frame looks like in bytes is in
 * `frames.ts`.
 */

/** The kinds of frames by name. */
export const KIND = {
  hello: 1,
  request: 2,
  run: 3,
  credit: 4,
  cancel: 5,
  data: 6,
  ping: 7,
  pong: 8,
  bye: 9,
  attach: 10,
  attached: 11,
  answer: 12,
  started: 13,
  text: 14,
  update: 15,
  end: 16,
  quiet: 17,
} as const;

/** Versions of the protocol that this side speaks. */
export const PROTOCOL = { min: 1, max: 1 } as const;

/** Largest value of a frame's length field, in bytes. It counts what follows it, the newline too. */
export const MAX_FRAME_LENGTH = 1_048_576;
/** Smallest value of a frame's length field, in bytes: kind, flags, channel and newline. */
export const MIN_FRAME_LENGTH = 7;
/** Most bytes of a payload that goes on in further frames: 16 MiB. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
/** Most bytes of one part of such a payload; both sides send parts of this size. */
export const MAX_PART_BYTES = MAX_FRAME_LENGTH - 64;
/** Fewest bytes of a part that another one follows: 64 KiB. */
export const MIN_PART_BYTES = 64 * 1024;
/** Kinds of frames whose payload may go on in further frames. */
export const SPLIT_KINDS: ReadonlySet<number> = new Set([
  KIND.hello,
  KIND.request,
  KIND.run,
  KIND.attach,
  KIND.attached,
  KIND.answer,
  KIND.end,
]);
/** Most raw bytes of one `Data` frame. */
export const MAX_DATA_BYTES = 256 * 1024;
/** Most bytes of one `Text` frame. */
export const MAX_TEXT_BYTES = 64 * 1024;
/** Bytes that stand before the raw bytes of `Data` and `Text`: their offset. */
export const OFFSET_BYTES = 8;
/** First window of a run, in bytes. */
export const FIRST_WINDOW_BYTES = 256 * 1024;
/** Largest window of a run, in bytes. */
export const MAX_WINDOW_BYTES = 4 * 1024 * 1024;
/** Most bytes of a file that `put` takes: 16 MiB. */
export const MAX_PUT_BYTES = 16 * 1024 * 1024;
/** Most bytes that one `read` asks for: 1 MiB. */
export const MAX_READ_BYTES = 1024 * 1024;
