/**
 * Commands that a person types (`!`, the RPC `bash` command): the same executor, without what the tool does to a call.
 *
 * Nothing is rewritten, intercepted or expanded, and a result is never an error. The person shares the agent's shell:
 * what they export is there for both, and where they `cd` for an agent whose `cd` lasts (`bash.directoryPersists`).
 */
import { onAbort } from "@pi-bash/contract/internal/abort";
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import type { CommandResult } from "./command-result.ts";
import type { ExecuteBashOptions } from "./command-run.ts";
import type { Executor } from "./executor.ts";

/** Whose shell it is, and where it starts. */
export interface UserShellOptions {
  executor: Executor;
  /** The agent session's id, which is the key of the shell. */
  sessionId: string;
  /** Where the first command runs. Default: where the session is. */
  cwd?: string;
}

/** Options of one command of a person. */
export type UserCommandOptions = Pick<ExecuteBashOptions, "env" | "timeoutMs" | "signal" | "onChunk" | "onUpdate">;

/** A person's own commands, in a shell beside the agent's. */
export class UserShell {
  readonly #options: UserShellOptions;
  readonly #running = new Set<AbortController>();
  /** Settles when the command that was asked for last has ended. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: UserShellOptions) {
    this.#options = options;
  }

  /** Whether a command is under way. */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Where the next command runs, as far as known. */
  get cwd(): string | undefined {
    const { executor, sessionId, cwd } = this.#options;
    return executor.folders.get(sessionId) ?? cwd;
  }

  /** Runs a command as it is written. Default timeout 300 s. Rejects only when it was never started. */
  async executeBash(command: string, options: UserCommandOptions = {}): Promise<CommandResult> {
    const { signal, ...rest } = options;
    const controller = new AbortController();
    if (signal?.aborted) controller.abort();
    const release = onAbort(signal, () => controller.abort());
    this.#running.add(controller);
    const before = this.#last;
    const run = this.#inTurn(command, before, { ...rest, signal: controller.signal });
    this.#last = Promise.allSettled([before, run]);
    try {
      return await run;
    } finally {
      this.#running.delete(controller);
      release();
    }
  }

  /** Cancels every command under way; each ends with a result of its own. */
  abort(): void {
    for (const controller of this.#running) controller.abort();
  }

  /** Where a command starts is known when the one before it has ended; one that is cancelled waits for no one. */
  async #inTurn(
    command: string,
    before: Promise<unknown>,
    options: UserCommandOptions & { signal: AbortSignal },
  ): Promise<CommandResult> {
    const { executor, sessionId } = this.#options;
    await unlessAborted(before, options.signal);
    try {
      const { cwd } = this;
      const result = await executor.executeBash(command, {
        ...options,
        sessionKey: sessionId,
        ...(cwd === undefined ? {} : { cwd }),
      });
      const isOwnShell = result.isIsolated !== true;
      if (result.workingDir !== undefined && isOwnShell) executor.folders.set(sessionId, result.workingDir);
      return result;
    } catch (error) {
      // The directory may be gone: the next command starts where the first one did.
      executor.folders.delete(sessionId);
      throw error;
    }
  }
}
