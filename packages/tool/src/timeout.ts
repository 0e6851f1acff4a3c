/**
 * The deadline of a call, in the range that the specification sets. `timeout: 0` is no "forever": it is raised to 1.
 */
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, MIN_TIMEOUT_SECONDS } from "@pi-bash/contract";

export interface CallTimeout {
  /** In force. */
  seconds: number;
  milliseconds: number;
  /** Asked for, where that differs, in seconds. */
  requestedSeconds?: number;
  /** What the model is told, where it differs. */
  notice?: string;
}

/** Clamps a request, in seconds, to 1 to 3600; none is 300. */
export function clampTimeout(requested: number = DEFAULT_TIMEOUT_SECONDS): CallTimeout {
  const seconds = Math.min(Math.max(requested, MIN_TIMEOUT_SECONDS), MAX_TIMEOUT_SECONDS);
  const timeout = { seconds, milliseconds: Math.round(seconds * 1_000) };
  if (seconds === requested) return timeout;
  const range = `allowed range ${MIN_TIMEOUT_SECONDS}-${MAX_TIMEOUT_SECONDS}s`;
  const notice = `Timeout clamped to ${seconds}s (requested ${requested}s; ${range}).`;
  return { ...timeout, requestedSeconds: requested, notice };
}
