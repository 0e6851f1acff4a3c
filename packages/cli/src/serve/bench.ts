/**
 * What serves one client: the session it works on, and the streams that carry its protocol.
 *
 * The session may be the process's own, gone with its client, or one that a host keeps; what serves knows no difference.
 */
import type { Readable, Writable } from "node:stream";
import type { Settings } from "@pi-bash/contract";
import type { JobManager } from "@pi-bash/executor";
import type { PolicyMode } from "@pi-bash/policy";
import type { AnyTool, TaskSession } from "@pi-bash/tool";
import type { Seat } from "../seat.ts";

/** The session. */
export interface Bench {
  readonly seat: Seat;
  readonly jobs: JobManager;
  /** Key of the shell, and owner of the jobs. */
  readonly sessionId: string;
  /** The agent's environment. Absent: this process's. */
  readonly hostEnv?: Readonly<Record<string, string>>;
  /** Aborted when the client has gone and its commands go on as jobs. Absent: they end with it. */
  readonly callerGone?: AbortSignal;
  /** Stands between the client and each tool. */
  around?(tool: AnyTool): AnyTool;
}

/** The client. */
export interface Client {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the serving. */
  readonly signal: AbortSignal;
  /** A line for the client's person. */
  tell(message: string): void;
}

/** What the client asked for, and what decides about its calls. */
export interface Terms {
  readonly settings: Settings;
  readonly givenSettings: ReadonlySet<string>;
  readonly mode?: PolicyMode;
  /** Absent: only what is never allowed is refused. */
  readonly policy: TaskSession["policy"];
}

/** The part of a tool session that any protocol has. */
export function sessionOf({ seat, jobs, sessionId, hostEnv, callerGone }: Bench, { settings, mode, policy }: Terms) {
  return {
    cwd: seat.cwd,
    ...seat.at,
    settings,
    executor: seat.executor,
    keepsState: seat.keepsState,
    asyncJobManager: jobs,
    policy,
    policyContext: () => (mode === undefined ? {} : { mode }),
    getSessionId: () => sessionId,
    ...(hostEnv === undefined ? {} : { hostEnv }),
    ...(callerGone === undefined ? {} : { callerGone: () => callerGone }),
  } satisfies TaskSession;
}

/** The tools as the client gets them. */
export function toolsAt(bench: Bench, tools: readonly AnyTool[]): AnyTool[] {
  return tools.map((tool) => bench.around?.(tool) ?? tool);
}
