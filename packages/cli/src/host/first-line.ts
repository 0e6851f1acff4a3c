/**
 * The first line of a connection, in either direction: JSON, bounded in length and in time.
 *
 * What came behind the line is put back, for whoever reads the connection next.
 */

import { isUtf8 } from "node:buffer";
import type { Socket } from "node:net";

const NEWLINE = 10;

/** The line as a value, or why there is none. */
export type FirstLine = { readonly value: unknown } | { readonly problem: string };

/** How much is waited for. */
export interface LineBounds {
  /** Most bytes before the newline. */
  readonly bytes: number;
  /** Most time until the newline, in milliseconds. */
  readonly ms: number;
}

/** Reads the first line. The socket is paused then. Never rejects. */
export function readFirstLine(socket: Socket, { bytes, ms }: LineBounds): Promise<FirstLine> {
  return new Promise((resolve) => {
    let kept: Buffer[] = [];
    let length = 0;
    const finish = (line: FirstLine): void => {
      clearTimeout(timer);
      socket.off("data", take).off("close", onClose).off("end", onClose);
      socket.pause();
      kept = [];
      resolve(line);
    };
    const take = (piece: Buffer): void => {
      const at = piece.indexOf(NEWLINE);
      const part = at === -1 ? piece : piece.subarray(0, at);
      length += part.length;
      if (length > bytes) {
        finish({ problem: `the first line has more than ${bytes} bytes` });
        return;
      }
      kept.push(part);
      if (at === -1) return;
      const line = Buffer.concat(kept);
      const rest = piece.subarray(at + 1);
      finish(jsonOf(line));
      if (rest.length > 0) socket.unshift(rest);
    };
    const onClose = (): void => finish({ problem: "the connection ended before its first line" });
    const timer = setTimeout(() => finish({ problem: `the first line did not come within ${ms} ms` }), ms);
    socket.on("data", take).once("close", onClose).once("end", onClose);
  });
}

/** Writes a value as the first line. */
export function writeFirstLine(socket: Socket, value: object): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

function jsonOf(line: Buffer): FirstLine {
  if (!isUtf8(line)) return { problem: "the first line is not UTF-8" };
  try {
    return { value: JSON.parse(line.toString("utf8")) };
  } catch {
    return { problem: "the first line is not JSON" };
  }
}
