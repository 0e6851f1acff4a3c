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

/** The bash driver of this installation: what sessions' bash takes its commands by, instead of by shell text. */
export interface DriverInfo {
  /** Absolute path of the object; absent where none is installed, which is so everywhere but on Linux. */
  readonly path?: string;
  /**
   * `absent`: there is none. `untried`: no session was started yet. `fits`: the newest bash that was tried takes it.
   * `unfit`: it does not, or bash could not load it from where it is; such sessions speak to bash in shell text, slower.
   */
  readonly state: "absent" | "untried" | "fits" | "unfit";
  /** Why it does not fit, or why there is none. */
  readonly reason?: string;
}

/**
 * Which bash driver is installed, and whether sessions use it.
 *
 * @throws NativeLoadError when there is no addon for this platform
 */
export function driverInfo(): DriverInfo {
  const { addon, driverPlace } = binding();
  switch (driverPlace.kind) {
    case "absent":
      return { state: "absent", reason: driverPlace.reason };
    case "archived":
      return { path: driverPlace.path, state: "unfit", reason: driverPlace.reason };
    case "file": {
      const { state, reason } = addon.driverReport();
      return { path: driverPlace.path, state, ...(reason === undefined ? {} : { reason }) };
    }
  }
}
