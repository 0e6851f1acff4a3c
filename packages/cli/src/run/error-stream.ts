/**
 * What commands write to the FIFO that is their standard error, passed on as it comes.
 *
 * When a command has ended, what it wrote may still lie in the FIFO, and something that it left running may hold the FIFO
 * open. So the end of a command's part is a mark that is written behind it: what came before the mark is all there is.
 */
import { randomBytes } from "node:crypto";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";

/** Bytes of a mark. So many at random do not stand in what a command writes, and they are written in one piece. */
const MARK_BYTES = 32;

export class ErrorStream {
  readonly #reader: Socket;
  readonly #writer: Socket;
  readonly #take: (bytes: Buffer) => void;
  /** The end of what came, where a mark may begin in it. */
  #held = Buffer.alloc(0);
  #awaited: { mark: Buffer; seen: () => void } | undefined;

  /** Reads the FIFO at `path`; `take` gets every byte but the marks. */
  constructor(path: string, take: (bytes: Buffer) => void) {
    this.#take = take;
    this.#reader = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
    // Ours, so that the FIFO does not end with a command.
    this.#writer = new Socket({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), readable: false });
    this.#writer.on("error", () => undefined);
    this.#reader.on("data", (bytes: Buffer) => this.#push(bytes)).on("error", () => undefined);
    this.#reader.on("close", () => this.#awaited?.seen());
  }

  /** Resolves when everything that was written up to now has been taken. One call at a time. */
  async flush(): Promise<void> {
    if (this.#reader.destroyed) return;
    const mark = randomBytes(MARK_BYTES);
    const seen = new Promise<void>((resolve) => {
      this.#awaited = { mark, seen: resolve };
    });
    this.#writer.write(mark);
    await seen;
  }

  /** Reads no more: who writes on gets an error. */
  end(): void {
    this.#reader.destroy();
    this.#writer.destroy();
  }

  #push(bytes: Buffer): void {
    const awaited = this.#awaited;
    if (awaited === undefined) {
      this.#take(bytes);
      return;
    }
    const all = Buffer.concat([this.#held, bytes]);
    const at = all.indexOf(awaited.mark);
    const end = at < 0 ? Math.max(0, all.length - MARK_BYTES + 1) : at;
    if (end > 0) this.#take(all.subarray(0, end));
    this.#held = at < 0 ? all.subarray(end) : Buffer.alloc(0);
    if (at < 0) return;
    this.#awaited = undefined;
    if (all.length > at + MARK_BYTES) this.#take(all.subarray(at + MARK_BYTES));
    awaited.seen();
  }
}
