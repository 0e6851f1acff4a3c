/**
 * A place where sessions are, as an interface. `@pi-bash/places` makes them, and `test/places.test.ts` holds that they are this.
 *
 * The executor asks a place for its natives' port and for what it says of itself, and never how it is reached.
 */
import type { NativesPort } from "../natives-port.ts";

/** Where sessions are: this machine, or one that is reached by a transport. */
export type Place = LocalPlace | RemotePlace;

/** This machine, as a place. */
export interface LocalPlace {
  readonly kind: "local";
  readonly name: string;
}

/** Another machine, user or container. */
export interface RemotePlace {
  readonly kind: "remote";
  /** What people call it, e.g. `ssh:build7`. */
  readonly name: string;
  /**
   * Connects, where it is not connected. What it resolves with stays good over later connections. Rejects when `signal` is
   * aborted while it waits; what no call waits for is given up.
   */
  open(options?: { signal?: AbortSignal | undefined }): Promise<OpenedPlace>;
  /**
   * Makes the place of one session, where sessions do not share one. It is asked once for a session, and what it gave is closed
   * with the session. Absent: sessions share this one.
   */
  forSession?(sessionKey: string | undefined): OwnPlace;
}

/** A place that one session has for itself. */
export interface OwnPlace extends RemotePlace {
  /** Ends what the place holds. Later calls of `open` reject. */
  close(): Promise<void>;
}

/** A place that is connected. */
export interface OpenedPlace {
  readonly facts: PlaceFacts;
  readonly natives: NativesPort;
  readonly files: PlaceFiles;
  /** Longest time that the connection may be away while its commands go on, in milliseconds. Absent: a cut ends them. */
  readonly awayMs?: number;
}

/** What a place said of itself. */
export interface PlaceFacts {
  /** Another one where sessions of before are gone. */
  readonly instance: string;
  /** The environment that the transport gave: what sessions there begin with. */
  readonly env: Readonly<Record<string, string>>;
  readonly home?: string;
  /** First directory of sessions. */
  readonly cwd: string;
  readonly bash?: { readonly path: string };
  /** Why there is no bash. */
  readonly bashError?: string;
  /** The folder in which this user's `pi-host` may keep files. */
  readonly folder: string;
  readonly uid?: number;
  /** Newest measured round trip, in milliseconds. */
  readonly rttMs: number;
}

/** What stands at a path. */
export type PathKind = "file" | "directory" | "other" | "missing" | "denied";

/** Files of a place. Each call rejects with an error that has a code. */
export interface PlaceFiles {
  /** Bytes of a spill from `offset`, at most 1 MiB, and the size of the whole. */
  read(name: string, offset: number, length: number): Promise<{ bytes: Buffer; size: number }>;
  /** Removes a spill. */
  remove(name: string): Promise<void>;
  /** What stands at a path. */
  stat(path: string): Promise<{ kind: PathKind; realPath?: string }>;
  /** Puts a file there; its path. */
  put(name: string, bytes: Uint8Array): Promise<string>;
}

/** Chooses the place of a session, once for each session key. */
export type Placement = (sessionKey: string | undefined) => Place | Promise<Place>;

/** Error code of a run whose end is not known. */
const LOST = "PI_PLACE_LOST";

/** Whether an error says that a command was started and that its end is not known. */
export function isLost(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === LOST;
}
