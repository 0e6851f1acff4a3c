/**
 * What the tools need of the agent's session: ports, all read at each call, so that a change counts from the next one.
 */
import type { ArtifactKind, SettingsInput } from "@pi-bash/contract";
import type { Executor, JobManager, SessionPlace, TimeoutDecision } from "@pi-bash/executor";
import type { Approve } from "@pi-bash/policy";
import type { PolicyContext, PolicyPort } from "./approvals.ts";
import type { ClientBridge } from "./client-bridge.ts";
import type { InternalUrlSources } from "./internal-urls.ts";
import type { PtyPort } from "./pty-port.ts";

/** What a tool must know of the agent's session: the host makes it, and may change it between calls. */
export interface BashToolSession {
  /**
   * The workspace, absolute. Every call starts here unless it names a `cwd`: relative directories mean the same in
   * each of them. A host that follows the shell sets it to `details.workingDir`.
   */
  readonly cwd: string;
  /** Any part of the settings. The parsed form is kept while this is the same object. */
  readonly settings?: SettingsInput;
  readonly executor: Executor;
  /**
   * Where commands run, when that is another machine: what `executor.placeOf` gives. `cwd` is a folder over there then, and
   * folders are looked at over there. A console runs on a terminal over there, where its port takes terminals. Clients' terminals
   * and internal URLs are of this machine and are not used.
   */
  readonly place?: SessionPlace | undefined;
  /**
   * Whether the executor's shells keep their state from call to call. False where there is no native addon, see
   * `findBackend`: the tool's description says so then. Default true.
   */
  readonly keepsState?: boolean;
  /** Names of the tools that the model can call now, where a call does not bring them. */
  readonly toolNames?: Iterable<string>;
  /** Jobs of this session; absent: no background. */
  readonly asyncJobManager?: JobManager | undefined;
  readonly pty?: PtyPort | undefined;
  readonly internalUrls?: InternalUrlSources | undefined;
  /**
   * Decides which calls may run; keep one for each session. Absent: hard blocks, `blockedCommands` and
   * `requireDescription` refuse, and what never runs unasked goes to `approve`, or is refused without one.
   */
  readonly policy?: PolicyPort | undefined;
  /** Read for `PI_NO_PTY` and the search path. Default: `process.env`. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
  /** Key of the shell that calls share, and owner of the jobs. */
  getSessionId?(): string | undefined;
  /** Where large output goes. Default: the executor's store. A failure costs the file and nothing else. */
  allocateOutputArtifact?(kind: ArtifactKind): Promise<{ id?: string; path?: string } | undefined>;
  /** Asks a person what the policy cannot decide. Absent: the policy's own way to ask, and without one a refusal. */
  approve?: Approve | undefined;
  /** What the policy must know of the session: its mode, whether the workspace is trusted. Default: mode `default`, not trusted. */
  policyContext?(): PolicyContext;
  /**
   * Asked when a command in the foreground has reached its deadline: end it, or let it go on as a job. With jobs only; a
   * command that cannot become one is ended. Default: the setting `bash.timeoutAction`.
   */
  onTimeout?(request: { command: string; timeoutMs: number }): TimeoutDecision;
  getClientBridge?(): ClientBridge | undefined;
  /**
   * Variables that each command gets besides, read when its call has been made: what traces the host, as `traceEnvironment` of
   * `@pi-bash/adapters/otel` gives it. A call's own variables win. They are not part of what is judged or shown.
   */
  commandEnv?(): Readonly<Record<string, string>>;
  /**
   * Aborted when the caller has gone and what it runs is kept: a command in the foreground goes on as a job then. Abort it
   * before the signals of the calls. Asked for at each call; with jobs only. Absent: a command ends with its call.
   */
  callerGone?(): AbortSignal | undefined;
  /** Notified of a setting that cannot be used, once. Default: a process warning. */
  warn?(message: string): void;
}

/** What comes with one call. */
export interface ToolContext {
  /** Names of the tools that the model can call now. Default: the session's. */
  toolNames?: Iterable<string>;
  /** Whether a person is there. */
  hasUI?: boolean;
  /** The host's user interface, handed to the PTY port. */
  ui?: unknown;
  /** Variables that the command of this call gets besides. They win over those of the session's `commandEnv`. */
  commandEnv?: Readonly<Record<string, string>>;
}
