/** Frames in bytes: what comes out of a stream that is cut anywhere, and what is refused. */
import { describe, expect, it } from "vitest";
import {
  encodeFrame,
  encodeObject,
  encodePiece,
  type Frame,
  FrameDecoder,
  FrameError,
  objectOf,
  pieceOf,
} from "../src/wire/frames.ts";
import { KIND, MAX_FRAME_LENGTH, MAX_TEXT_BYTES } from "../src/wire/kinds.ts";

/** Frames of a stream that comes in `pieces`, copied: a payload is valid during the call only. */
function decode(pieces: readonly Buffer[]): Frame[] {
  const decoder = new FrameDecoder();
  const frames: Frame[] = [];
  for (const piece of pieces) {
    decoder.feed(piece, (frame) => frames.push({ ...frame, payload: Buffer.from(frame.payload) }));
  }
  return frames;
}

/** Numbers that are the same in each run (xorshift). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

describe("frames", () => {
  it("are as the protocol's page has them, byte by byte", () => {
    expect(encodeFrame(KIND.ping, 0x01020304, Buffer.from("ab")).toString("hex")).toBe(
      "09000000" + "0700" + "04030201" + "6162" + "0a",
    );
  });

  it("come out as they went in, wherever the stream is cut", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = numbers(seed);
      const sent = Array.from({ length: 1 + next(8) }, () => ({
        kind: 1 + next(20),
        channel: next(2 ** 31),
        payload: Buffer.from(Array.from({ length: next(3) === 0 ? next(70_000) : next(40) }, () => next(256))),
      }));
      const stream = Buffer.concat(sent.map(({ kind, channel, payload }) => encodeFrame(kind, channel, payload)));
      const pieces: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = 1 + next(next(2) === 0 ? 6 : 30_000);
        pieces.push(stream.subarray(at, at + size));
        at += size;
      }

      const got = decode(pieces);

      expect(got.map(({ kind, channel, payload }) => ({ kind, channel, payload: payload.toString("hex") }))).toEqual(
        sent.map(({ kind, channel, payload }) => ({ kind, channel, payload: payload.toString("hex") })),
      );
    }
  });

  it("say whether a stream ended inside of one", () => {
    const decoder = new FrameDecoder();
    const frame = encodeFrame(KIND.pong, 0, Buffer.alloc(8));

    decoder.feed(frame, () => undefined);
    expect(decoder.isInside).toBe(false);
    decoder.feed(frame.subarray(0, 3), () => undefined);
    expect(decoder.isInside).toBe(true);
    decoder.feed(frame.subarray(3, 9), () => undefined);
    expect(decoder.isInside).toBe(true);
  });

  it.each([
    ["shorter than a frame can be", 6],
    ["longer than a frame may be", MAX_FRAME_LENGTH + 1],
    ["of four gigabytes", 0xffff_ffff],
  ])("of a length %s are refused before anything is kept for them", (_, length) => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(length);
    expect(() => decode([head])).toThrow(FrameError);
  });

  it("without their newline, and with flags that there are not, are refused", () => {
    const noNewline = encodeFrame(KIND.ping, 0, Buffer.from("x"));
    noNewline[noNewline.length - 1] = 0x20;
    const flags = encodeFrame(KIND.ping, 0, Buffer.from("x"));
    flags[5] = 4;
    expect(() => decode([noNewline])).toThrow("newline");
    expect(() => decode([flags])).toThrow("flags");
  });

  it("carry offsets past 32 bits, and refuse those that no number holds", () => {
    const offset = 5 * 2 ** 40;
    const [frame] = decode([encodePiece(KIND.text, 1, offset, Buffer.alloc(MAX_TEXT_BYTES, "é"))]);
    expect(frame && pieceOf(frame).offset).toBe(offset);
    const impossible = { kind: KIND.text, mustKnow: false, channel: 1, payload: Buffer.alloc(9, 0xff) };
    expect(() => pieceOf(impossible)).toThrow(FrameError);
    expect(() => pieceOf({ ...impossible, payload: Buffer.alloc(7) })).toThrow(FrameError);
  });

  it("of control have one object, and nothing else is taken for one", () => {
    const [frame] = decode([encodeObject(KIND.request, 7, { op: "list", text: "a\nb" })]);
    expect(frame && objectOf(frame)).toEqual({ op: "list", text: "a\nb" });
    for (const text of ["", "[]", "null", "1", "{", "\xff"]) {
      const payload = Buffer.from(text, "latin1");
      expect(() => objectOf({ kind: KIND.answer, mustKnow: false, channel: 1, payload }), text).toThrow(FrameError);
    }
  });

  it("carry objects that are larger than one of them, and not without an end", () => {
    const text = "ü".repeat(2_000_000);
    const stream = encodeObject(KIND.run, 9, { text });
    const [frame] = decode([stream.subarray(0, 1_500_000), stream.subarray(1_500_000)]);
    expect(frame && objectOf(frame)).toEqual({ text });
    expect(() => encodeObject(KIND.run, 9, { text: "x".repeat(17 * 1024 * 1024) })).toThrow(RangeError);

    const part = encodeFrame(KIND.end, 1, Buffer.alloc(1_000_000), 2);
    expect(() => decode(Array.from({ length: 17 }, () => part))).toThrow("too long");
    expect(() => decode([part, encodeFrame(KIND.end, 2)])).toThrow("between the parts");
  });

  it("that go on are refused where they are small or of a kind that may not, before they pile up", () => {
    const bytes = Buffer.alloc(1_000_000);
    for (const size of [0, 1, 1_000]) {
      expect(() => decode([encodeFrame(KIND.end, 1, bytes.subarray(0, size), 2)]), `${size}`).toThrow("only");
    }
    for (const kind of [KIND.text, KIND.data, KIND.update, KIND.ping, 99]) {
      expect(() => decode([encodeFrame(kind, 1, bytes, 2)]), `${kind}`).toThrow("may not");
    }
  });

  it("are not made where they would be too long or have no channel", () => {
    expect(() => encodeFrame(KIND.data, 1, Buffer.alloc(MAX_FRAME_LENGTH - 6))).toThrow(RangeError);
    expect(() => encodeFrame(KIND.data, -1)).toThrow(RangeError);
    expect(() => encodeFrame(KIND.data, 2 ** 32)).toThrow(RangeError);
  });
});
