/**
 * A place: a transport, the one link over it, and what the executor is given of it.
 *
 * All sessions of a place share its link. It is made when it is first asked for and again when it has ended; one try at a
 * time, and after a failure the next one waits longer, so that a host that is down is not hammered.
 */
import { readFile } from "node:fs/promises";
import type { Capabilities } from "@pi-bash/natives";
import { driverFor } from "@pi-bash/natives/internal";
import { bootstrapWords } from "./bootstrap.ts";
import { hostBinaries, nodeArch } from "./host-binaries.ts";
import { type Link, openLink } from "./link.ts";
import type { LinkEnd } from "./link-end.ts";
import { DEFAULT_CONNECT_MS, DEFAULT_LEASE_MS, type LinkStart } from "./link-options.ts";
import type { CommonOptions } from "./options.ts";
import { messageOf, PlaceError } from "./place-error.ts";
import { putFile, RemoteFiles } from "./remote-files.ts";
import { type RemoteNatives, remoteNatives } from "./remote-natives.ts";
import { type RemotePipes, remotePipes } from "./remote-pipe.ts";
import type { RemoteHost } from "./remote-shell.ts";
import type { Transport } from "./transport.ts";
import type { FarHello } from "./wire/messages.ts";

/** First and longest time from a failed connection to the next try, in milliseconds. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** What a place said of itself when it was connected. */
export interface PlaceFacts {
  /** The `pi-host` that serves; with another one, sessions of before are gone. */
  readonly instance: string;
  /** The version of its `pi-host`. */
  readonly version: string;
  readonly host: string;
  /** As `uname` says it, in small letters: `linux`. */
  readonly os: string;
  /** As `process.arch` names it. */
  readonly arch: string;
  readonly user?: string;
  readonly uid?: number;
  readonly home?: string;
  /** First directory of sessions. */
  readonly cwd: string;
  /** The environment that the transport gave. */
  readonly env: Readonly<Record<string, string>>;
  /** The bash that sessions run. */
  readonly bash?: { readonly path: string; readonly version?: string };
  /** Why there is none. */
  readonly bashError?: string;
  readonly capabilities: Capabilities;
  /** Another one after the machine was started again. */
  readonly bootId?: string;
  /** The folder of its `pi-host`, where spills lie. */
  readonly folder: string;
  /** Bytes free there. */
  readonly freeBytes?: number;
  /** Newest measured round trip, in milliseconds. 0: none was measured yet. */
  readonly rttMs: number;
}

/** A place that is connected. */
export interface OpenedPlace {
  readonly facts: PlaceFacts;
  /** Runs commands there. */
  readonly natives: RemoteNatives;
  /** Files there. */
  readonly files: RemoteFiles;
  /** What commands there read, and write beside their output. */
  readonly pipes: RemotePipes;
}

/** This machine, without any link. */
export interface LocalPlace {
  readonly kind: "local";
  readonly name: "local";
}

/** A place that is reached by a transport. */
export class RemotePlace {
  readonly kind = "remote";
  /** What people call it, e.g. `ssh:build7`. */
  readonly name: string;
  readonly #transport: Transport;
  readonly #options: CommonOptions;
  readonly #host: RemoteHost;
  readonly #files: RemoteFiles;
  #linking: Promise<Link> | undefined;
  #isLost = true;
  #failure: { error: unknown; until: number; count: number } | undefined;
  #drivers = new WeakMap<Link, Promise<string | undefined>>();
  #numbers = new WeakMap<Link, number>();
  #isClosed = false;
  /** Gives up a connection that is being made. */
  readonly #closing = new AbortController();
  #bootId: string | undefined;
  #restart: string | undefined;

  constructor(transport: Transport, options: CommonOptions) {
    this.#transport = transport;
    this.#options = options;
    this.name = transport.name;
    this.#host = {
      name: this.name,
      link: () => this.#link(),
      driver: (link) => this.#driver(link),
      sessionNumber: (link) => this.#sessionNumber(link),
      explain: (end) => this.#explain(end),
    };
    this.#files = new RemoteFiles(this.name, () => this.#link());
  }

  /**
   * Connects, where it is not connected. Rejects with `PlaceError`.
   *
   * What it returns stays good over later links.
   */
  async open(): Promise<OpenedPlace> {
    const link = await this.#link();
    const facts = factsOf(link.hello, link.rttMs, this.#options.workspace);
    const pipes = remotePipes(this.name, () => this.#link());
    return { facts, natives: remoteNatives(this.#host, facts.capabilities), files: this.#files, pipes };
  }

  /** Ends the link and everything that was started over it. Later use connects no more. Fine any number of times. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    const link = await this.#linking?.catch(() => undefined);
    await link?.close();
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Lets go of the connection at once, as when it is cut. The next use connects again. */
  async cut(): Promise<void> {
    const link = await this.#linking?.catch(() => undefined);
    link?.cut("it was cut here");
  }

  #link(): Promise<Link> {
    if (this.#isClosed) {
      return Promise.reject(new PlaceError("PI_PLACE_UNREACHABLE", this.name, `${this.name} was closed by this host`));
    }
    if (this.#linking !== undefined && !this.#isLost) return this.#linking;
    const { error, until } = this.#failure ?? { error: undefined, until: 0 };
    if (performance.now() < until) return Promise.reject(error);
    this.#isLost = false;
    const linking = this.#connect();
    this.#linking = linking;
    linking.then(
      (link) => {
        this.#failure = undefined;
        void link.ended.then(() => {
          if (this.#linking === linking) this.#isLost = true;
        });
      },
      (reason: unknown) => this.#backOff(reason),
    );
    return linking;
  }

  #backOff(error: unknown): void {
    this.#isLost = true;
    const count = (this.#failure?.count ?? 0) + 1;
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS);
    // Between half and the whole of it: several hosts do not come back at the same time.
    this.#failure = { error, until: performance.now() + delayMs * (0.5 + Math.random() / 2), count };
  }

  async #connect(): Promise<Link> {
    const { hostPath, hostBinary, connectMs = DEFAULT_CONNECT_MS, leaseMs = DEFAULT_LEASE_MS, env } = this.#options;
    const transport = this.#transport;
    const isSent = hostPath === undefined && transport.isWhole !== true;
    const binaries = isSent ? await this.#binaries(hostBinary) : [];
    const start = (nonce: string): LinkStart => {
      if (transport.isWhole === true) return { argv: transport.argv([]), nonce: undefined };
      return {
        argv: transport.argv(bootstrapWords({ nonce, builds: binaries, args: ["stdio"], path: hostPath })),
        nonce,
      };
    };
    try {
      const link = await openLink({
        place: this.name,
        start,
        binaries,
        isSent,
        connectMs: connectMs + (transport.waitMs ?? 0),
        leaseMs,
        env: { ...process.env, ...env },
        signal: this.#closing.signal,
        onErrorLine: (line) => transport.hearError?.(line),
      });
      this.#meet(link.hello);
      return link;
    } catch (error) {
      await transport.giveUp?.();
      if (error instanceof PlaceError) throw error;
      const message = `${this.name} cannot be reached: ${messageOf(error)}`;
      throw new PlaceError("PI_PLACE_UNREACHABLE", this.name, message, { cause: error });
    }
  }

  /** Compares what answers with what answered before. */
  #meet(hello: FarHello): void {
    this.#transport.onConnected?.(hello.env);
    const isRestarted = this.#bootId !== undefined && hello.bootId !== undefined && this.#bootId !== hello.bootId;
    this.#restart = isRestarted ? `${this.name} was restarted; the state of its sessions is lost.` : undefined;
    this.#bootId = hello.bootId;
  }

  /** The place was restarted since the link before this one, in a sentence. */
  get restart(): string | undefined {
    return this.#restart;
  }

  async #binaries(hostBinary: string | undefined) {
    const found = await hostBinaries(hostBinary).catch((cause: unknown) => {
      const message = `\`hostBinary\` cannot be read: ${messageOf(cause)}`;
      throw new PlaceError("PI_PLACE_REFUSED", this.name, message, { cause });
    });
    if (found.length > 0) return found;
    throw new PlaceError(
      "PI_PLACE_REFUSED",
      this.name,
      "this installation has no pi-host: install `@pi-bash/host-linux-x64` or `@pi-bash/host-linux-arm64`, or build it with `node scripts/build-host.mjs`",
    );
  }

  #driver(link: Link): Promise<string | undefined> {
    const known = this.#drivers.get(link) ?? this.#putDriver(link);
    this.#drivers.set(link, known);
    known.catch(() => this.#drivers.delete(link));
    return known;
  }

  async #putDriver(link: Link): Promise<string | undefined> {
    const { arch, drivers } = link.hello;
    const name = `linux-${nodeArch(arch)}`;
    if (drivers !== undefined && !drivers.includes(name)) return undefined;
    const path = driverFor(nodeArch(arch));
    return path === undefined ? undefined : putFile(link, this.name, "pi-driver.so", await readFile(path));
  }

  #sessionNumber(link: Link): number {
    const number = (this.#numbers.get(link) ?? 0) + 1;
    this.#numbers.set(link, number);
    return number;
  }

  async #explain(end: LinkEnd): Promise<string | undefined> {
    return this.#transport.explain?.(end);
  }
}

function factsOf(hello: FarHello, rttMs: number, workspace: string | undefined): PlaceFacts {
  const { build, host, os, arch, user, uid, home, env, bash, bashError, capabilities, bootId, folder, freeBytes } =
    hello;
  return {
    instance: hello.instance,
    version: build.version,
    host,
    os,
    arch: nodeArch(arch),
    ...(user === undefined ? {} : { user }),
    ...(uid === undefined ? {} : { uid }),
    ...(home === undefined ? {} : { home }),
    cwd: workspace ?? hello.cwd,
    env,
    ...(bash === undefined
      ? {}
      : { bash: { path: bash.path, ...(bash.version === undefined ? {} : { version: bash.version }) } }),
    ...(bashError === undefined ? {} : { bashError }),
    capabilities: capabilitiesOf(capabilities),
    ...(bootId === undefined ? {} : { bootId }),
    folder,
    ...(freeBytes === undefined ? {} : { freeBytes }),
    rttMs,
  };
}

function capabilitiesOf({ readOnly, ...rest }: FarHello["capabilities"]): Capabilities {
  const { available, reason, degraded } = readOnly;
  return { ...rest, readOnly: { available, degraded, ...(reason === undefined ? {} : { reason }) } };
}
