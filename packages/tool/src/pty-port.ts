/**
 * The port to a console that a person can type into: who draws it and who runs the program is the host's.
 */
import type { ArtifactAllocation } from "@pi-bash/contract";
import type { CommandResult, PtyDevice } from "@pi-bash/executor";

/** One command for the console. */
export interface PtyRequest {
  command: string;
  /** Path of the shell that runs it. */
  shell: string;
  /** Absolute path; it was there a moment ago. */
  cwd: string;
  /** The whole environment, nothing is inherited beside it. */
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** File for the raw output; absent: nowhere. */
  artifact: ArtifactAllocation | undefined;
  /** Most bytes of that file (setting `artifacts.maxBytes`). */
  artifactMaxBytes: number;
  /** Most bytes of text in the result. */
  maxBytes: number;
  /** Title of the overlay. */
  title: "Console";
  /** The host's user interface, as it came with the call. */
  ui: unknown;
  /**
   * Makes the pseudoterminal of the session's place; `shell`, `cwd` and `env` are of that machine. Only given to a port that
   * `takesTerminals`. Absent: this machine.
   */
  createPty?: (() => PtyDevice) | undefined;
}

/**
 * Runs a command on a pseudoterminal and resolves when it has ended or was ended. A start that failed is a result too:
 * its output has the line `PTY error: …` and there is no exit code.
 */
export interface PtyPort {
  /** It runs a command on the terminal that comes with the request. Default false: it is not asked for sessions on a place. */
  readonly takesTerminals?: boolean;
  run(request: PtyRequest): Promise<CommandResult>;
}
