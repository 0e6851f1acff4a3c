/**
 * What a call on a place is made of, in a session or in a bash of its own: what it needs of its place, what crosses the link with it,
 * and what its caller gets.
 */
import { ShellError, type ShellOptions, type ShellRunOptions, type ShellRunResult } from "@pi-bash/natives";
import { maskRequest, type SessionOptions, toRunResult, toSessionOptions } from "@pi-bash/natives/internal";
import type { Link } from "./link.ts";
import type { LinkEnd } from "./link-end.ts";
import type { FarOutcome, FarRequest } from "./remote-run.ts";

/** What a session needs of its place. */
export interface RemoteHost {
  /** The place, e.g. `ssh:build7`. */
  readonly name: string;
  /** The link, made where there is none. */
  link(): Promise<Link>;
  /** Path of the bash driver over there, put there once; undefined: there is none for that machine. */
  driver(link: Link): Promise<string | undefined>;
  /** A number that no other session of the link has. */
  sessionNumber(link: Link): number;
  /** What the place knows about the end of its link, as whole sentences. */
  explain(end: LinkEnd): Promise<string | undefined>;
}

/** Takes the next piece of decoded output, as the native surface has it. */
export type ChunkListener = (error: Error | null, chunk: string) => unknown;

/** The result of a run on a place. */
export interface RemoteRunResult extends ShellRunResult {
  /** Why the place itself ended it, as whole sentences: its lease, a signal, a job that was cancelled. */
  readonly endedByPlace?: string;
  /** What the caller should know of the connection, as whole sentences: it was away meanwhile. */
  readonly placeNotice?: string;
}

/** What came of a run, as its caller gets it. */
export function resultOf({ outcome, ...said }: FarOutcome): RemoteRunResult {
  const result = toRunResult(outcome);
  return said.endedByPlace === undefined && said.placeNotice === undefined ? result : { ...result, ...said };
}

/** What `open` and a one-shot say of a session. */
export interface SessionMembers {
  readonly options: SessionOptions;
  readonly mask?: ReturnType<typeof maskRequest>;
}

/** Options and mask of a session over a link: what is not given is as the place has it. */
export async function sessionMembers(host: RemoteHost, link: Link, options: ShellOptions): Promise<SessionMembers> {
  const { hello } = link;
  const driver = await host.driver(link);
  const baseEnv = options.baseEnv ?? hello.env;
  const converted = toSessionOptions({ ...options, baseEnv }, driver === undefined ? {} : { driver });
  return {
    options: { ...converted, cwd: converted.cwd ?? hello.cwd },
    ...(options.mask === undefined ? {} : { mask: maskRequest("mask", options.mask) }),
  };
}

/** Throws where a session on a place is asked to minimize. */
export function refuseMinimizer({ minimizer }: ShellOptions): void {
  if (minimizer === undefined) return;
  throw new ShellError(
    "PI_INVALID_OPTION",
    "option `minimizer` is not for a session on a place; use `minimizeOutputAsync`",
  );
}

/** A run as `runOver` takes it. */
export function callOf(
  host: RemoteHost,
  where: object,
  request: FarRequest,
  options: ShellRunOptions,
  onChunk: ChunkListener | undefined,
) {
  return {
    place: host.name,
    where,
    request,
    onText: typeof onChunk === "function" ? (text: string) => onChunk(null, text) : undefined,
    onUpdate: options.sink?.onUpdate,
    signal: options.signal,
    explain: (end: LinkEnd) => host.explain(end),
  };
}

/** The result of a run that was cancelled before anything was sent. */
export function cancelledResult(): RemoteRunResult {
  return { cancelled: true, timedOut: false, sessionReset: false, survivors: [], wallTimeMs: 0 };
}
