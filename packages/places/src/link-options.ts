/**
 * How a link is opened: the words of its program, what can be sent, and its times.
 */
import type { ChannelTable } from "./channels.ts";
import type { HostBinary } from "./handshake.ts";
import type { Connection } from "./link.ts";
import type { AttachedRun } from "./wire/messages.ts";

/** Silence after which the other side counts as gone, in milliseconds. */
export const DEFAULT_LEASE_MS = 60_000;
/** Time for a connection to stand, in milliseconds. */
export const DEFAULT_CONNECT_MS = 30_000;

/** What a place starts for a link. */
export interface LinkStart {
  /** The program that carries the streams, and its arguments. */
  readonly argv: readonly string[];
  /** Marks the bootstrap's lines; absent: the program is `pi-host` itself. */
  readonly nonce: string | undefined;
}

/** How a link is opened. */
export interface LinkOptions {
  /** The place, e.g. `ssh:build7`. */
  readonly place: string;
  /** Makes the words for a nonce. */
  start(nonce: string): LinkStart;
  /** Builds of `pi-host` that can be sent. */
  readonly binaries: readonly HostBinary[];
  /** What runs there must be one of `binaries`. */
  readonly isSent: boolean;
  readonly connectMs: number;
  readonly leaseMs: number;
  /** The environment of the local program. Default: the host's. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Takes lines that the program writes for people while the connection is made. */
  readonly onErrorLine?: (line: string) => void;
  /** Channels of a kept link, which the end of a connection does not cut. Default: channels of its own, which it cuts. */
  readonly channels?: ChannelTable;
  /** It comes back to a `pi-host` that was kept. */
  readonly attach?: {
    /** The `Attach` frame. */
    frame(): Buffer;
    /** Takes what the far side still has, before any other frame. */
    onAttached(connection: Connection, runs: readonly AttachedRun[]): void;
  };
}
