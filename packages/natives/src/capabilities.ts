/**
 * What this platform can do, as the addon found it.
 */
import { binding } from "./binding.ts";

/** What works here. */
export interface Capabilities {
  /** As `process.platform` names it. */
  readonly platform: string;
  /** `persistent`: one bash serves all runs of a session. `per-command`: each run has a bash of its own. */
  readonly session: "persistent" | "per-command";
  /** A supervisor kills everything that was started when the host is gone, whatever ended it. */
  readonly supervisor: boolean;
  /** Pseudoterminals. */
  readonly pty: boolean;
  /** Runs in a copy of a session (`concurrency: "clone"`). */
  readonly clone: boolean;
  /** Names of the sandboxes that can be asked for. */
  readonly sandbox: readonly string[];
}

/**
 * What works here.
 *
 * @throws NativeLoadError when there is no addon for this platform
 */
export function capabilities(): Capabilities {
  return binding().addon.capabilities();
}
