/**
 * What an executor is given and what it can do. How it does that is in `executor.ts`.
 */
import type { SandboxOptions } from "@pi-bash/contract";
import type { ArtifactStore } from "./artifacts/store.ts";
import type { CommandResult } from "./command-result.ts";
import type { ExecuteBashOptions } from "./command-run.ts";
import type { ChildEnvironment } from "./environment/child-environment.ts";
import type { ListeningPort, NativesPort, OutputMask } from "./natives-port.ts";
import type { PathKind, Place, Placement } from "./places/place.ts";
import type { PlaceTerminal } from "./places/place-terminal.ts";
import type { Confinement } from "./read-only/confinement.ts";
import type { SessionFolders } from "./session-folders.ts";
import type { OpenTerminalOptions } from "./tty/open-terminal.ts";

/** What the executor is given besides settings. */
export interface ExecutorPorts {
  /** The native runtime. Default: `@pi-bash/natives`, loaded at the first command. */
  natives?: NativesPort;
  /** Where sessions are. Default: this machine. `cwd` is a folder over there then. Not together with `placement`. */
  place?: Place;
  /** Chooses the place of a session, asked once for each session key. Default: `place`. */
  placement?: Placement;
  /** The agent's environment, read once. Default: `process.env`. */
  hostEnv?: Readonly<Record<string, string | undefined>>;
  /** Where outputs go. Default: a store in a temporary folder with the limits of the settings, removed by `dispose`. */
  artifacts?: ArtifactStore;
  /** First directory of sessions. Default: the host's own. */
  cwd?: string;
  /**
   * Idle sessions that are kept, each with its state. Beyond it the one used longest ago is closed, and the next result of its
   * key says `sessionReset`. Default 64: set it to the number of your agents, and close the sessions of those that are gone.
   */
  maxIdleSessions?: number;
  /** Whether the user's rc is loaded. Default true. */
  usesSnapshot?: boolean;
  /** Most time that loading it may take, in milliseconds. Default 5,000. */
  snapshotBudgetMs?: number;
  /** Time past a deadline until a run is given up, in milliseconds. Default 5,000. */
  graceMs?: number;
  /** What a person edits to change settings, named in messages. */
  configName?: string;
}

/** The place of a session, for whoever has to look at a path there. */
export interface SessionPlace {
  /** E.g. `ssh:build7`. */
  readonly name: string;
  /** First directory of sessions there. */
  readonly cwd: string;
  readonly home: string | undefined;
  /** Programs on a terminal there. Absent: it has no pseudoterminals. */
  readonly terminal?: PlaceTerminal | undefined;
  /** What stands at a path there, and where its links lead. */
  stat(path: string): Promise<{ kind: PathKind; realPath?: string }>;
}

/** Runs commands for an agent: sessions by key, artifacts, jobs. */
export interface Executor {
  /** Runs one command. Rejects only when it was never started. */
  executeBash(command: string, options?: ExecuteBashOptions): Promise<CommandResult>;
  /**
   * Runs one command on a terminal of its own, for a person who answers it (`onOpen`). Rejects only when it was never started:
   * `TerminalUnavailableError` where there are no terminals.
   */
  runOnTerminal(command: string, options: OpenTerminalOptions): Promise<CommandResult>;
  readonly artifacts: ArtifactStore;
  /** Where sessions stand, for those whose `cd` lasts. `closeSession` forgets it. */
  readonly folders: SessionFolders;
  /** The sandbox that every command runs in. Absent: none. */
  readonly sandbox?: SandboxOptions | undefined;
  /**
   * Whether commands can run read-only (`readOnly` of `executeBash`). The first answer is proven in a shell of its own, which
   * takes some tens of milliseconds. Never rejects: a shell that does not start confines nothing.
   */
  confinement(sessionKey?: string): Promise<Confinement>;
  /**
   * Masks secrets as it is done in outputs, for texts that reach a model by another way. Undefined: nothing is masked
   * (`secrets.mask`), or there is no addon. Loads the native runtime.
   */
  secretMask(): Promise<OutputMask | undefined>;
  /** Secrets are masked in the files of artifacts too (`secrets.maskArtifacts`). */
  readonly masksArtifacts: boolean;
  /** Tasks on terminals are recorded (`tty.record`). */
  readonly recordsTerminals: boolean;
  /** What sessions of this machine begin with, and which names were kept from them. */
  environment(): ChildEnvironment;
  /**
   * Where the sessions of a key are, connected. Rejects where it cannot be reached. Undefined: on this machine.
   */
  placeOf(sessionKey?: string): Promise<SessionPlace | undefined>;
  /**
   * Who listens on a TCP port where the sessions of a key are, whoever started it. Undefined: nothing does, or it cannot be looked
   * at: where there is no addon, and on a place that does not answer in time.
   */
  portHolder(port: number, sessionKey?: string): Promise<ListeningPort | undefined>;
  /** Closes the session of an agent's key and ends what it started. Fine if there is none. */
  closeSession(agentKey: string): Promise<void>;
  /** Shells there are now. */
  stats(): { sessions: number; idle: number; quarantined: number };
  /** Closes all sessions and what they started. Later calls reject. Fine any number of times. */
  dispose(): Promise<void>;
}
