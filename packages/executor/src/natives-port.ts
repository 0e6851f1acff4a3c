/**
 * What the executor needs of `@pi-bash/natives`, as an interface.
 *
 * The real package satisfies it (`test/natives-port.test.ts` holds that), and tests hand in a backend that misbehaves
 * on purpose: never settles, loses its session, reports survivors. Field meanings are those of the native surface.
 */
import type {
  InputWanted,
  LimitMet,
  LostWithShell,
  ProcessInfo,
  ResourceLimits,
  ResourceUsage,
  SandboxOptions,
  SandboxReport,
} from "@pi-bash/contract";
import type { PtyDevice } from "./console/console-port.ts";

/** Options of a session, fixed for its life. */
export interface SessionOptions {
  /** Path of the bash. */
  shell?: string;
  /** First working directory; default: the host's. */
  cwd?: string;
  /** The environment the session begins with instead of the host's. */
  baseEnv?: Record<string, string>;
  /** Variables exported on top of it. */
  sessionEnv?: Record<string, string>;
  /** A bash file sourced once, before the first command. */
  snapshotPath?: string;
  /** The sandbox that the session runs in; absent: none. */
  sandbox?: SandboxOptions;
  /** Upper bounds of what it uses up. */
  limits?: ResourceLimits;
  /** What is masked in outputs; absent: nothing. */
  mask?: OutputMask;
}

/** Masks secrets; see `SecretMask` of the native surface. */
export interface OutputMask {
  /** A text without its secrets. */
  text(text: string): { text: string; count: number; names: readonly string[] };
  /** The same for a stream of bytes. */
  stream(): {
    /** Takes bytes that stand before what is wanted, and gives out nothing of them. */
    skip(bytes: Uint8Array): void;
    push(bytes: Uint8Array): Uint8Array;
    finish(): Uint8Array;
  };
}

/** What a sink keeps; see the native surface for ranges and defaults. */
export interface RunSinkOptions {
  maxBytes?: number;
  headBytes?: number;
  maxLineBytes?: number;
  spillPath?: string;
  spillFromStart?: boolean;
  spillMaxBytes?: number;
  throttleMs?: number;
  maskSpill?: boolean;
  onUpdate?: (tail: string, totals: { bytes: number; lines: number }) => void;
}

/** One command. */
export interface RunOptions {
  command: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Milliseconds from the command's start to its deadline. */
  timeoutMs?: number;
  signal?: AbortSignal;
  sink?: RunSinkOptions;
  concurrency?: "queue" | "clone";
  /** In a fork of the session that the kernel keeps from everything but reading, or not at all. */
  readOnly?: boolean;
  /** What becomes of it where a program of it waits for a person's input. Absent: it is ended. */
  onInputWait?: "end" | "note";
  /** The result says what the command used. */
  usage?: boolean;
}

/** What came of a run that was confined. */
export interface ReadOnlyFacts {
  /** What this kernel cannot hold. */
  readonly degraded: readonly string[];
  /** The command changed its shell's state, which went with the fork. */
  readonly stateDropped: boolean;
}

/** What the native sink kept. */
export interface RunOutput {
  text: string;
  truncated: boolean;
  totalBytes: number;
  totalLines: number;
  outputBytes: number;
  outputLines: number;
  /** The spill file holds every byte. */
  spilled: boolean;
  spillError?: string | undefined;
  shownRange: { startLine: number; endLine: number };
  lateOutputBytes: number;
  masked?: { count: number; names: readonly string[] } | undefined;
}

/** How a run ended. */
export interface RunResult {
  exitCode?: number | undefined;
  signal?: string | undefined;
  cancelled: boolean;
  timedOut: boolean;
  workingDir?: string | undefined;
  sessionReset: boolean;
  survivors: readonly ProcessInfo[];
  wallTimeMs: number;
  output?: RunOutput | undefined;
  sandbox?: SandboxReport | undefined;
  limitsMet?: readonly LimitMet[] | undefined;
  lostWithShell?: readonly LostWithShell[] | undefined;
  /** Present exactly where it ran confined. */
  readOnly?: ReadOnlyFacts | undefined;
  /** A program of it that waits for a person's input. */
  inputWanted?: InputWanted | undefined;
  /** What it used. */
  usage?: ResourceUsage | undefined;
  /** Why the place that it ran on ended it, as whole sentences. */
  endedByPlace?: string | undefined;
  /** What is said beside the result of the connection to its place, as whole sentences: it was away meanwhile. */
  placeNotice?: string | undefined;
}

/** Receives decoded output. A promise it returns holds the command back until it resolves. */
export type ChunkListener = (error: Error | null, chunk: string) => unknown;

/** A session. */
export interface ShellPort {
  run(options: RunOptions, onChunk?: ChunkListener): Promise<RunResult>;
  close(): Promise<void>;
  /**
   * Lets the command that runs go on beside the session, which takes the next one with the state of before it. False
   * where that cannot be; absent is the same: later calls run in copies then, until the command has ended.
   */
  handOver?(): Promise<boolean>;
  liveBackgroundJobCount(): Promise<number>;
  /** Ports that everything it started listens on. Absent where that cannot be looked at. */
  listeningPorts?(): Promise<ListeningPort[]>;
}

/** A TCP port that a program listens on; see the native surface. */
export interface ListeningPort {
  readonly port: number;
  readonly address: string;
  readonly pid?: number;
  readonly program?: string;
  /** Milliseconds since the Unix epoch; 0: not known. */
  readonly startedAtMs: number;
  readonly isInside: boolean;
}

/** What a minimizer made of a text. */
export interface MinimizedText {
  filter: string;
  text: string;
}

/** How the minimizer is to work. */
export interface MinimizerChoices {
  enabled?: boolean;
  only?: string[];
  except?: string[];
  maxCaptureBytes?: number;
  sourceOutlineLevel?: "default" | "aggressive";
  ruleFiles?: string[];
}

/** The part of `@pi-bash/natives` that an executor uses; a place gives one of its own. */
export interface NativesPort {
  Shell: new (options?: SessionOptions) => ShellPort;
  executeShell(options: SessionOptions & RunOptions, onChunk?: ChunkListener): Promise<RunResult>;
  /** Absent where the addon has no minimizer. */
  minimizeOutputAsync?(
    invocation: { argv: string[] },
    output: string,
    exitCode: number,
    options?: MinimizerChoices,
  ): Promise<MinimizedText | null>;
  /** Who listens on a port, whoever started it. Absent where that cannot be looked at. */
  portHolder?(port: number): Promise<ListeningPort | null>;
  /** What these processes of this machine, and those below them, listen on. */
  listeningPorts?(pids: readonly number[]): Promise<ListeningPort[]>;
  /** Throws where the text is no rule file or an inline test of it does not hold. */
  verifyMinimizerRules?(text: string): unknown;
  /** Absent where there are no pseudoterminals. */
  PtySession?: new () => PtyDevice;
  /** Absent where secrets cannot be masked. */
  SecretMask?: new (options: {
    values: { name: string; value: string }[];
    shapes: boolean;
    allow: readonly string[];
  }) => OutputMask;
  capabilities(): {
    session: "persistent" | "per-command";
    clone: boolean;
    /** What the system says of `RunOptions.readOnly`. Absent: nothing can be confined. */
    readOnly?: { readonly available: boolean; readonly reason?: string; readonly degraded: readonly string[] };
  };
}
