/**
 * What crosses the socket of a host after the first lines: frames of one kind byte, four bytes of length, and a payload.
 *
 * A client that was killed ends its connection like one that has said all it had to say; so the end of its input is a
 * frame of its own, and a connection that ends without it is a client that is gone. Input and output wait for their
 * readers; the other frames wait for nothing but the bytes before them.
 */
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";

/** Kinds of frames, by their byte. A person's keys at a terminal are data. */
export const FRAME = {
  /** Bytes: input of what is served, or its output. */
  data: 0x64,
  /** The client's input has ended. */
  inputEnd: 0x65,
  /** The window of a person at a terminal has another size: JSON `{ "cols": N, "rows": N }`. */
  size: 0x77,
  /** End what runs: Ctrl-C at the client. */
  stop: 0x73,
  /** A line for the client's person, UTF-8. */
  message: 0x6d,
  /** The end: JSON `{ "status": N }`. */
  exit: 0x78,
} as const;
/** One of {@link FRAME}. */
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME));
const HEAD_BYTES = 5;
/** Longest payload, in bytes. Longer data is cut into several. */
const MAX_PAYLOAD_BYTES = 64 * 1024;

/** Notified of what is not data. */
export interface FrameListener {
  /** A frame; those of one connection come in their order, among them and the data. */
  onFrame(kind: Exclude<FrameKind, 0x64>, payload: Buffer): void;
  /** The connection has ended, whoever ended it. Called once. */
  onClosed(): void;
}

/**
 * The data of a connection as two streams, and its other frames. The streams do not end with the connection: its owner has
 * things to settle before their readers hear of that, and destroys them. Bytes that are not frames end the connection.
 */
export class FrameLink {
  /** What the other side sent. Ends by `endInput`. */
  readonly input: Readable;
  /** Its bytes go out as frames. A write is done when the connection has taken it, and never once that has ended. */
  readonly output: Writable;
  readonly #socket: Socket;
  readonly #listener: FrameListener;
  #kept: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(socket: Socket, listener: FrameListener) {
    this.#socket = socket;
    this.#listener = listener;
    this.input = new Readable({ read: () => void socket.resume() });
    this.output = new Writable({ write: (piece: Buffer, _encoding, done) => this.#write(piece, done) });
    // Destroyed by whoever reads or writes them: their owner hears of it by other ways.
    this.input.on("error", () => undefined);
    this.output.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => this.#take(piece));
    // Its `close` follows.
    socket.on("error", () => undefined);
    socket.once("close", () => listener.onClosed());
    socket.resume();
  }

  /** Sends a frame that is not data. Nothing where the connection has ended. */
  send(kind: FrameKind, payload: string | Buffer = ""): void {
    if (this.#socket.writable) this.#socket.write(frameOf(kind, Buffer.from(payload)));
  }

  /** No more data comes: what the reader has not read yet is still there. */
  endInput(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.input.push(null);
  }

  /** Sends everything that was written, and closes. */
  finish(): void {
    this.#socket.end();
  }

  /** The streams end for their readers and writers. */
  destroy(): void {
    this.input.destroy();
    this.output.destroy();
  }

  #write(piece: Buffer, done: () => void): void {
    // Never taken, so that it never counts as sent.
    if (!this.#socket.writable) return;
    let isTaken = true;
    for (let at = 0; at < piece.length; at += MAX_PAYLOAD_BYTES) {
      isTaken = this.#socket.write(frameOf(FRAME.data, piece.subarray(at, at + MAX_PAYLOAD_BYTES)));
    }
    if (isTaken) done();
    else this.#socket.once("drain", done);
  }

  #take(piece: Buffer): void {
    this.#kept = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    while (this.#kept.length >= HEAD_BYTES && !this.#socket.destroyed) {
      const kind = this.#kept.readUInt8(0);
      const length = this.#kept.readUInt32BE(1);
      if (!isKind(kind) || length > MAX_PAYLOAD_BYTES) {
        this.#socket.destroy();
        return;
      }
      if (this.#kept.length < HEAD_BYTES + length) return;
      const payload = this.#kept.subarray(HEAD_BYTES, HEAD_BYTES + length);
      this.#kept = this.#kept.subarray(HEAD_BYTES + length);
      if (kind !== FRAME.data) this.#listener.onFrame(kind, payload);
      else if (!this.#hasEnded && !this.input.destroyed && !this.input.push(payload)) this.#socket.pause();
    }
  }
}

function isKind(kind: number): kind is FrameKind {
  return KINDS.has(kind);
}

function frameOf(kind: FrameKind, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}
