/**
 * A place: a transport, the one link over it, and what the executor is given of it.
 *
 * All sessions of a place share its link. It is made when it is first asked for and again when it has ended; one try at a
 * time, and after a failure the next one waits longer, so that a host that is down is not hammered.
 */
import { readFile } from "node:fs/promises";
import { driverFor } from "@pi-bash/natives/internal";
import { bootstrapWords } from "./bootstrap.ts";
import { ChannelTable } from "./channels.ts";
import { ConnectionAttempt } from "./connection-attempt.ts";
import { hostBinaries, nodeArch } from "./host-binaries.ts";
import { KeptLink } from "./kept-link.ts";
import { type Connection, type Link, openLink } from "./link.ts";
import type { LinkEnd } from "./link-end.ts";
import { DEFAULT_CONNECT_MS, DEFAULT_LEASE_MS, type LinkOptions, type LinkStart } from "./link-options.ts";
import { type CommonOptions, keepMsOf } from "./options.ts";
import { messageOf, PlaceError } from "./place-error.ts";
import { factsOf, type PlaceFacts } from "./place-facts.ts";
import type { RemoteHost } from "./remote-call.ts";
import { putFile, RemoteFiles } from "./remote-files.ts";
import { type RemoteNatives, remoteNatives } from "./remote-natives.ts";
import { type RemotePipes, remotePipes } from "./remote-pipe.ts";
import type { Transport } from "./transport.ts";
import type { FarHello } from "./wire/messages.ts";

/** First and longest time from a failed connection to the next try, in milliseconds. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** A place that is connected. */
export interface OpenedPlace {
  readonly facts: PlaceFacts;
  /** Runs commands there. */
  readonly natives: RemoteNatives;
  /** Files there. */
  readonly files: RemoteFiles;
  /** What commands there read, and write beside their output. */
  readonly pipes: RemotePipes;
  /** Longest time that the connection may be away while its commands go on, in milliseconds. Absent: a cut ends them. */
  readonly awayMs?: number;
}

/** How one connection differs from the others of its place. */
interface Reach extends Pick<LinkOptions, "signal" | "channels" | "attach"> {
  /** Most time that it may take, in milliseconds. Default: the place's. */
  readonly withinMs?: number;
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
  /** The try that `#linking` is, until it has come to its end. */
  #attempt: ConnectionAttempt | undefined;
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
   * Connects, where it is not connected. Rejects with `PlaceError`, also when `signal` is aborted while it waits. With the last
   * call that waits, the connection is given up, and a job of Slurm leaves the queue.
   *
   * What it returns stays good over later links.
   */
  async open({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<OpenedPlace> {
    const link = await this.#link(signal);
    const facts = factsOf(link.hello, link.rttMs, this.#options.workspace);
    const { connectMs = DEFAULT_CONNECT_MS, leaseMs = DEFAULT_LEASE_MS } = this.#options;
    const keepMs = keepMsOf(this.#options);
    return {
      facts,
      natives: remoteNatives(this.#host, facts.capabilities),
      files: this.#files,
      pipes: remotePipes(this.name, () => this.#link()),
      // A cut is noticed after a lease, and the last try is let end.
      ...(keepMs === undefined ? {} : { awayMs: leaseMs + keepMs + connectMs }),
    };
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

  /** Drops the connection at once, as when it is cut. The next use connects again. */
  async cut(): Promise<void> {
    const link = await this.#linking?.catch(() => undefined);
    link?.cut("it was cut here");
  }

  #link(signal?: AbortSignal): Promise<Link> {
    if (this.#isClosed) {
      return Promise.reject(new PlaceError("PI_PLACE_UNREACHABLE", this.name, `${this.name} was closed by this host`));
    }
    if (this.#linking !== undefined && !this.#isLost) {
      return this.#attempt === undefined ? this.#linking : this.#attempt.wait(this.#linking, signal);
    }
    const { error, until } = this.#failure ?? { error: undefined, until: 0 };
    if (performance.now() < until) return Promise.reject(error);
    this.#isLost = false;
    const attempt = new ConnectionAttempt(this.name);
    const linking = this.#connectAfter(this.#linking, attempt.signal);
    this.#linking = linking;
    this.#attempt = attempt;
    attempt.signal.addEventListener("abort", () => this.#forget(attempt), { once: true });
    linking.then(
      (link) => {
        // It came to stand when no call waited any more.
        if (attempt.signal.aborted) return void link.close();
        this.#failure = undefined;
        if (this.#attempt === attempt) this.#attempt = undefined;
        void link.ended.then(() => {
          if (this.#linking === linking) this.#isLost = true;
        });
      },
      (reason: unknown) => {
        if (!attempt.signal.aborted) this.#backOff(reason);
      },
    );
    return attempt.wait(linking, signal);
  }

  /** A try was given up: the next call begins another one. */
  #forget(attempt: ConnectionAttempt): void {
    if (this.#attempt === attempt) this.#isLost = true;
  }

  /** Connects when the try before has released what it held. */
  async #connectAfter(before: Promise<Link> | undefined, given: AbortSignal): Promise<Link> {
    await before?.catch(() => undefined);
    return this.#connect(AbortSignal.any([this.#closing.signal, given]));
  }

  #backOff(error: unknown): void {
    this.#isLost = true;
    const count = (this.#failure?.count ?? 0) + 1;
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS);
    // Between half and the whole of it: several hosts do not come back at the same time.
    this.#failure = { error, until: performance.now() + delayMs * (0.5 + Math.random() / 2), count };
  }

  async #connect(signal: AbortSignal): Promise<Link> {
    const keepMs = keepMsOf(this.#options);
    const { leaseMs = DEFAULT_LEASE_MS } = this.#options;
    if (keepMs === undefined) return this.#reach(["stdio"], { signal });
    const channels = new ChannelTable();
    const first = await this.#reach(["stdio", "--keep-ms", String(keepMs)], { signal, channels });
    if (first.hello.token === undefined) {
      await first.close();
      const text = `${this.name} cannot keep sessions: its pi-host gives no token. Use the pi-host of this version there.`;
      throw new PlaceError("PI_PLACE_REFUSED", this.name, text);
    }
    return new KeptLink(first, {
      place: this.name,
      keepMs,
      leaseMs,
      channels,
      connect: ({ instance, ...to }) => this.#reach(["attach", instance], { ...to, attach: to }),
      isFinal: ({ message }) => this.#transport.isRefusal?.(message) === true,
      whyGone: () => this.#whyGone(),
    });
  }

  /** Runs `pi-host` there with these words, and connects to it. */
  async #reach(args: readonly string[], given: Reach): Promise<Connection> {
    const { hostPath, hostBinary, connectMs = DEFAULT_CONNECT_MS, leaseMs = DEFAULT_LEASE_MS, env } = this.#options;
    const transport = this.#transport;
    const isSent = hostPath === undefined && transport.isWhole !== true;
    const binaries = isSent ? await this.#binaries(hostBinary) : [];
    const start = (nonce: string): LinkStart => {
      if (transport.isWhole === true) return { argv: transport.argv([]), nonce: undefined };
      return {
        argv: transport.argv(bootstrapWords({ nonce, builds: binaries, args, path: hostPath })),
        nonce,
      };
    };
    const { withinMs = Number.POSITIVE_INFINITY, ...options } = given;
    try {
      const link = await openLink({
        place: this.name,
        start,
        binaries,
        isSent,
        connectMs: Math.min(withinMs, connectMs + (transport.waitMs ?? 0)),
        leaseMs,
        env: { ...(transport.environment?.(process.env) ?? process.env), ...env },
        onErrorLine: (line) => transport.hearError?.(line),
        ...options,
      });
      this.#meet(link.hello);
      return link;
    } catch (error) {
      const known = await transport.giveUp?.();
      if (known === undefined && error instanceof PlaceError) throw error;
      const message = `${this.name} cannot be reached: ${known ?? messageOf(error)}`;
      throw new PlaceError("PI_PLACE_UNREACHABLE", this.name, message, { cause: error });
    }
  }

  /** Why `pi-host` is gone: the machine may have been restarted, which another connection says. */
  async #whyGone(): Promise<string | undefined> {
    const before = this.#bootId;
    // The next command needs it anyway.
    this.#isLost = true;
    const link = await this.#link().catch(() => undefined);
    const bootId = link?.hello.bootId;
    return before === undefined || bootId === undefined || bootId === before
      ? undefined
      : `${this.name} was restarted.`;
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
