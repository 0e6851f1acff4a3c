/**
 * What this platform can do, as the addon found it.
 */
import { binding } from "./binding.ts";

/** What works on this machine: kind of session, terminals, sandboxes, limits. */
export interface Capabilities {
  /** As `process.platform` names it. */
  readonly platform: string;
  /**
   * `persistent`: one bash serves all runs of a session. `per-command`: each run has a bash of its own, which begins with the
   * state that the one before left; no jobs, no descriptors. Whether the bash of a session takes the driver is known once one
   * was started: `driverInfo()` says why not.
   */
  readonly session: "persistent" | "per-command";
  /** A supervisor kills everything that was started when the host is gone, whatever ended it. */
  readonly supervisor: boolean;
  /** Pseudoterminals. */
  readonly pty: boolean;
  /** Runs in a copy of a session (`concurrency: "clone"`). */
  readonly clone: boolean;
  /** Names of the sandboxes that can be asked for. */
  readonly sandbox: readonly string[];
  /** Read-only commands (`readOnly: true`). */
  readonly readOnly: ReadOnlyCapability;
}

/** Whether commands can run read-only, as far as the system says. That it holds is proven with the first such command. */
export interface ReadOnlyCapability {
  readonly available: boolean;
  /** Why they cannot. */
  readonly reason?: string;
  /** What this kernel cannot hold, e.g. `signal`. */
  readonly degraded: readonly string[];
}

/**
 * What works here.
 *
 * @throws NativeLoadError when there is no addon for this platform
 */
export function capabilities(): Capabilities {
  const { addon, driver, driverPlace } = binding();
  const found = addon.capabilities();
  if (driver !== undefined) return found;
  // What keeps a bash is the driver, and what has a copy of it give up its rights.
  const reason = driverPlace.kind === "file" ? undefined : driverPlace.reason;
  const readOnly = {
    available: false,
    reason: found.readOnly.reason ?? `there is no bash driver: ${reason}`,
    degraded: [],
  };
  return { ...found, session: "per-command", readOnly };
}

/** The bash driver of this installation: what a session's bash takes its commands by, one after the other. */
export interface DriverInfo {
  /** Absolute path of the object; absent where none is installed, which is so everywhere but on Linux. */
  readonly path?: string;
  /**
   * `absent`: there is none. `untried`: no session was started yet. `fits`: the newest bash that was tried takes it.
   * `unfit`: it does not, bash could not load it from where it is, or bash died with it twice while it ran no command; each command
   * of such sessions has a bash of its own, slower.
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
