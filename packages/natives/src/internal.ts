/**
 * The names that `@pi-bash/places` shares with this package: a session on another machine takes the same options, gives the
 * same results and treats callbacks the same, so the conversions are the ones of the addon.
 */
export { driverFor } from "./binding.ts";
export { CallbackGate } from "./callback-gate.ts";
export { checkFunction } from "./check-option.ts";
export type { RunOutcome, RunRequest, SessionOptions } from "./generated/binding.d.ts";
export { readArgvStart, readStart, type TerminalRequest, toCells } from "./pty-start.ts";
export { toRunResult } from "./run-result.ts";
export { maskRequest } from "./secret-mask.ts";
export { invalidOption } from "./shell-error.ts";
export {
  readExecute,
  readRun,
  readSession,
  toRunRequest,
  toSessionOptions,
} from "./shell-options.ts";
