/**
 * The client's side of a session that a host keeps: carries the bytes between a connection and standard input and output.
 *
 * This process is what an agent starts, and dies with it; the session does not. Everything that the host has to know of
 * this process's surroundings (folder, environment, rules) is sent, since the host has others of its own.
 */
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HostSeat, HostSessionName } from "@pi-bash/contract/internal";
import { listenForInterrupt } from "../interrupt.ts";
import { readRules } from "../policy-option.ts";
import type { KeptArguments, SessionArguments } from "../tool-arguments.ts";
import { FRAME, FrameLink } from "./frames.ts";
import { askHost, type HostConnection } from "./host-client.ts";
import type { Protocol } from "./serve-client.ts";

/** Exit status where the host ended without a word. */
const CUT_STATUS = 1;
/** Name of a session whose folder has no name that can be typed. */
const PLAIN_NAME = "main";
/** Longest name, in characters. */
const MAX_NAME_CHARS = 64;

/** What a relay carries. */
export interface RelayOptions {
  /** Absent: the host takes none. */
  readonly input?: Readable;
  /** A signal ends the relay. */
  readonly onLeave?: () => void;
}

/** Serves the client of this process from the host, and resolves with the exit status. */
export async function serveFromHost(protocol: Protocol, asked: SessionArguments, kept: KeptArguments): Promise<number> {
  const connection = await askHost({ ask: "serve", protocol, seat: await seatOf(asked, kept) });
  return relay(connection, { input: process.stdin });
}

/** What a client says of itself. */
export async function seatOf(asked: SessionArguments, kept: KeptArguments): Promise<HostSeat> {
  const { cwd, settings, givenSettings, mode, artifacts, onWord: on, keepWord: keep, requireSessions } = asked;
  const rules = await readRules(asked);
  const env = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    name: kept.name ?? nameOf(on === undefined ? cwd : process.cwd()),
    isNameGiven: kept.name !== undefined,
    cwd,
    isCwdGiven: kept.isCwdGiven,
    settings,
    givenSettings: [...givenSettings],
    requireSessions,
    env: Object.fromEntries(env),
    ...(on === undefined ? {} : { on }),
    ...(keep === undefined ? {} : { keep }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(rules === undefined ? {} : { rules }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** A name that a folder gives: its last part, with `-` for what cannot be typed. */
export function nameOf(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, MAX_NAME_CHARS);
  return HostSessionName.safeParse(name).success ? name : PLAIN_NAME;
}

/**
 * Carries bytes until the host says the end, the connection is cut, or a signal comes; what a signal or a cut leaves goes
 * on in the host.
 */
export async function relay({ socket }: HostConnection, { input, onLeave }: RelayOptions): Promise<number> {
  let status: number | undefined;
  const closed = new AbortController();
  const link: FrameLink = new FrameLink(socket, {
    onFrame: (kind, payload) => {
      if (kind === FRAME.message) process.stderr.write(`pi-bash: ${payload.toString("utf8")}\n`);
      if (kind !== FRAME.exit) return;
      status = statusIn(payload);
      link.endInput();
    },
    onClosed: () => {
      link.endInput();
      closed.abort();
    },
  });
  const interrupt = listenForInterrupt(() => {
    onLeave?.();
    socket.destroy();
  });
  const sending = input === undefined ? undefined : send(input, link);
  try {
    // A reader that went away has seen enough: the connection ends, and the session goes on.
    await pipeline(link.input, process.stdout, { end: false }).catch(() => undefined);
    if (interrupt.status !== undefined) return interrupt.status;
    if (status === undefined && socket.destroyed) process.stderr.write("pi-bash: the host has ended\n");
    return status ?? CUT_STATUS;
  } finally {
    interrupt.release();
    socket.destroy();
    input?.destroy();
    await sending;
  }
}

/** Sends the input, and then that it has ended. Never rejects. */
async function send(input: Readable, link: FrameLink): Promise<void> {
  try {
    for await (const piece of input) {
      if (!link.output.write(piece)) await drained(link.output);
    }
    link.send(FRAME.inputEnd);
  } catch {
    // Input that breaks off is input that ended; destroyed by us, it rejects as well.
    link.send(FRAME.inputEnd);
  }
}

function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    output.once("drain", resolve);
    output.once("close", resolve);
  });
}

/** The exit status that a frame of the end has. */
export function statusIn(payload: Buffer): number {
  try {
    const end: unknown = JSON.parse(payload.toString("utf8"));
    const status = typeof end === "object" && end !== null && "status" in end ? end.status : undefined;
    return typeof status === "number" && Number.isInteger(status) ? status & 0xff : CUT_STATUS;
  } catch {
    return CUT_STATUS;
  }
}
