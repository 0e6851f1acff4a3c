/** A client of a host without our program: first line and frames, written here a second time so that a change of either shows. */

import type { Socket } from "node:net";
import { HOST_PROTOCOL } from "@pi-bash/contract/internal";
import { type Keeping, lastWords } from "../../support/kept.ts";

/** What a client of lines asks for. */
export function request(kept: Keeping, name: string, more: object = {}): string {
  const seat = {
    name,
    isNameGiven: true,
    cwd: kept.folder,
    isCwdGiven: false,
    settings: {},
    givenSettings: [],
    mode: "yolo",
    requireSessions: false,
    env: { ...kept.env },
  };
  return `${JSON.stringify({ piBashHost: HOST_PROTOCOL, version: "test", ask: "serve", protocol: "rpc", seat, ...more })}\n`;
}

/** A frame: kind, length, payload. */
export function frame(kind: string, payload = ""): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(5);
  head.write(kind, "latin1");
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Sends a request and one line, and the end of the input; what came back. `step`: bytes that are sent at a time. */
export async function answerOf(socket: Socket, asked: string, line: string, step?: number): Promise<string> {
  const said = lastWords(socket);
  const bytes = Buffer.concat([Buffer.from(asked), frame("d", line), frame("e")]);
  for (let at = 0; at < bytes.length; at += step ?? bytes.length) {
    socket.write(bytes.subarray(at, at + (step ?? bytes.length)));
    if (step !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  return said;
}
