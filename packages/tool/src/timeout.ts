/**
 * The deadline of a call, in the range that the specification sets. `timeout: 0` is no "forever": it is raised to 1.
 */
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, MIN_TIMEOUT_SECONDS, type Settings } from "@pi-bash/contract";

/** The deadline of a call. */
export interface CallTimeout {
  /** In force. */
  seconds: number;
  milliseconds: number;
  /** Asked for, where that differs, in seconds. */
  requestedSeconds?: number;
  /** What the model reads, where it differs. */
  notice?: string;
}

/** The settings that bound a deadline, in milliseconds. */
export type TimeoutSettings = Pick<Settings, "defaultTimeout" | "maxTimeout">;

const DEFAULTS: TimeoutSettings = {
  defaultTimeout: DEFAULT_TIMEOUT_SECONDS * 1_000,
  maxTimeout: MAX_TIMEOUT_SECONDS * 1_000,
};

/** Clamps a request, in seconds, to 1 to `maxTimeout` (3600); none is `defaultTimeout` (300), within that. */
export function clampTimeout(given: number | undefined, settings: TimeoutSettings = DEFAULTS): CallTimeout {
  const most = settings.maxTimeout / 1_000;
  const requested = given ?? Math.min(settings.defaultTimeout / 1_000, most);
  const seconds = Math.min(Math.max(requested, MIN_TIMEOUT_SECONDS), most);
  const timeout = { seconds, milliseconds: Math.round(seconds * 1_000) };
  if (seconds === requested) return timeout;
  const range = `allowed range ${MIN_TIMEOUT_SECONDS}-${most}s`;
  const notice = `Timeout clamped to ${seconds}s (requested ${requested}s; ${range}).`;
  return { ...timeout, requestedSeconds: requested, notice };
}
