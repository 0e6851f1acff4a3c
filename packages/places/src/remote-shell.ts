/**
 * A session on a place, with the methods of the native `Shell`.
 *
 * It is opened with its first command. Where its link has ended, the next command opens another session over a new link, and
 * its result says that the state was lost, as the result of a session whose bash died does here.
 */
import { randomBytes } from "node:crypto";
import { onAbort } from "@pi-bash/contract/internal/abort";
import { settlesWithin, unlessAborted } from "@pi-bash/contract/internal/wait";
import { type ListeningPort, ShellError, type ShellOptions, type ShellRunOptions } from "@pi-bash/natives";
import { checkFunction, readExecute, readRun, readSession, toSessionOptions } from "@pi-bash/natives/internal";
import { farRequest, slowDownUpdates } from "./far-request.ts";
import type { Link } from "./link.ts";
import { PlaceError } from "./place-error.ts";
import {
  type ChunkListener,
  callOf,
  cancelledResult,
  type RemoteHost,
  type RemoteRunResult,
  refuseMinimizer,
  resultOf,
  sessionMembers,
} from "./remote-call.ts";
import { remotePorts } from "./remote-ports.ts";
import { runOver } from "./remote-run.ts";
import { request } from "./request.ts";

interface Opened {
  readonly link: Link;
  readonly number: number;
  readonly ready: Promise<void>;
  /** `ready` has resolved. */
  isReady: boolean;
}

/** Longest wait for the end of a session whose link may be away: longer than an end takes over there, in milliseconds. */
const CLOSE_MS = 15_000;
/** Twice what a session keeps of late output: 64 KiB of each of 16 commands, and a word on what was left out of each. */
const MAX_LATE_CHARS = 2 * 16 * 64 * 1024;

/** One session on a place. As `Shell` of `@pi-bash/natives`. */
export class RemoteShell {
  readonly #host: RemoteHost;
  readonly #options: ShellOptions;
  #opened: Opened | undefined;
  /** A session was there before, and its state is gone. */
  #isReset = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** Runs that wait for the session to be opened, each with what gives it up. */
  readonly #waiting = new Set<AbortController>();

  constructor(host: RemoteHost, given: ShellOptions = {}) {
    this.#host = host;
    this.#options = readSession(given);
    refuseMinimizer(this.#options);
    // Wrong options are refused here, as by the native surface, and not by the first command.
    toSessionOptions({ ...this.#options, baseEnv: this.#options.baseEnv ?? {} });
  }

  /**
   * Runs one command. Rejects with `ShellError` or `PlaceError` where it never ran, and with the code `PI_PLACE_LOST` where
   * its end is not known.
   */
  async run(given: ShellRunOptions, onChunk?: ChunkListener): Promise<RemoteRunResult> {
    checkFunction("onChunk", onChunk);
    const options = readRun(given);
    const request = farRequest(options, typeof onChunk === "function");
    this.#refuseClosed();
    const opened = this.#standing(options.signal) ?? (await this.#openFor(options.signal));
    if (opened === undefined) return cancelledResult();
    const { link, number } = opened;
    slowDownUpdates(request, link);
    const isReset = this.#isReset;
    this.#isReset = false;
    try {
      const call = callOf(this.#host, { session: number }, request, options, onChunk);
      const result = resultOf(await runOver(link, call));
      return isReset ? { ...result, sessionReset: true } : result;
    } catch (error) {
      if (error instanceof PlaceError) this.#lose(opened);
      throw error;
    }
  }

  /** Stops all runs of this session; resolves when they have ended. */
  async abort(): Promise<void> {
    for (const waiting of this.#waiting) waiting.abort();
    await this.#ask("abort");
  }

  /** Ends the session and every process it started. Fine any number of times, and where the link is gone. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.abort();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = this.#ask("close").catch((error: unknown) => {
      // With the link the session ended, too.
      if (!(error instanceof PlaceError)) throw error;
    });
    // Where the link is away, it is closed when that is back, or with everything else over there.
    await (this.#opened?.link.keptLeaseMs === undefined ? closed : settlesWithin(closed, CLOSE_MS));
    this.#opened = undefined;
  }

  /** Lets the command that runs go on beside the session; see the native surface. */
  async handOver(): Promise<boolean> {
    // Where its answer is lost with a connection it is asked for again, and must not mean another command.
    const id = randomBytes(16).toString("hex");
    return (await this.#ask("handOver", { id }))?.["done"] === true;
  }

  /** How many background jobs of this session live. */
  async liveBackgroundJobCount(): Promise<number> {
    const count = (await this.#ask("backgroundCount"))?.["count"];
    return typeof count === "number" ? count : 0;
  }

  /** What background children wrote after their commands ended; see the native surface. Empty where the link is gone. */
  async lateOutput(): Promise<string> {
    const text = (await this.#ask("lateOutput"))?.["text"];
    if (typeof text !== "string") return "";
    if (text.length <= MAX_LATE_CHARS) return text;
    this.#opened?.link.cut("it broke the protocol: it gave more late output than a session keeps");
    return "";
  }

  /** The ports that everything it started listens on. None where there is no session, and where its place is away or slow. */
  async listeningPorts(): Promise<ListeningPort[]> {
    const opened = this.#opened;
    return opened?.isReady === true ? remotePorts(opened.link, { session: opened.number }, this.#host.name) : [];
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new ShellError("PI_SHELL_CLOSED", "the session is closed");
  }

  /** An operation on the session, where there is one. */
  async #ask(op: string, members: object = {}): Promise<Record<string, unknown> | undefined> {
    const opened = this.#opened;
    if (opened === undefined || opened.link.end !== undefined) return undefined;
    await opened.ready.catch(() => undefined);
    const { ok } = await request(opened.link, op, { session: opened.number, ...members }, { place: this.#host.name });
    return ok;
  }

  /** The session, where it is open and its link stands: most runs find it so, and need not wait for anything. */
  #standing(signal: AbortSignal | undefined): Opened | undefined {
    const opened = this.#opened;
    return opened?.isReady === true && opened.link.end === undefined && signal?.aborted !== true ? opened : undefined;
  }

  /** The session, opened where it is not; `undefined` where the run was stopped meanwhile: by its signal, `abort` or `close`. */
  async #openFor(signal: AbortSignal | undefined): Promise<Opened | undefined> {
    if (signal?.aborted === true) return undefined;
    const stop = new AbortController();
    const release = onAbort(signal, () => stop.abort());
    this.#waiting.add(stop);
    try {
      const opened = await unlessAborted(this.#open(), stop.signal);
      return opened === "aborted" || stop.signal.aborted ? undefined : opened;
    } finally {
      this.#waiting.delete(stop);
      release();
    }
  }

  async #open(): Promise<Opened> {
    const link = await this.#host.link();
    this.#refuseClosed();
    if (this.#opened !== undefined && this.#opened.link !== link) this.#lose(this.#opened);
    const opened = this.#opened ?? this.#openOn(link);
    this.#opened = opened;
    try {
      await opened.ready;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
    return opened;
  }

  #openOn(link: Link): Opened {
    const number = this.#host.sessionNumber(link);
    const ready = (async () => {
      const members = await sessionMembers(this.#host, link, this.#options);
      await request(link, "open", { session: number, ...members }, { place: this.#host.name });
    })();
    const opened: Opened = { link, number, ready, isReady: false };
    ready.then(
      () => {
        opened.isReady = true;
      },
      () => undefined,
    );
    return opened;
  }

  /** The session is gone, or counts as gone. */
  #lose(opened: Opened): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    this.#isReset = true;
    const { link, number } = opened;
    if (link.end !== undefined) return;
    // A place that does not answer may still hear it.
    void request(link, "close", { session: number }, { place: this.#host.name }).catch(() => undefined);
  }
}

/** Runs one command in a bash of its own on the place; otherwise as `RemoteShell.run`. */
export async function executeRemote(
  host: RemoteHost,
  given: ShellOptions & ShellRunOptions,
  onChunk?: ChunkListener,
): Promise<RemoteRunResult> {
  checkFunction("onChunk", onChunk);
  const options = readExecute(given);
  refuseMinimizer(options);
  const request = farRequest(options, typeof onChunk === "function");
  const begun = (async () => {
    const link = await host.link();
    return { link, members: await sessionMembers(host, link, options) };
  })();
  const ready = await unlessAborted(begun, options.signal);
  if (ready === "aborted" || options.signal?.aborted) return cancelledResult();
  const { link, members } = ready;
  slowDownUpdates(request, link);
  // The command's directory and the session's are one here.
  const { cwd: _, ...session } = members.options;
  const oneShot = { ...members, options: session };
  return resultOf(await runOver(link, callOf(host, { oneShot }, request, options, onChunk)));
}
