/**
 * `executeBash` for hosts that want a function and not an object: one executor for the process, made when first used.
 *
 * Anything that wants other settings, or an end before the process ends, makes an executor of its own.
 */
import type { CommandResult } from "./command-result.ts";
import type { ExecuteBashOptions } from "./command-run.ts";
import { createExecutor, type Executor } from "./executor.ts";

let shared: Executor | undefined;

/** Runs one command with default settings, or with the executor given. Rejects only when it was never started. */
export function executeBash(
  command: string,
  options: ExecuteBashOptions & { executor?: Executor } = {},
): Promise<CommandResult> {
  const { executor, ...rest } = options;
  if (executor !== undefined) return executor.executeBash(command, rest);
  shared ??= createExecutor();
  return shared.executeBash(command, rest);
}

/** Ends the executor that `executeBash` made. The next call makes a new one. */
export async function disposeSharedExecutor(): Promise<void> {
  const ended = shared;
  shared = undefined;
  await ended?.dispose();
}
